"""Plans a changed request by the built-in planner with the real tools; nothing of it is recorded.

Tools that an admin has switched off work here: what is asked is whether the trip can be done.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.loop import Watch, run_agent
from backend.agent.replies import MemoryRecorder
from backend.planner.days.meals import MAX_VISITS
from backend.planner.plan.draft import Draft
from backend.planner.search.arrange import arrange
from backend.planner.search.wishing import list_asked
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import CityPool, Snapshot
from backend.runs.life.verdict import UNSEEN, Findings, check_plan
from backend.tools.context import ToolLimit
from backend.tools.runner import ToolRunner

CHOICE = 2
"""Places to choose from for one that is visited."""


@dataclass(frozen=True)
class Trial:
    """A plan for a changed request."""

    snapshot: Snapshot
    draft: Draft
    findings: Findings

    @property
    def total(self) -> Decimal:
        """What the plan costs."""
        return self.findings.itinerary.costs.total


async def plan_trip(snapshot: Snapshot) -> Trial:
    """The best plan that the built-in planner finds."""
    watch = Watch(lambda: 0.0, _never)
    tools = ToolRunner(snapshot, _read_no_limits)
    result = await run_agent(snapshot, BuiltinPlanner(), tools, MemoryRecorder(), watch)
    draft = result.state.draft
    return Trial(snapshot, draft, check_plan(snapshot, draft))


async def fill(snapshot: Snapshot, draft: Draft) -> Trial:
    """Must-sees, the places of a draft and then the best of the pool, with its trains and hotels."""
    pois = [*snapshot.must_see, *draft.poi_ids, *_list_best(snapshot)]
    arranged = await asyncio.to_thread(arrange, snapshot, draft, pois)
    return judge_draft(snapshot, arranged.draft)


def _list_best(snapshot: Snapshot) -> Iterator[str]:
    """Twice as many as the days can take."""
    for pool in snapshot.cities.values():
        yield from pool.pois[: (pool.nights + 1) * MAX_VISITS[snapshot.request.pace] * CHOICE]


def judge_draft(snapshot: Snapshot, draft: Draft) -> Trial:
    """A draft that stands already, held against another request.

    Days without a visit are filled later, as far as there is money: that is asked for later too.
    """
    findings = check_plan(snapshot, draft)
    later = {"EMPTY_DAY"}
    is_unseen = any(clash.violation.code == UNSEEN for clash in findings.clashes)
    if is_unseen and snapshot.request.budget_total is not None:
        free = judge_draft(with_budget(snapshot, None), draft).findings.clashes
        later |= {UNSEEN} - {clash.violation.code for clash in free}
    clashes = tuple(c for c in findings.clashes if c.violation.code not in later)
    return Trial(snapshot, draft, replace(findings, clashes=clashes))


def with_request(snapshot: Snapshot, request: PlanRequest) -> Snapshot:
    """The same pool for a request of the same dates and cities."""
    return snapshot.model_copy(update={"request": request})


def with_budget(snapshot: Snapshot, budget: Decimal | None) -> Snapshot:
    """The same request with another budget."""
    return with_request(snapshot, snapshot.request.model_copy(update={"budget_total": budget}))


def keep_must_sees(snapshot: Snapshot) -> Snapshot:
    """The pool without places that nobody asks for: planned in a fraction of the time."""
    must = frozenset((*snapshot.must_see, *list_asked(snapshot)))
    cities = {city: _cut(pool, must) for city, pool in snapshot.cities.items()}
    return snapshot.model_copy(update={"cities": cities})


def _cut(pool: CityPool, must: frozenset[str]) -> CityPool:
    kept = tuple(poi_id for poi_id in pool.pois if poi_id in must)
    return pool.model_copy(update={"pois": kept, "must_see_added": kept})


async def _never() -> bool:
    return False


async def _read_no_limits() -> Mapping[str, ToolLimit]:
    return MappingProxyType({})
