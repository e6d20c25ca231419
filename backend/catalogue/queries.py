"""Reads of the catalogue outside the pool: vocabulary, names, counts, and its version."""

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ARRAY,
    BindParameter,
    RowMapping,
    Table,
    Text,
    any_,
    bindparam,
    func,
    select,
    union,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalogue.tables import (
    CatalogueState,
    City,
    Hotel,
    Place,
    Schedule,
    SpokenName,
    Station,
    Tag,
    Train,
)
from backend.clock import format_minutes

TABLES: dict[str, Table] = {
    "cities": City.metadata.tables["city"],
    "tags": City.metadata.tables["tag"],
    "pois": City.metadata.tables["place"],
    "hotels": City.metadata.tables["hotel"],
    "stations": City.metadata.tables["station"],
    "trains": City.metadata.tables["train"],
    "fares": City.metadata.tables["fare"],
    "names": SpokenName.metadata.tables["spoken_name"],
}
SCHEDULES = City.metadata.tables["schedule"]
_IDS: BindParameter[Any] = bindparam("ids", type_=ARRAY(Text))


@dataclass(frozen=True)
class State:
    """The catalogue's version, which every import and edit raises, and its one currency."""

    version: int
    currency: str


@dataclass(frozen=True)
class Whole:
    """Where a place stands: its city, and the place that it is a part of."""

    city: str
    part_of: str | None


@dataclass(frozen=True)
class NamedPlace:
    """What a request's words are matched against."""

    id: str
    name: str
    name_en: str
    city: str
    tags: tuple[str, ...]
    enabled: bool
    is_synthetic: bool


async def read_state(session: AsyncSession) -> State:
    """The catalogue's version and currency; version 0 before the first import."""
    row = (await session.execute(select(CatalogueState.version, CatalogueState.currency))).first()
    return State(row.version, row.currency) if row else State(0, "CNY")


async def lock_state(session: AsyncSession) -> State:
    """The state, held until the transaction ends: writers of the catalogue come one by one."""
    new = insert(CatalogueState).values(id=1, version=0, currency="CNY")
    await session.execute(new.on_conflict_do_nothing())
    columns = select(CatalogueState.version, CatalogueState.currency).with_for_update()
    row = (await session.execute(columns)).one()
    return State(row.version, row.currency)


async def raise_version(session: AsyncSession) -> int:
    """Raise the catalogue's version by one and give it."""
    statement = (
        update(CatalogueState)
        .values(version=CatalogueState.version + 1)
        .returning(CatalogueState.version)
    )
    return (await session.execute(statement)).scalar_one()


async def count_rows(session: AsyncSession) -> dict[str, int]:
    """Rows of each table, by the name of its file."""
    return {
        name: (await session.execute(select(func.count()).select_from(table))).scalar_one()
        for name, table in TABLES.items()
    }


async def stream_rows(session: AsyncSession, name: str) -> AsyncIterator[RowMapping]:
    """The rows of a file's table by key, places with their hours, a part at a time in memory."""
    table = TABLES[name]
    wanted = select(table)
    if name == "pois":
        hours = SCHEDULES.c.opening_hours, SCHEDULES.c.closed_season
        wanted = select(table, *hours).join(SCHEDULES, SCHEDULES.c.id == table.c.schedule_id)
    rows = await session.stream(
        wanted.order_by(*table.primary_key), execution_options={"yield_per": BATCH}
    )
    async for row in rows.mappings():
        yield row


BATCH = 2_000
"""Rows that a stream holds at a time."""


async def read_cities(session: AsyncSession) -> list[City]:
    """All cities by id."""
    return list((await session.scalars(select(City).order_by(City.id))).all())


async def read_tags(session: AsyncSession) -> list[Tag]:
    """All tags by bit."""
    return list((await session.scalars(select(Tag).order_by(Tag.bit))).all())


async def read_schedule_ids(
    session: AsyncSession, pairs: Collection[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    """Ids of the given pairs of opening hours and closed season."""
    hours = {pair[0] for pair in pairs}
    columns = select(Schedule.opening_hours, Schedule.closed_season, Schedule.id)
    rows = await session.execute(columns.where(Schedule.opening_hours.in_(hours)))
    return {(row.opening_hours, row.closed_season): row.id for row in rows}


async def find_places(session: AsyncSession, ids: Collection[str]) -> list[NamedPlace]:
    """Places of these ids."""
    return await _find_named(session, Place, ids)


async def find_hotels(session: AsyncSession, ids: Collection[str]) -> list[NamedPlace]:
    """Hotels of these ids."""
    return await _find_named(session, Hotel, ids)


async def _find_named(
    session: AsyncSession, table: type[Place] | type[Hotel], ids: Collection[str]
) -> list[NamedPlace]:
    columns = select(
        table.id,
        table.name,
        table.name_en,
        table.city_id,
        table.tags,
        table.enabled,
        table.is_synthetic,
    )
    rows = await session.execute(columns.where(table.id.in_(list(ids))).order_by(table.id))
    return [
        NamedPlace(r.id, r.name, r.name_en, r.city_id, tuple(r.tags), r.enabled, r.is_synthetic)
        for r in rows
    ]


async def find_types(
    session: AsyncSession, words: Collection[str], cities: Collection[str]
) -> frozenset[str]:
    """Those of the words that are a type of some place in these cities."""
    here = select(Place.type).where(Place.city_id.in_(list(cities)))
    types = here.where(Place.type.in_(list(words))).distinct()
    return frozenset((await session.scalars(types)).all())


async def list_stations(
    session: AsyncSession, cities: Collection[str]
) -> dict[str, frozenset[str]]:
    """Names of the stations of some cities: those with a row and those that trains name."""
    wanted = list(cities)
    named = union(
        select(Station.city_id.label("city"), Station.name).where(Station.city_id.in_(wanted)),
        select(Train.from_city_id, Train.from_station).where(Train.from_city_id.in_(wanted)),
        select(Train.to_city_id, Train.to_station).where(Train.to_city_id.in_(wanted)),
    )
    stations: dict[str, set[str]] = {}
    for city, name in await session.execute(named):
        stations.setdefault(city, set()).add(name)
    return {city: frozenset(names) for city, names in stations.items()}


async def read_fields(session: AsyncSession, kind: str, row_id: str) -> dict[str, Any] | None:
    """The row under the names of the catalogue's files, without its currency; None: no such row."""
    if kind == "poi":
        found = select(Place, Schedule.opening_hours, Schedule.closed_season).join(
            Schedule, Schedule.id == Place.schedule_id
        )
        place = (await session.execute(found.where(Place.id == row_id))).first()
        if place is None:
            return None
        hours = {"opening_hours": place.opening_hours, "closed_season": place.closed_season}
        return {**_list_fields(place.Place, {"city_id": "city"}), **hours}
    if kind == "hotel":
        hotel = await session.get(Hotel, row_id)
        return None if hotel is None else _list_fields(hotel, {"city_id": "city"})
    train = await session.get(Train, row_id)
    if train is None:
        return None
    names = {"from_city_id": "from_city", "to_city_id": "to_city"}
    times = {
        "depart": format_minutes(train.depart_min),
        "arrive": format_minutes(train.arrive_min),
    }
    return {**_list_fields(train, names), **times}


async def find_wholes(
    session: AsyncSession, ids: Collection[str], wholes: Collection[str]
) -> dict[str, Whole]:
    """The parts of places `ids`; the places `wholes`, what they are parts of, and so on."""
    columns = select(Place.id, Place.city_id, Place.part_of)
    parts = columns.where(Place.part_of == any_(_IDS))
    rows = list(await session.execute(parts, {"ids": sorted(ids)}))
    found = {row.id: Whole(row.city_id, row.part_of) for row in rows}
    query, wanted = columns.where(Place.id == any_(_IDS)), set(wholes) - set(found)
    while wanted:
        rows = list(await session.execute(query, {"ids": sorted(wanted)}))
        found |= {row.id: Whole(row.city_id, row.part_of) for row in rows}
        wanted = {row.part_of for row in rows if row.part_of} - set(found)
    return found


_DERIVED = frozenset({"tag_mask", "schedule_id", "is_synthetic", "is_food", "runs_on_mask"})
_MINUTES = frozenset({"depart_min", "arrive_min"})


def _list_fields(row: Place | Hotel | Train, names: dict[str, str]) -> dict[str, Any]:
    columns = (column.name for column in row.__table__.columns)
    kept = (name for name in columns if name not in _DERIVED | _MINUTES)
    return {names.get(name, name): getattr(row, name) for name in kept}


async def read_durations(session: AsyncSession, ids: Collection[str]) -> dict[str, int]:
    """Minutes that visits to these places take; unknown ids are left out."""
    wanted = select(Place.id, Place.duration_min).where(Place.id == any_(_IDS))
    rows = await session.execute(wanted, {"ids": sorted(ids)})
    return {row.id: row.duration_min for row in rows}
