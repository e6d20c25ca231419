"""What the double says: a conversation of eight turns to a sound plan, which the built-in planner finds."""

import time
from collections.abc import Sequence
from typing import Any

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.loop import Watch, run_agent
from backend.agent.recorder import MemoryRecorder
from backend.agent.replies import make_call
from backend.bench.runs.double import Call, Script
from backend.db.session import Engine, transaction
from backend.params.queries import read_params
from backend.planner.draft import Draft
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.tools.context import RunState
from backend.tools.limits import ToolLimit
from backend.tools.runner import ToolRunner

TURNS = 8
REQUEST: dict[str, Any] = {
    "origin": "上海",
    "destinations": [{"city": "北京"}],
    "start_date": "2026-12-11",
    "days": 3,
    "travellers": 2,
    "budget_tier": "comfort",
    "interests": ["history", "food"],
    "must_see": ["故宫博物院"],
    "planner": "openai",
}


async def write_script(engine: Engine) -> Script:
    """Lists, choices, then the places of the plan day by day; tried out before it is given away.

    Each place is put by itself: `arrange` would make the bench one of the solver.
    """
    snapshot = await build_snapshot(engine)
    draft = await _plan(snapshot)
    city = snapshot.request.destinations[0].city
    legs = (0, 1)
    script: list[list[Call]] = [
        [("list_pois", {"city": city})],
        [("list_hotels", {"city": city})],
        [("list_trains", {"leg": leg}) for leg in legs],
        [("choose_train", {"leg": leg, "train_ids": list(draft.trains[leg])}) for leg in legs],
        [("choose_hotel", {"city": city, "hotel_id": draft.hotels[city]})],
        _put_visits(draft, (1,)),
        _put_visits(draft, (2, 3)),
        [("submit_itinerary", {})],
    ]
    await _try_out(snapshot, script)
    return script


def _put_visits(draft: Draft, days: Sequence[int]) -> list[Call]:
    visits = [(day, visit) for day in days for visit in draft.visits_on(day)]
    return [("put_visit", {"day": day, "poi_id": visit.poi_id}) for day, visit in visits]


async def build_snapshot(engine: Engine) -> Snapshot:
    """The pool of the request, as every run of the bench freezes it."""
    async with transaction(engine) as session:
        params = await read_params(session)
        request = await resolve_request(session, REQUEST, params)
        return await CandidatePoolService(session).build(request, params)


async def read_no_limits() -> dict[str, ToolLimit]:
    """The code's own limits."""
    return {}


async def _never() -> bool:
    return False


async def _plan(snapshot: Snapshot) -> Draft:
    watch = Watch(time.monotonic, _never)
    tools = ToolRunner(snapshot, read_no_limits)
    result = await run_agent(snapshot, BuiltinPlanner(), tools, MemoryRecorder(), watch)
    return result.state.draft


async def _try_out(snapshot: Snapshot, script: Script) -> None:
    tools, state = ToolRunner(snapshot, read_no_limits), RunState()
    for calls in script:
        for name, arguments in calls:
            outcome = await tools.run(make_call(name, **arguments), state)
            if outcome.is_error:
                raise AssertionError(f"{name}: {outcome.content}")
            state = state.after(outcome)
    if not state.is_submitted or len(script) != TURNS:
        raise AssertionError("the script does not lead to a plan in eight turns")
