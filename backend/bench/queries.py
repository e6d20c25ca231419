"""A throw-away database full of made-up places, loaded in bulk and dropped at the end.

Indexes are made after the load and foreign keys not at all: a million checks would tell nothing
about reading.

Made-up places in PostgreSQL's copy format: the same for the same size, spread by fixed strides.

Neighbouring rows lie in different cities, as they do in a catalogue that grew over time.

Requests drawn by a seed from what the catalogue holds: the n-th is the same whatever is asked after it.
"""

import datetime as dt
import secrets
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection, Index, Table, inspect, make_url, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from backend.catalogue.importers.catalogue_csv import make_mask
from backend.catalogue.queries import SCHEDULES, TABLES
from backend.catalogue.tables import CatalogueState, City, Place, Tag
from backend.db.session import make_engine
from backend.errors import ConfigurationError
from backend.pool.queries import RANK_PLACES

TAGS = tuple(f"tag{n:02d}" for n in range(48))
HOURS = (
    ("", ""),
    ("24/7", ""),
    ("Mo-Su 09:00-17:00", ""),
    ("Tu-Su 09:00-17:00", ""),
    ("Tu-Su 08:30-17:00; PH 08:30-17:00", ""),
    ("Mo-Fr 10:00-18:00", ""),
    ("Fr-Mo 10:00-16:00", ""),
    ("Sa,Su 09:00-21:00", ""),
    ("Mo-Su 17:00-02:00", ""),
    ("We off; Mo,Tu,Th-Su 09:00-17:00", ""),
    ("Mo-Su 09:00-17:00", "11-15/03-31"),
    ("", "04-01/06-30"),
)
_TYPES = ("museum", "park", "temple", "historic_site", "market", "viewpoint")
_NULL = "\\N"


def name_city(n: int) -> str:
    """Id of a city, counted from 0."""
    return f"bench-city-{n:03d}"


def name_place(n: int) -> str:
    """Id of a place, counted from 0; it lies in the city `n` modulo their number."""
    return f"bench-{n:07d}"


def make_cities(count: int) -> list[dict[str, Any]]:
    """Rows for `city`."""
    return [
        {
            "id": name_city(n),
            "name": f"测试城市 {n:03d}",
            "name_en": f"Bench city {n:03d}",
            "country": "CN",
            "lat": 30 + n % 10,
            "lon": 105 + n % 15,
            "timezone": "Asia/Shanghai",
            "modes": ["walk", "taxi"],
        }
        for n in range(count)
    ]


def make_tags() -> list[dict[str, Any]]:
    """Rows for `tag`."""
    return [{"id": tag, "name": tag, "name_en": tag, "bit": n} for n, tag in enumerate(TAGS)]


def make_lines(count: int, cities: int, schedules: list[int]) -> Iterator[str]:
    """Lines for `place`; `schedules` are the ids of `HOURS`, in that order."""
    tag_cells = [_make_tag_cells(n) for n in range(997)]
    for n in range(count):
        city, turn = n % cities, n // cities
        mixed = (turn * 7919 + city * 104729) % 1_000_003
        price = _NULL if mixed % 23 == 0 else str(mixed % 401)
        popularity = _NULL if mixed % 29 == 0 else str(mixed // 7 % 1001 / 10)
        enabled = "f" if mixed % 53 == 0 else "t"
        yield (
            f"{name_place(n)}\t{name_city(city)}\t测试地点 {n:07d}\tBench place {n:07d}\t"
            f"{_TYPES[mixed % 6]}\t区 {mixed % 9}\t{price}\t{30 + mixed % 8 * 30}\t{popularity}\t"
            f"{tag_cells[mixed % 997]}\t{30 + mixed % 500 / 1000}\t{105 + mixed % 700 / 1000}\t"
            f"{schedules[mixed % len(schedules)]}\t{_NULL}\t为规模测试而编造的地点，并不存在。\t"
            f"{enabled}\tsynthetic\tnone\t0\n"
        )


def _make_tag_cells(n: int) -> str:
    own = tuple(dict.fromkeys(TAGS[n * stride % len(TAGS)] for stride in (1, 5, 11)))
    mask = make_mask(own, {tag: bit for bit, tag in enumerate(TAGS)})
    return f"{{{','.join(own)}}}\t{mask}"


FIRST_DATE = dt.date(2026, 3, 1)
DATES = 300
"""A year without its end: the trains of the seed run on all of these."""

MOST_DAYS, MOST_CITIES, MOST_MUST_SEES = 10, 3, 5
TIERS = ("economy", "comfort", "quality")
PACES = ("standard", "standard", "packed", "relaxed")

DAY_BUDGET = {"economy": 350, "comfort": 600, "quality": 1300}
"""What a day costs one traveller, about, with bed and tickets; a trip there and back comes on top."""

TRAVEL_BUDGET = 900
BUDGET_FACTORS = (0.35, 0.7, 1.0, 1.5, 2.5)
"""From a budget that cannot do to one that limits nothing."""


@dataclass(frozen=True)
class KnownPlace:
    """A place that a traveller may have heard of; unknown popularity is 0."""

    id: str
    city: str
    popularity: float


@dataclass(frozen=True)
class Vocabulary:
    """What requests are made of; each in the order of its ids."""

    cities: tuple[str, ...]
    tags: tuple[str, ...]
    places: tuple[KnownPlace, ...]


def draw_requests(vocabulary: Vocabulary, count: int, seed: int) -> list[dict[str, Any]]:
    """Bodies of `POST /v1/itineraries` for the built-in planner."""
    return [_draw(vocabulary, Random(f"{seed} {n}")) for n in range(count)]  # noqa: S311 - a sample


def _draw(vocabulary: Vocabulary, random: Random) -> dict[str, Any]:
    cities = random.sample(vocabulary.cities, random.choice((1, 1, 2, MOST_CITIES)))
    days = random.randint(1, MOST_DAYS)
    tier, travellers = random.choice(TIERS), random.randint(1, 5)
    body = {
        "destinations": [{"city": city} for city in cities],
        "start_date": (FIRST_DATE + dt.timedelta(random.randrange(DATES))).isoformat(),
        "days": days,
        "travellers": travellers,
        "budget_tier": tier,
        "interests": random.sample(vocabulary.tags, random.randint(0, 4)),
        "must_see": _draw_must_sees(vocabulary.places, cities, random),
        "pace": random.choice(PACES),
        "locale": random.choice(("zh-CN", "en")),
        "planner": "builtin",
    }
    if random.random() < 0.8:
        body["origin"] = random.choice([city for city in vocabulary.cities if city not in cities])
    if random.random() < 0.6:
        usual = travellers * (days * DAY_BUDGET[tier] + TRAVEL_BUDGET)
        body["budget_total"] = str(round(usual * random.choice(BUDGET_FACTORS)))
    return body


def _draw_must_sees(places: Sequence[KnownPlace], cities: list[str], random: Random) -> list[str]:
    """Rather what many have heard of."""
    here = [place for place in places if place.city in cities]
    weights = [1 + place.popularity**2 for place in here]
    wanted = random.randint(0, MOST_MUST_SEES)
    chosen = random.choices(here, weights, k=wanted) if here and wanted else []
    return list(dict.fromkeys(place.id for place in chosen))


_COLUMNS = (
    "id, city_id, name, name_en, type, area, price, duration_min, popularity, tags, tag_mask,"
    " lat, lon, schedule_id, last_entry, intro, enabled, source, booking, book_days_ahead"
)
_BLOCK = 5_000


@asynccontextmanager
async def make_database(url: str) -> AsyncIterator[AsyncEngine]:
    """An engine on a new, empty database of the same server, with the catalogue's tables."""
    async with make_empty_database(url) as address:
        engine = make_engine(address)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(_create_tables)
            yield engine
        finally:
            await engine.dispose()


@asynccontextmanager
async def make_empty_database(url: str) -> AsyncIterator[str]:
    """The address of a new database of the same server, which is dropped at the end."""
    name = f"waypool_bench_{secrets.token_hex(4)}"
    identifier = sql.Identifier(name)
    create = sql.SQL("create database {} template template0 encoding 'UTF8'").format(identifier)
    # Rows of a commit that is not on disk yet cannot be marked as visible to all by the vacuum.
    settle = sql.SQL("alter database {} set synchronous_commit = on").format(identifier)
    try:
        await _run(url, create)
        await _run(url, settle)
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise ConfigurationError(f"cannot make a database to measure in: {reason}") from error
    try:
        yield make_url(url).set(database=name).render_as_string(hide_password=False)
    finally:
        await _run(url, sql.SQL("drop database {} with (force)").format(identifier))


async def load_catalogue(engine: AsyncEngine, places: int, cities: int) -> float:
    """Fill the database; gives the seconds it took."""
    start = time.perf_counter()
    place = TABLES["pois"]
    async with engine.begin() as connection:
        await connection.execute(TABLES["cities"].insert(), make_cities(cities))
        await connection.execute(TABLES["tags"].insert(), make_tags())
        schedules = [await _add_schedule(connection, *pair) for pair in HOURS]
        await connection.run_sync(_strip, place)
        lines = make_lines(places, cities, schedules)
        await _copy(connection, f"copy place ({_COLUMNS}) from stdin", lines)
        await connection.run_sync(_index, place)
    autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
    async with autocommit.connect() as connection:
        await connection.execute(text("vacuum (analyze)"))
    return time.perf_counter() - start


async def change_places(engine: AsyncEngine, city: str, share: int) -> None:
    """Write to every `share`-th place of a city, so that its index entries are doubled."""
    statement = (
        "update place set popularity = coalesce(popularity, 0) + 0.1"
        " where city_id = :city and abs(hashtext(id)) % :share = 0"
    )
    async with engine.begin() as connection:
        await connection.execute(text(statement), {"city": city, "share": share})


async def read_vocabulary(session: AsyncSession) -> Vocabulary:
    """Cities, tags and enabled places of the catalogue, by id."""
    cities = await session.scalars(select(City.id).order_by(City.id))
    tags = await session.scalars(select(Tag.id).order_by(Tag.id))
    columns = select(Place.id, Place.city_id, Place.popularity).order_by(Place.id)
    rows = await session.execute(columns.where(Place.enabled, ~Place.is_synthetic))
    return Vocabulary(
        tuple(cities),
        tuple(tags),
        tuple(KnownPlace(row.id, row.city_id, row.popularity or 0.0) for row in rows),
    )


async def rank_bare(session: AsyncSession, binds: dict[str, Any]) -> tuple[str, ...]:
    """Ids of the first places of a city by the one statement that ranks them."""
    return tuple((await session.scalars(RANK_PLACES, binds)).all())


async def explain_ranking(session: AsyncSession, binds: dict[str, Any]) -> dict[str, Any]:
    """How the server reads a city to rank it: node, index, and rows it had to look at."""
    connection = await session.connection()
    compiled = RANK_PLACES.compile(dialect=connection.dialect)
    explain = f"explain (analyze, format json) {compiled}"
    found = await connection.exec_driver_sql(explain, dict(compiled.construct_params(binds)))
    node = found.scalar_one()[0]["Plan"]
    while "Plans" in node:
        node = node["Plans"][0]
    return {
        "node": node["Node Type"],
        "index": node.get("Index Name"),
        "heap_fetches": node.get("Heap Fetches"),
    }


async def _add_schedule(connection: AsyncConnection, hours: str, season: str) -> int:
    row = SCHEDULES.insert().values(opening_hours=hours, closed_season=season)
    return int((await connection.execute(row.returning(SCHEDULES.c.id))).scalar_one())


def _create_tables(connection: Connection) -> None:
    state = CatalogueState.metadata.tables[CatalogueState.__tablename__]
    tables = [*TABLES.values(), SCHEDULES, state]
    CatalogueState.metadata.create_all(connection, tables=tables)


def _strip(connection: Connection, table: Table) -> None:
    for key in inspect(connection).get_foreign_keys(table.name):
        name = connection.dialect.identifier_preparer.quote(str(key["name"]))
        connection.execute(text(f"alter table {table.name} drop constraint {name}"))
    for index in table.indexes:
        index.drop(connection)


def _index(connection: Connection, table: Table) -> None:
    for index in sorted(table.indexes, key=_name):
        index.create(connection)


def _name(index: Index) -> str:
    return str(index.name)


async def _copy(connection: AsyncConnection, statement: str, lines: Iterator[str]) -> None:
    raw = await connection.get_raw_connection()
    driver = raw.driver_connection
    assert isinstance(driver, psycopg.AsyncConnection)
    async with driver.cursor() as cursor, cursor.copy(statement.encode()) as copy:
        while block := "".join(islice(lines, _BLOCK)):
            await copy.write(block)


async def _run(url: str, statement: sql.Composed) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(statement)
