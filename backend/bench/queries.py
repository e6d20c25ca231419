"""A throw-away database full of made-up places, loaded in bulk and dropped at the end.

Indexes are made after the load and foreign keys not at all: a million checks would tell nothing
about reading.
"""

import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection, Index, Table, inspect, make_url, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession

from backend.bench.quality_requests import KnownPlace, Vocabulary
from backend.bench.synthetic_city import HOURS, make_cities, make_lines, make_tags
from backend.catalogue.queries import SCHEDULES, TABLES
from backend.catalogue.tables import CatalogueState, City, Place, Tag
from backend.db.session import make_engine
from backend.errors import ConfigurationError
from backend.pool.queries import RANK_PLACES

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
