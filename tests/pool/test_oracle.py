"""SQL against the pure rules, byte for byte, over random catalogues of awkward rows."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.session import transaction
from backend.errors import CatalogueNeededError
from backend.params.registry import ParamValue, get_number
from backend.pool.findings import count_funnel
from backend.pool.plan_request import PlanRequest
from backend.pool.rebuild import find_differences, rebuild
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from tests.pool.awkward import catalogues, parameters, requests
from tests.pool.memory_catalogue import MemoryCatalogue
from tests.random_inputs import count_examples

pytestmark = pytest.mark.sql

quick = settings(
    max_examples=count_examples(15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


async def build(
    engine: AsyncEngine, request: PlanRequest, params: dict[str, ParamValue]
) -> Snapshot:
    async with transaction(engine) as session:
        return await CandidatePoolService(session).build(request, params)


async def write(engine: AsyncEngine, catalogue: MemoryCatalogue) -> int:
    async with transaction(engine) as session:
        return await catalogue.write(session)


@quick
@given(catalogue=catalogues(), data=st.data())
async def test_sql_and_rules_build_the_same_snapshot(
    engine: AsyncEngine, catalogue: MemoryCatalogue, data: st.DataObject
) -> None:
    version = await write(engine, catalogue)
    for _ in range(4):
        request, params = data.draw(requests(catalogue)), data.draw(parameters())
        built = await build(engine, request, params)
        assert built.as_json() == catalogue.build(request, params, version).as_json()
        check_sums(catalogue, built)
        assert find_differences(built) == []


@quick
@given(catalogue=catalogues(), data=st.data())
async def test_a_rebuilt_snapshot_is_what_the_catalogue_would_give(
    engine: AsyncEngine, catalogue: MemoryCatalogue, data: st.DataObject
) -> None:
    await write(engine, catalogue)
    for _ in range(4):
        request = data.draw(requests(catalogue))
        before, after = data.draw(parameters()), data.draw(parameters())
        after["POOL_RESERVE_SIZE"] = before["POOL_RESERVE_SIZE"]
        snapshot = await build(engine, request, before)
        wanted = await build(engine, request, after)
        try:
            rebuilt = rebuild(snapshot, after)
        except CatalogueNeededError:
            assert is_refusal_due(snapshot, wanted)
            continue
        assert drop_reserve(rebuilt) == drop_reserve(wanted)


def check_sums(catalogue: MemoryCatalogue, snapshot: Snapshot) -> None:
    for city, pool in snapshot.cities.items():
        rows = sum(entry.row.city == city for entry in catalogue.pois)
        assert rows == len(pool.pois) + sum(pool.rejected.values())
        hotels = sum(entry.row.city == city for entry in catalogue.hotels)
        assert hotels == len(pool.hotels) + sum(pool.hotels_rejected.values())
    for leg in snapshot.legs:
        ends = leg.from_city, leg.to_city
        trains = sum((e.row.from_city, e.row.to_city) == ends for e in catalogue.trains)
        assert trains == len(leg.trains) + sum(leg.rejected.values())
    funnel = count_funnel(snapshot)
    assert funnel["poi"].in_cities == sum(e.row.city in snapshot.cities for e in catalogue.pois)
    assert funnel["poi"].catalogue == len(catalogue.pois)


def is_refusal_due(old: Snapshot, new: Snapshot) -> bool:
    """Other rules, or something in the new pool that the old snapshot has no row of or no rank for."""
    stars = f"HOTEL_STARS_{old.request.budget_tier.upper()}"
    rules = "POOL_ALLOW_SYNTHETIC", stars, "POOL_KNOWN_SIZE", "POOL_FOOD_SIZE"
    if any(old.params[key] != new.params[key] for key in rules):
        return True
    size = "POOL_HOTEL_SIZE"
    deeper = get_number(old.params, size) < get_number(new.params, size)
    return any(
        set(pool.pois) - set(pool.must_see_added) - set(old.cities[city].ranking)
        or (deeper and old.cities[city].hotels_rejected.get("rank", 0))
        for city, pool in new.cities.items()
    )


def drop_reserve(snapshot: Snapshot) -> object:
    """All but what a smaller reserve must lack: after growing, less of the ranking is left for it."""
    document = snapshot.as_json()
    del document["sha256"], document["rows"], document["tags"]
    for city in document["cities"].values():
        del city["reserve"]
    return document
