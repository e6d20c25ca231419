"""The rows behind each count of the funnel: as many as counted, each dropped by its own rule."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.catalogue.queries import raise_version
from backend.db.session import transaction
from backend.errors import NotFoundError
from backend.params.registry import ParamValue, default_values
from backend.pool.dropped import REASONS, Drop, Dropped, list_dropped
from backend.pool.dropped_queries import View
from backend.pool.plan_request import PlanRequest
from backend.pool.rules import Entry
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Kind, Snapshot
from tests.factories import make_hotel, make_poi, make_request
from tests.pool.awkward import catalogues, parameters, requests
from tests.pool.memory_catalogue import MemoryCatalogue
from tests.random_inputs import count_examples
from tests.row_makers import CITIES

pytestmark = pytest.mark.sql

ALL = View(size=10_000)


async def build(
    engine: AsyncEngine,
    catalogue: MemoryCatalogue,
    request: PlanRequest,
    params: dict[str, ParamValue],
) -> Snapshot:
    async with transaction(engine) as session:
        await catalogue.write(session)
    async with transaction(engine) as session:
        return await CandidatePoolService(session).build(request, params)


async def look(engine: AsyncEngine, snapshot: Snapshot, drop: Drop, view: View = ALL) -> Dropped:
    async with transaction(engine) as session:
        return await list_dropped(session, snapshot, drop, view)


def list_places(snapshot: Snapshot, kind: Kind) -> list[str]:
    if kind == "train":
        return [str(n) for n in range(len(snapshot.legs))]
    return list(snapshot.cities)


def list_kept(snapshot: Snapshot, kind: Kind, place: str) -> tuple[str, ...]:
    if kind == "train":
        return snapshot.legs[int(place)].trains
    pool = snapshot.cities[place]
    return pool.pois if kind == "poi" else pool.hotels


def list_rows(catalogue: MemoryCatalogue, snapshot: Snapshot, kind: Kind, place: str) -> set[str]:
    if kind == "train":
        leg = snapshot.legs[int(place)]
        ends = leg.from_city, leg.to_city
        return {e.row.id for e in catalogue.trains if (e.row.from_city, e.row.to_city) == ends}
    if kind == "poi":
        return {e.row.id for e in catalogue.pois if e.row.city == place}
    return {e.row.id for e in catalogue.hotels if e.row.city == place}


@settings(
    max_examples=count_examples(5),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(catalogue=catalogues(), data=st.data())
async def test_every_row_is_in_the_pool_or_behind_exactly_one_count(
    engine: AsyncEngine, catalogue: MemoryCatalogue, data: st.DataObject
) -> None:
    request, params = data.draw(requests(catalogue)), data.draw(parameters())
    snapshot = await build(engine, catalogue, request, params)
    for kind, reasons in REASONS.items():
        for place in list_places(snapshot, kind):
            found = [*list_kept(snapshot, kind, place)]
            for reason in reasons:
                dropped = await look(engine, snapshot, Drop(kind, reason, place))
                assert dropped.is_exact
                assert dropped.total == dropped.counted == len(dropped.rows), (kind, reason)
                found += [row["id"] for row in dropped.rows]
            assert sorted(found) == sorted(list_rows(catalogue, snapshot, kind, place))


def make_catalogue() -> MemoryCatalogue:
    dear = [make_poi(f"dear-{n}", name=f"贵 {n}", price=Decimal(400 + n)) for n in range(5)]
    odd = make_poi("odd", name="100% <img src=x onerror=alert(1)>", price=Decimal(999))
    pois = [make_poi(f"p{n}", popularity=float(90 - n)) for n in range(8)]
    hotels = [make_hotel(f"h{n}", stars=n) for n in range(1, 6)]
    return MemoryCatalogue(
        cities=CITIES,
        tags=("history", "museum"),
        pois=tuple(Entry(row) for row in (*dear, odd, *pois)),
        hotels=tuple(Entry(row) for row in hotels),
        trains=(),
    )


async def test_a_part_is_searched_sorted_and_paged(engine: AsyncEngine) -> None:
    request = make_request(("beijing",), budget_tier="comfort")
    snapshot = await build(engine, make_catalogue(), request, default_values())
    price = Drop("poi", "price")
    page = await look(engine, snapshot, price, View(order="dearest", offset=1, size=2))
    assert (page.total, [row["id"] for row in page.rows]) == (6, ["dear-4", "dear-3"])
    found = await look(engine, snapshot, price, View("100%"))
    assert [row["id"] for row in found.rows] == ["odd"]
    assert (await look(engine, snapshot, price, View("1__%"))).total == 0  # no wild cards
    stars = await look(engine, snapshot, Drop("hotel", "stars", "beijing"), View(order="name"))
    assert sorted(row["stars"] for row in stars.rows) == [1, 2, 5]


async def test_what_sizes_dropped_comes_from_the_reserve_while_that_holds_it_all(
    engine: AsyncEngine,
) -> None:
    request = make_request(("beijing",), budget_tier="comfort")
    small = default_values() | {"POOL_POI_SIZE": 3}
    snapshot = await build(engine, make_catalogue(), request, small)
    rank = Drop("poi", "rank")
    whole = await look(engine, snapshot, rank)
    assert (whole.source, [row["id"] for row in whole.rows]) == (
        "snapshot",
        ["p3", "p4", "p5", "p6", "p7"],
    )
    part = await look(engine, snapshot, rank, View("P6", "dearest"))
    assert [row["id"] for row in part.rows] == ["p6"]
    cut = await build(engine, make_catalogue(), request, small | {"POOL_RESERVE_SIZE": 2})
    again = await look(engine, cut, rank)
    assert (again.source, again.is_exact) == ("catalogue", True)
    assert [row["id"] for row in again.rows] == [row["id"] for row in whole.rows]


async def test_a_catalogue_that_has_moved_on_is_told(engine: AsyncEngine) -> None:
    request = make_request(("beijing",), budget_tier="comfort")
    catalogue = make_catalogue()
    snapshot = await build(engine, catalogue, request, default_values())
    fewer = replace(catalogue, pois=catalogue.pois[1:])
    async with transaction(engine) as session:
        await fewer.write(session)
        await raise_version(session)
    dropped = await look(engine, snapshot, Drop("poi", "price"))
    assert (dropped.source, dropped.is_exact) == ("catalogue", False)
    assert (dropped.counted, dropped.total) == (6, 5)


@pytest.mark.parametrize(
    "drop", [Drop("poi", "stars"), Drop("poi", "price", "atlantis"), Drop("train", "spread", "9")]
)
async def test_a_count_that_is_none_is_not_found(engine: AsyncEngine, drop: Drop) -> None:
    request = make_request(("beijing",))
    snapshot = await build(engine, make_catalogue(), request, default_values())
    with pytest.raises(NotFoundError):
        await look(engine, snapshot, drop)
