"""The service beside what the oracle covers: moving catalogues, many trains, collations, plans."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from sqlalchemy import event, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.catalogue.queries import raise_version
from backend.db.migrate import upgrade
from backend.db.session import make_engine, transaction
from backend.errors import UnavailableError
from backend.params.registry import ParamValue, default_values
from backend.pool.build import describe_warning
from backend.pool.candidate import PoiCandidate, TrainCandidate
from backend.pool.rebuild import find_differences, rebuild
from backend.pool.rules import Entry
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from tests.database import run_sql
from tests.factories import make_hotel, make_poi, make_request, make_train
from tests.pg15 import start_pg15
from tests.pool.memory_catalogue import MemoryCatalogue
from tests.row_makers import CITIES

pytestmark = pytest.mark.sql

_NEWER = ("POOL_KNOWN_SIZE", "POOL_FOOD_SIZE")


def make_catalogue(
    pois: list[PoiCandidate] | None = None, trains: list[TrainCandidate] | None = None
) -> MemoryCatalogue:
    return MemoryCatalogue(
        cities=CITIES,
        tags=("history", "museum"),
        pois=tuple(Entry(row) for row in pois or [make_poi("p")]),
        hotels=(Entry(make_hotel("h")),),
        trains=tuple(Entry(row) for row in trains or []),
    )


async def write(engine: AsyncEngine, catalogue: MemoryCatalogue) -> None:
    async with transaction(engine) as session:
        await catalogue.write(session)


async def build(
    engine: AsyncEngine, params: dict[str, Any] | None = None, **request: Any
) -> Snapshot:
    values: dict[str, ParamValue] = default_values() | (params or {})
    wanted = make_request(("beijing",), **request)
    async with transaction(engine) as session:
        return await CandidatePoolService(session).build(wanted, values)


def change_while_ranking(engine: AsyncEngine, url: str, times: int) -> None:
    """Let others commit to the catalogue whenever a pool is about to rank places, `times` times."""
    left = iter(range(times))

    def meddle(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "ORDER BY matches DESC" in statement and next(left, None) is not None:
            with psycopg.connect(url) as other:
                other.execute("update place set popularity = popularity + 1")
                other.execute("update catalogue_state set version = version + 1")

    event.listen(engine.sync_engine, "before_cursor_execute", meddle)


async def test_a_pool_is_of_one_version_though_others_commit_meanwhile(
    engine: AsyncEngine, database_url: str
) -> None:
    await write(engine, make_catalogue([make_poi("p", popularity=1.0)]))
    change_while_ranking(engine, database_url, times=2)
    snapshot = await build(engine)
    assert snapshot.catalogue.version == 3
    assert snapshot.rows.pois["p"].popularity == 3.0


async def test_a_catalogue_that_never_rests_is_said_to(
    engine: AsyncEngine, database_url: str
) -> None:
    await write(engine, make_catalogue())
    change_while_ranking(engine, database_url, times=1000)
    with pytest.raises(UnavailableError, match="being changed"):
        await build(engine)


async def test_an_empty_catalogue_of_trains_and_hotels_gives_empty_lists(
    engine: AsyncEngine,
) -> None:
    await write(engine, make_catalogue())
    snapshot = await build(engine, origin="xian", budget_tier="quality")
    pool = snapshot.cities["beijing"]
    assert (pool.pois, pool.hotels, pool.hotels_widened) == (("p",), ("h",), True)
    assert [(leg.trains, leg.direct, leg.connections) for leg in snapshot.legs] == [
        ((), False, ())
    ] * 2
    codes = {warning.code for warning in snapshot.warnings}
    assert codes == {"POOL_THIN", "LEG_NOT_COVERED"}
    assert all(describe_warning(snapshot, w, "en") for w in snapshot.warnings)


def make_trains(count: int) -> list[TrainCandidate]:
    return [
        make_train(
            f"G{n:03d}",
            ("shanghai", "A", f"{5 + n // 20:02d}:{n % 20 * 3:02d}"),
            ("beijing", "B", "23:59"),
        )
        for n in range(count)
    ]


async def test_a_leg_keeps_two_hundred_trains_and_spreads_over_all(engine: AsyncEngine) -> None:
    await write(engine, make_catalogue(trains=make_trains(250)))
    snapshot = await build(engine, {"POOL_TRAIN_SIZE": 4})
    leg = snapshot.legs[0]
    assert len(leg.trains) + len(leg.reserve) == 200
    assert leg.rejected["spread"] == 246
    assert leg.trains[-1] > "g180"  # the last quarter of the day is among them
    assert find_differences(snapshot) == []
    assert rebuild(snapshot, {"AGENT_MAX_TURNS": 5}).legs[0] == leg


async def test_the_catalogues_version_and_rows_stand_beside_the_hash(engine: AsyncEngine) -> None:
    await write(engine, make_catalogue())
    before = await build(engine)
    async with transaction(engine) as session:
        await raise_version(session)
    after = await build(engine)
    assert (before.catalogue.version, after.catalogue.version) == (1, 2)
    assert before.catalogue.rows == {"poi": 1, "hotel": 1, "train": 0}
    assert before.sha256 == after.sha256


async def test_the_parameters_of_an_older_run_still_build_its_pool(engine: AsyncEngine) -> None:
    """As a recheck does: newer parameters are absent there, and their rules do not apply."""
    await write(engine, make_catalogue([make_poi(f"p{n}", popularity=n) for n in range(5)]))
    older = {k: v for k, v in default_values().items() if k not in _NEWER}
    same = default_values() | {"POOL_KNOWN_SIZE": 0, "POOL_FOOD_SIZE": 500}
    async with transaction(engine) as session:
        service = CandidatePoolService(session)
        old, new = [await service.build(make_request(), params) for params in (older, same)]
    assert old.cities == new.cities
    assert not set(_NEWER) & set(old.params)


async def test_unknown_words_to_avoid_or_like_do_no_harm(engine: AsyncEngine) -> None:
    await write(engine, make_catalogue([make_poi("p", price=Decimal(0))]))
    snapshot = await build(engine, avoid=("nothing",), interests=("nobody",))
    assert snapshot.cities["beijing"].pois == ("p",)
    assert [tag.id for tag in snapshot.tags] == ["history"]


@pytest.mark.pg15  # our own server knows no other order than that of code points
async def test_order_is_by_code_point_whatever_the_databases_collation() -> None:
    ids = ["b", "B", "a_", "a-", "a.", "é", "京", "A1", "a1"]
    with start_pg15() as server, _make_icu_database(server) as url:
        await asyncio.to_thread(upgrade, url)
        engine = make_engine(url)
        try:
            await write(engine, make_catalogue([make_poi(poi_id) for poi_id in ids]))
            assert await list_by_locale(engine) != sorted(ids)
            assert list((await build(engine)).cities["beijing"].pois) == sorted(ids)
        finally:
            await engine.dispose()


async def list_by_locale(engine: AsyncEngine) -> list[str]:
    async with transaction(engine) as session:
        query = text('select id from place order by id collate "default"')
        return list(await session.scalars(query))


@contextmanager
def _make_icu_database(server_url: str) -> Iterator[str]:
    options = "template template0 encoding 'UTF8' locale_provider icu icu_locale 'en-US'"
    run_sql(server_url, f"create database linguistic {options}")
    yield make_url(server_url).set(database="linguistic").render_as_string(hide_password=False)


async def test_fares_by_age_are_read_where_ages_are_known(engine: AsyncEngine) -> None:
    await write(engine, make_catalogue())
    async with transaction(engine) as session:
        await session.execute(
            text(
                "insert into fare (country, kind, who, age_from, age_to, share, source) values"
                " ('CN', 'sight', 'child', 6, 17, 0.5, 'modelled'),"
                " ('CN', 'sight', 'student', 18, null, 0.5, 'modelled'),"
                " ('GB', 'sight', 'child', 0, 15, 0.5, 'modelled')"
            )
        )
    family = await build(engine, travellers=2, children=(7,))
    assert [(rule.country, rule.who, rule.age_to) for rule in family.fares] == [("CN", "child", 17)]
    assert family.pay("sight", "beijing", Decimal(60)).cost == Decimal(90)
    assert "ADULT_FARES" not in {warning.code for warning in family.warnings}
    assert not find_differences(family)
    assert (await build(engine, travellers=2)).fares == ()
