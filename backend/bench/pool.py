"""How long the pool takes in a large catalogue, beside the bare statement that ranks one city.

All are measured in turn within one run, so that they meet the same machine.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.bench.queries import (
    TAGS,
    change_places,
    explain_ranking,
    load_catalogue,
    make_database,
    name_city,
    name_place,
    rank_bare,
)
from backend.bench.timing import Stopwatch
from backend.db.session import Session, transaction
from backend.params.registry import ParamValue, default_values
from backend.pool.candidate import PoiCandidate
from backend.pool.city_search import find_closed, judge_counts, search_places
from backend.pool.findings import CityAsk, PlaceFindings, PoolLimits, ask_city, read_limits
from backend.pool.plan_request import PlanRequest
from backend.pool.queries import Wanted, bind_ranking, count_places, read_wanted
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import REJECTIONS, Snapshot
from backend.pool.stay import plan_stays

RUNS = 60
WARM_UP = 10  # after five executions psycopg has the server prepare a statement
CHANGED_SHARE = 10  # every tenth place of the city is written to, and no vacuum follows
PARAMS: Mapping[str, ParamValue] = default_values() | {"POOL_ALLOW_SYNTHETIC": True}


@dataclass(frozen=True)
class CityBench:
    """What is measured for one request to one city; the reserve is left out of `search`."""

    request: PlanRequest
    limits: PoolLimits

    @property
    def city(self) -> str:
        """The one destination."""
        return self.request.destinations[0].city

    def ask(self, reserve_size: int = 0) -> CityAsk:
        """The question, with a reserve of this size."""
        limits = PoolLimits(**{**vars(self.limits), "reserve_size": reserve_size})
        return ask_city(self.request, plan_stays(self.request)[0], frozenset(), limits)

    async def want(self, session: Session) -> Wanted:
        """Tags as bits: once a request, whatever the number of cities."""
        cap, synthetic = self.limits.price_cap, self.limits.allow_synthetic
        words = self.request.interests, self.request.avoid
        return await read_wanted(session, *words, cap, with_synthetic=synthetic)

    async def search(
        self, session: Session, wanted: Wanted, reserve_size: int = 0
    ) -> tuple[PlaceFindings, dict[str, PoiCandidate]]:
        """Counts by reason and the full rows of the first 60, and of the reserve if asked for."""
        return await search_places(session, self.ask(reserve_size), wanted)

    async def bind(self, session: Session, wanted: Wanted) -> dict[str, Any]:
        """Parameters of the bare statement: what `search` finds out on the way to it."""
        counts = await count_places(session, self.city, wanted, self.request.must_see_ids)
        closed = find_closed(judge_counts(counts, self.ask()))
        return bind_ranking(self.city, wanted, closed, self.ask().limits)

    async def build(self, session: Session) -> Snapshot:
        """The whole snapshot."""
        return await CandidatePoolService(session).build(self.request, PARAMS)


async def run_pool_bench(url: str, places: int, cities: int, runs: int = RUNS) -> dict[str, Any]:
    """Load, measure, drop; the report as JSON values, times in milliseconds."""
    async with make_database(url) as engine:
        load_seconds = await load_catalogue(engine, places, cities)
        bench, watch = make_bench(places, cities), Stopwatch(WARM_UP)
        async with transaction(engine) as session:
            snapshot = await _measure(session, bench, watch, runs)
            plan = await _explain(session, bench)
        await change_places(engine, bench.city, CHANGED_SHARE)
        async with transaction(engine) as session:
            await _measure_after_writes(session, bench, watch, runs)
            plan_after = await _explain(session, bench)
    pool = snapshot.cities[bench.city]
    return {
        "places": places,
        "cities": cities,
        "city": {
            "id": bench.city,
            "places": len(pool.pois) + sum(pool.rejected.values()),
            "pool": len(pool.pois),
            "rejected": {reason: pool.rejected[reason] for reason in REJECTIONS},
        },
        "runs": runs,
        "milliseconds": {name: watch.summarise(name) for name in watch.samples},
        "plan": plan,
        "plan_after_writes": plan_after,
        "load_seconds": round(load_seconds, 1),
    }


def make_bench(places: int, cities: int) -> CityBench:
    """A request in which every rule has something to do."""
    at = cities // 2
    request = PlanRequest.model_validate(
        {
            "destinations": [{"city": name_city(at), "nights": 1}],
            "start_date": dt.date(2026, 5, 11),
            "days": 2,
            "travellers": 2,
            "rooms": 1,
            "budget_tier": "economy",
            "interests": TAGS[:3],
            "must_see": [name_place(at), name_place(at + cities * (places // cities - 1))],
            "avoid": [TAGS[-1]],
        }
    )
    return CityBench(request, read_limits(PARAMS, request.budget_tier))


async def _measure(session: Session, bench: CityBench, watch: Stopwatch, runs: int) -> Snapshot:
    wanted = await bench.want(session)
    binds = await bench.bind(session, wanted)
    reserve = bench.limits.reserve_size
    for _ in range(WARM_UP + runs):
        found, _ = await watch.time("pool", lambda: bench.search(session, wanted))
        bare = await watch.time("bare_top", lambda: rank_bare(session, binds))
        if bare != found.ranking:
            raise AssertionError("the bare statement ranks other places")
        await watch.time("with_reserve", lambda: bench.search(session, wanted, reserve))
        snapshot = await watch.time("build", lambda: bench.build(session))
        watch.time_now("hash", snapshot.sealed)
    return snapshot


async def _measure_after_writes(
    session: Session, bench: CityBench, watch: Stopwatch, runs: int
) -> None:
    wanted = await bench.want(session)
    for _ in range(WARM_UP + runs):
        await watch.time("after_writes", lambda: bench.search(session, wanted))


async def _explain(session: Session, bench: CityBench) -> dict[str, Any]:
    return await explain_ranking(session, await bench.bind(session, await bench.want(session)))


def describe_report(report: Mapping[str, Any]) -> Sequence[str]:
    """The report as lines."""
    city, times = report["city"], report["milliseconds"]
    rejected = ", ".join(f"{count} {reason}" for reason, count in city["rejected"].items())
    labels = {
        "pool": f"counts by reason and the first {PARAMS['POOL_POI_SIZE']} full rows",
        "bare_top": f"the bare top-{PARAMS['POOL_POI_SIZE']} statement (ids)",
        "with_reserve": f"the same with the reserve: {PARAMS['POOL_RESERVE_SIZE']} rows more",
        "hash": "canonical JSON and SHA-256 of the snapshot",
        "build": "the whole service: pool, reserve, rows around them, hash",
        "after_writes": f"counts and rows after every {CHANGED_SHARE}th place was written to",
    }
    return [
        f"{report['places']:,} synthetic places in {report['cities']} cities,"
        f" loaded in {report['load_seconds']} s",
        f"{city['id']}: {city['places']} places; rejected: {rejected}; pool: {city['pool']}",
        *(_describe_time(labels[name], times[name]) for name in labels),
        f"plan: {_describe_plan(report['plan'])}",
        f"plan after writes: {_describe_plan(report['plan_after_writes'])}",
    ]


def _describe_time(label: str, time: Mapping[str, float]) -> str:
    return (
        f"{time['p50']:8.2f} ms median, {time['p95']:8.2f} p95, {time['least']:8.2f} least: {label}"
    )


def _describe_plan(plan: Mapping[str, Any]) -> str:
    return f"{plan['node']} on {plan['index']}, {plan['heap_fetches']} heap fetches"
