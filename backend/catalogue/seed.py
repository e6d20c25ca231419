"""Loads the seed catalogue that comes with Waypool; loading it again changes nothing.

Makes up places for tests with large catalogues; their ids and names show that they are not real.

Tidies the catalogue's tables after an import or a seed that changed much.
"""

from collections.abc import Iterator
from typing import Any

from backend.catalogue.importers.catalogue_csv import ImportReport, import_catalogue, make_mask
from backend.catalogue.importers.import_batch import Written, upsert_rows
from backend.catalogue.name_index import index_names
from backend.catalogue.queries import (
    SCHEDULES,
    TABLES,
    lock_state,
    raise_version,
    read_cities,
    read_schedule_ids,
    read_tags,
)
from backend.catalogue.tables import (
    City,
    Hotel,
    NameKey,
    Place,
    Schedule,
    SpokenName,
    Station,
    Train,
)
from backend.db.session import Engine, Session, vacuum
from backend.errors import ConflictError
from backend.settings import find_data


async def seed_catalogue(session: Session) -> ImportReport:
    """Import `seed_data/` as any other folder."""
    return await import_catalogue(session, find_data("seed_data"))


BATCH = 20_000
_HOURS = ("", "24/7", "09:00-17:00", "Tu-Su 09:00-17:00", "Mo-Fr 10:00-18:00", "Sa,Su 09:00-21:00")
_TYPES = ("museum", "park", "temple", "historic_site", "market", "viewpoint")
_GOLDEN = 0.618033988749895


async def add_synthetic_places(session: Session, count: int) -> Written:
    """Add places `syn-0000001` … `syn-<count>`, dealt out over the cities; the same every time."""
    await lock_state(session)
    cities = await read_cities(session)
    if not cities:
        raise ConflictError("no city to put synthetic places in; run 'waypool db seed' first")
    bits = {tag.id: tag.bit for tag in await read_tags(session)}
    texts = [{"opening_hours": hours, "closed_season": ""} for hours in _HOURS]
    await upsert_rows(session, SCHEDULES, texts)
    schedules = await read_schedule_ids(session, [(hours, "") for hours in _HOURS])
    written = Written()
    for start in range(0, count, BATCH):
        numbers = range(start + 1, min(start + BATCH, count) + 1)
        rows = list(_make_rows(numbers, cities, bits, [schedules[hours, ""] for hours in _HOURS]))
        part = await upsert_rows(session, TABLES["pois"], rows)
        if part.added or part.changed:
            await index_names(session, "poi", (row["id"] for row in rows))
        written += part
    if written.added or written.changed:
        await raise_version(session)
    return written


def _make_rows(
    numbers: range, cities: list[City], bits: dict[str, int], schedules: list[int]
) -> Iterator[dict[str, Any]]:
    tags = sorted(bits)
    for n in numbers:
        city = cities[n % len(cities)]
        spread = n * _GOLDEN % 1, n * _GOLDEN * _GOLDEN % 1  # low-discrepancy, no random numbers
        own = tuple(dict.fromkeys(tags[(n * k) % len(tags)] for k in (1, 3, 7))) if tags else ()
        yield {
            "id": f"syn-{n:07d}",
            "city_id": city.id,
            "name": f"合成地点 {n:07d}",
            "name_en": f"Synthetic place {n:07d}",
            "type": _TYPES[n % len(_TYPES)],
            "area": f"合成区 {n % 9}",
            "price": None if n % 17 == 0 else str(n * 7 % 400),
            "duration_min": 30 + n % 8 * 30,
            "popularity": n % 101,
            "tags": own,
            "tag_mask": make_mask(own, bits),
            "lat": round(city.lat + (spread[0] - 0.5) * 0.4, 5),
            "lon": round(city.lon + (spread[1] - 0.5) * 0.4, 5),
            "schedule_id": schedules[n % len(schedules)],
            "last_entry": None,
            "intro": "为规模测试而编造的地点，并不存在。",
            "enabled": True,
            "source": "synthetic",
            "booking": "none",
            "book_days_ahead": 0,
            "as_of": None,
        }


WORTH_IT = 500
"""Changed rows from which on it is done; for fewer, PostgreSQL's autovacuum comes soon enough."""

_TABLES = tuple(
    table.__tablename__ for table in (Place, Schedule, Hotel, Station, Train, SpokenName, NameKey)
)


async def tidy_catalogue(engine: Engine, written: Written) -> None:
    """After the commit of what was written."""
    if written.added + written.changed >= WORTH_IT:
        await vacuum(engine, _TABLES)
