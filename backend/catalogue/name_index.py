"""Writes the finder's index: the keys of the names of whatever a catalogue write has touched."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import exists, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalogue.matching import NameKind, make_halves
from backend.catalogue.naming import CityWords, Way, fold, make_keys
from backend.catalogue.tables import City, Hotel, NameKey, Place, SpokenName, Station, Tag

CHUNK = 5_000

Owned = tuple[str, str | None, list[tuple[str, Way]]]
"""An owner's id, its city, and its names."""

_GROUP_SITE: dict[str, NameKind] = {"group": "poi"}
"""A group's lines name its members, which are rows of another kind."""

_WRITE = text(
    "with given as (select * from jsonb_to_recordset(cast(:keys as jsonb))"
    ' as r(key text collate "C", kind text collate "C", id text collate "C", city text, way smallint,'
    " head text, tail text)),"
    " gone as (delete from name_key k where k.kind = :kind and k.id = any(:ids)"
    " and not exists (select from given g where g.key = k.key and g.id = k.id))"
    " insert into name_key (key, kind, id, city, way, head, tail)"
    " select key, kind, id, city, way, head, tail from given"
    " on conflict (key, kind, id) do update set city = excluded.city, way = excluded.way"
    " where (name_key.city, name_key.way) is distinct from (excluded.city, excluded.way)"
)

KINDS: tuple[NameKind, ...] = ("city", "tag", "poi", "group", "hotel", "station", "area")


async def index_names(session: AsyncSession, kind: NameKind, ids: Iterable[str]) -> None:
    """Write the keys of these owners anew, from their rows and their lines of names.csv."""
    wanted = sorted(set(ids))
    cities = await _read_city_words(session)
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        spoken = await _read_spoken(session, kind, part)
        keys = [
            key
            for owner in await _read_owned(session, kind, part)
            for key in _make_rows(kind, owner, spoken.get(owner[0], []), cities)
        ]
        document = json.dumps(keys, ensure_ascii=False)
        await session.execute(_WRITE, {"keys": document, "kind": kind, "ids": part})


async def index_all_names(session: AsyncSession) -> None:
    """Write the whole index where a catalogue has none: it is older than the index."""
    has_keys = await session.scalar(select(exists().select_from(NameKey)))
    if has_keys or not await session.scalar(select(exists().select_from(City))):
        return
    for kind in KINDS:
        ids = await _list_ids(session, kind)
        await index_names(session, kind, ids)


async def find_owners(
    session: AsyncSession, owners: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Those of the owners (kind and id) that the catalogue has."""
    found: set[tuple[str, str]] = set()
    for kind in sorted({kind for kind, _ in owners}):
        ids = sorted(
            {owner for k, owner in owners if k == kind and (k != "station" or "/" in owner)}
        )
        if kind != "area":
            found.update((kind, owned[0]) for owned in await _read_owned(session, kind, ids))
    return found


async def _list_ids(session: AsyncSession, kind: NameKind) -> list[str]:
    if kind in {"group", "area"}:
        return list(await session.scalars(select(SpokenName.id).where(SpokenName.kind == kind)))
    if kind == "station":
        rows = await session.execute(select(Station.city_id, Station.name))
        return [f"{city}/{name}" for city, name in rows]
    return list(await session.scalars(select(_TABLES[kind].id)))


_TABLES: dict[str, Any] = {"city": City, "tag": Tag, "poi": Place, "hotel": Hotel, "group": Place}


def _make_rows(
    kind: NameKind, owner: Owned, spoken: Sequence[tuple[str, Way]], cities: dict[str, CityWords]
) -> Iterator[dict[str, Any]]:
    owner_id, city, names = owner
    words = cities.get(city or "", CityWords()) if kind != "city" else CityWords()
    known = {"kind": kind, "id": owner_id, "city": city}
    keys = make_keys([*names, *spoken], words)
    if kind in {"poi", "hotel"}:
        keys.setdefault(fold(owner_id), Way.CORE)
    for key, way in keys.items():
        head, tail = make_halves(key, way)
        yield {"key": key, "way": int(way), "head": head, "tail": tail} | known


async def _read_city_words(session: AsyncSession) -> dict[str, CityWords]:
    rows = await session.execute(select(City.id, City.name, City.name_en))
    return {row.id: CityWords.of(row.name, row.name_en) for row in rows}


async def _read_spoken(
    session: AsyncSession, kind: NameKind, ids: Sequence[str]
) -> dict[str, list[tuple[str, Way]]]:
    columns = select(SpokenName.id, SpokenName.name, SpokenName.use)
    chosen = columns.where(SpokenName.kind == kind, SpokenName.id.in_(ids))
    found: dict[str, list[tuple[str, Way]]] = {}
    for row in await session.execute(chosen.order_by(SpokenName.id, SpokenName.name)):
        way = Way.NAME if row.use == "name" else Way.ALIAS
        found.setdefault(row.id, []).append((row.name, way))
    return found


async def _read_owned(session: AsyncSession, kind: str, ids: Sequence[str]) -> list[Owned]:
    if kind == "area":
        return [(owner, owner.split("/")[0], [(owner.split("/")[1], Way.NAME)]) for owner in ids]
    if kind == "station":
        pairs = [tuple(owner.split("/", 1)) for owner in ids]
        chosen = tuple_(Station.city_id, Station.name).in_(pairs)
        rows = await session.execute(select(Station.city_id, Station.name).where(chosen))
        return [(f"{c}/{name}", c, _name_station(name)) for c, name in rows]
    table = _TABLES[kind]
    city = getattr(table, "city_id", table.id if kind == "city" else None)
    columns = [table.id, table.name, table.name_en, *([] if city is None else [city])]
    found: Sequence[Any] = (
        await session.execute(select(*columns).where(table.id.in_(ids)).order_by(table.id))
    ).all()
    return [(row[0], row[3] if len(row) > 3 else None, _name_row(kind, row)) for row in found]


def _name_station(name: str) -> list[tuple[str, Way]]:
    return [(name, Way.NAME), (f"{name}站", Way.ALIAS), (f"{name}火车站", Way.ALIAS)]


def _name_row(kind: str, row: Any) -> list[tuple[str, Way]]:
    """Own names; a group has none beside its lines, a city its official form too."""
    if kind in _GROUP_SITE:
        return []
    names = [(row[1], Way.NAME), (row[2], Way.NAME)]
    if kind == "city":
        names += [(f"{row[1]}{end}", Way.ALIAS) for end in ("市", "县", "区", "省")]
        names += [(f"{row[2]} City", Way.ALIAS), (row[0], Way.ALIAS)]
    if kind == "tag":
        names.append((row[0], Way.ALIAS))
    return names
