"""Full rows of what is in a pool and its reserve, and of what the run needs around them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BindParameter,
    Executable,
    RowMapping,
    Text,
    any_,
    bindparam,
    func,
    select,
)

from backend.catalogue.queries import read_state
from backend.catalogue.tables import (
    City,
    Hotel,
    Place,
    Schedule,
    Station,
    Tag,
    Train,
)
from backend.clock import format_minutes
from backend.db.session import Session
from backend.pool.candidate import (
    CityRow,
    HotelCandidate,
    PoiCandidate,
    StationRow,
    TagRow,
    TrainCandidate,
)
from backend.pool.snapshot import CatalogueCounts, Kind

_PLACE = select(
    Place.id,
    Place.city_id.label("city"),
    Place.name,
    Place.name_en,
    Place.type,
    Place.area,
    Place.price,
    Place.duration_min,
    Place.popularity,
    Place.tags,
    Place.lat,
    Place.lon,
    Schedule.opening_hours,
    Place.last_entry,
    Schedule.closed_season,
    Place.intro,
    Place.source,
    Place.booking,
    Place.book_days_ahead,
    Place.as_of,
).join(Schedule)
_HOTEL = select(
    Hotel.id,
    Hotel.city_id.label("city"),
    Hotel.name,
    Hotel.name_en,
    Hotel.stars,
    Hotel.price_per_night,
    Hotel.area,
    Hotel.lat,
    Hotel.lon,
    Hotel.rating,
    Hotel.tags,
    Hotel.intro,
    Hotel.source,
    Hotel.check_in,
    Hotel.check_out,
    Hotel.as_of,
)
_TRAIN = select(
    Train.id,
    Train.number,
    Train.from_city_id.label("from_city"),
    Train.from_station,
    Train.to_city_id.label("to_city"),
    Train.to_station,
    Train.depart_min,
    Train.arrive_min,
    Train.day_offset,
    Train.price,
    Train.runs_on,
    Train.source,
    Train.as_of,
)


_IDS: BindParameter[Any] = bindparam("ids", type_=ARRAY(Text))  # one text of SQL for any number
_PLACES = _PLACE.where(Place.id == any_(_IDS))
_HOTELS = _HOTEL.where(Hotel.id == any_(_IDS))
_TRAINS = _TRAIN.where(Train.id == any_(_IDS))


async def read_places(session: Session, ids: Sequence[str]) -> dict[str, PoiCandidate]:
    """Places by id."""
    return {row["id"]: PoiCandidate(**row) for row in await _read(session, _PLACES, ids)}


async def read_hotels(session: Session, ids: Sequence[str]) -> dict[str, HotelCandidate]:
    """Hotels by id."""
    return {row["id"]: HotelCandidate(**row) for row in await _read(session, _HOTELS, ids)}


async def read_trains(session: Session, ids: Sequence[str]) -> dict[str, TrainCandidate]:
    """Trains by id."""
    rows = [dict(row) for row in await _read(session, _TRAINS, ids)]
    for row in rows:
        row["depart"] = format_minutes(row.pop("depart_min"))
        row["arrive"] = format_minutes(row.pop("arrive_min"))
    return {row["id"]: TrainCandidate(**row) for row in rows}


async def _read(session: Session, query: Executable, ids: Sequence[str]) -> Iterable[RowMapping]:
    if not ids:
        return ()
    return (await session.execute(query, {"ids": list(ids)})).mappings()


async def read_city_rows(session: Session) -> dict[str, CityRow]:
    """All cities by id: a catalogue holds some hundreds."""
    rows = (await session.execute(select(*City.__table__.columns))).mappings()
    return {row["id"]: CityRow(**row) for row in rows}


async def read_stations(session: Session, cities: Collection[str]) -> tuple[StationRow, ...]:
    """Stations of some cities, by city and name."""
    columns = select(Station.city_id.label("city"), Station.name, Station.lat, Station.lon)
    chosen = columns.where(Station.city_id.in_(sorted(cities)))
    rows = (await session.execute(chosen.order_by(Station.city_id, Station.name))).mappings()
    return tuple(StationRow(**row) for row in rows)


async def read_tag_rows(session: Session, ids: Collection[str]) -> tuple[TagRow, ...]:
    """Words of the vocabulary, by id."""
    columns = select(Tag.id, Tag.name, Tag.name_en).where(Tag.id.in_(sorted(ids)))
    rows = (await session.execute(columns.order_by(Tag.id))).mappings()
    return tuple(TagRow(**row) for row in rows)


async def read_catalogue(session: Session) -> tuple[CatalogueCounts, str]:
    """The catalogue's version and numbers of rows, and its currency."""
    counts = [
        select(func.count()).select_from(table).scalar_subquery().label(kind)
        for kind, table in (("poi", Place), ("hotel", Hotel), ("train", Train))
    ]
    row = (await session.execute(select(*counts))).one()
    state = await read_state(session)
    rows: dict[Kind, int] = {"poi": row.poi, "hotel": row.hotel, "train": row.train}
    return CatalogueCounts(version=state.version, rows=rows), state.currency
