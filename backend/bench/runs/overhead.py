"""What a turn costs beside the model's time: Waypool's, a bare loop's, and those of frameworks.

All hold the same conversation with the same double, tools and rows, in turn, so that they meet the
same machine. Waypool's turns are timed from the choice of its planner to the ninth reply's row.

What every loop in the comparison does: nine questions, eight calls of list tools, pages of some KB.
"""

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import psycopg

from backend.agent.prompt import write_opening
from backend.agent.replies import dump_json
from backend.bench.checkout import find_part
from backend.bench.runs.script import REQUEST, Call, Script, build_snapshot
from backend.bench.runs.site import TENANT, Demand, Report, Site, open_site
from backend.bootstrap import make_planners, make_store
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from backend.runs.life.commands import start_run
from backend.runs.log.run_log import read_steps
from backend.runs.work.workflow import Means, advance_run, open_means
from backend.settings import read_settings
from backend.tools.call import ToolCall
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner

QUESTIONS = 9
MODEL = "double"
_ARGUMENTS: Sequence[dict[str, Any]] = (
    {},
    {"tags": ["history"]},
    {"tags": ["food"]},
    {"max_price": 100},
    {"max_price": 60},
    {"tags": ["museum"]},
    {"tags": ["park"]},
    {"unseen_only": True},
)


def write_lists(city: str) -> Script:
    """Eight turns with a page each; then the double has nothing to say but words."""
    calls: list[Call] = [("list_pois", {"city": city, **more}) for more in _ARGUMENTS]
    return [[call] for call in calls]


@dataclass
class Desk:
    """The tools of one conversation, as any loop may call them: arguments in, text out."""

    runner: ToolRunner
    state: RunState = field(default_factory=RunState)

    async def call(self, name: str, arguments: str, call_id: str) -> str:
        """What the model reads."""
        call = ToolCall(id=call_id, name=name, arguments=arguments)
        outcome = await self.runner.run(call, self.state)
        self.state = self.state.after(outcome)
        return dump_json(outcome.content)


@dataclass(frozen=True)
class Conversation:
    """What a loop begins with: instructions, the request in words, and the tools' schemas."""

    snapshot: Snapshot
    instructions: str
    request: str
    tools: tuple[dict[str, Any], ...]

    def sit_down(self) -> Desk:
        """Tools for one more conversation."""
        return Desk(ToolRunner(self.snapshot, _read_no_limits))


async def open_conversation(snapshot: Snapshot) -> Conversation:
    """The same opening and tools as a run's."""
    system, user = write_opening(snapshot, Draft())
    offered = await ToolRunner(snapshot, _read_no_limits).offered()
    return Conversation(
        snapshot, system.content, user.content, tuple(tool.model_dump() for tool in offered)
    )


async def _read_no_limits() -> dict[str, ToolLimit]:
    return {}


Converse = Callable[[], Awaitable[None]]
"""Hold the conversation once, from its opening to the last reply."""

MAKE_TABLE = (
    "create table if not exists bench_row (id bigserial primary key, payload json not null)"
)


@dataclass(frozen=True)
class Setup:
    """`model` is the double's address, `rows` where to commit, None: nowhere."""

    conversation: Conversation
    model: str
    database: str
    rows: psycopg.AsyncConnection | None

    async def commit(self, payload: str) -> None:
        """One row, on disk before this returns."""
        if self.rows is not None:
            await self.rows.execute("insert into bench_row (payload) values (%s)", [payload])


OpenLoop = Callable[[Setup], AbstractAsyncContextManager[Converse]]


MOST_OF_BARE = 1.25
WARM_UP = 2
OWN, BARE = "waypool", "bare loop"
_LOOPS: tuple[tuple[str, str], ...] = (
    (BARE, "bare"),
    ("openai-agents", "openai_agents"),
    ("pydantic-ai", "pydantic_agents"),
    ("langgraph", "graphs"),
)
"""Name of each loop and its file in `tests/bench/loops`; all but the first need the extra `bench`."""

_FREE = " without rows"


async def measure_overhead(conversations: int, url: str | None = None) -> Report:
    """Hold so many conversations by each means; milliseconds a turn, medians of conversations."""
    async with open_site(0.0, url) as site, AsyncExitStack() as stack:
        snapshot = await build_snapshot(site.engine)
        city = snapshot.request.destinations[0].city
        model = site.fleet.start_double(write_lists(city), 0.0)
        conversation = await open_conversation(snapshot)
        rows = await stack.enter_async_context(
            await psycopg.AsyncConnection.connect(site.url, autocommit=True)
        )
        await rows.execute(MAKE_TABLE)
        loops, missing = {}, []
        for name, module in _LOOPS:
            for suffix, kept in (("", rows), (_FREE, None)):
                setup = Setup(conversation, model, site.url, kept)
                converse = await _open(stack, module, setup)
                if converse is None:
                    missing.append(name)
                    break
                loops[name + suffix] = converse
        own = await stack.enter_async_context(_Own(site, model))
        times = await _take_turns(own, loops, conversations)
    return _report(times, missing, conversations)


async def _open(stack: AsyncExitStack, module: str, setup: Setup) -> Converse | None:
    loop = find_part(f"loops.{module}")
    if loop is None:
        return None
    converse: Converse = await stack.enter_async_context(loop.open_loop(setup))
    return converse


async def _take_turns(
    own: "_Own", loops: Mapping[str, Converse], conversations: int
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    for number in range(WARM_UP + conversations):
        taken = {OWN: await own.converse()}
        for name, converse in loops.items():
            began = time.perf_counter()
            await converse()
            taken[name] = time.perf_counter() - began
        for name, seconds in taken.items():
            if number >= WARM_UP:
                times.setdefault(name, []).append(seconds * 1000 / QUESTIONS)
    return times


class _Own:
    """Waypool's own way: runs as a worker carries them, in this process."""

    def __init__(self, site: Site, model: str) -> None:
        settings = read_settings(model=MODEL, openai_base_url=model)
        self._engine = site.engine
        self._planners = make_planners(settings, make_store(settings, site.engine))
        self._stack = AsyncExitStack()
        self._means: Means | None = None

    async def __aenter__(self) -> "_Own":
        self._means = await self._stack.enter_async_context(open_means(self._engine))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def converse(self) -> float:
        """Seconds from the choice of the planner to the ninth reply, as the run log says."""
        run_id = (await start_run(self._engine, None, TENANT, REQUEST)).run_id
        await advance_run(self._engine, self._planners, run_id, means=self._means)
        steps = await read_steps(self._engine, run_id)
        began = next(step.at for step in steps if step.kind == "planner_chosen")
        replies = [step.at for step in steps if step.kind == "model_replied"]
        calls = sum(step.kind == "tool_called" for step in steps)
        if len(replies) < QUESTIONS or calls != QUESTIONS - 1:
            raise AssertionError(f"the run of the bench went another way: {calls} calls")
        return (replies[QUESTIONS - 1] - began).total_seconds()


def _report(times: Mapping[str, list[float]], missing: list[str], conversations: int) -> Report:
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians[OWN] / medians[BARE]
    demands = [
        Demand(f"at most {MOST_OF_BARE} times the bare loop: {ratio:.2f}", ratio <= MOST_OF_BARE)
    ]
    demands += [
        Demand(f"less than {name}", medians[OWN] < medians[name])
        for name, _ in _LOOPS[1:]
        if name in medians
    ]
    demands += [
        Demand(f"less than {name}: left out (it needs a checkout and the extra bench)", None)
        for name in missing
    ]
    lines = [
        f"{value:6.2f} ms a turn: {name}"
        for name, value in sorted(medians.items(), key=lambda m: m[1])
    ]
    figures = {
        "conversations": conversations,
        "turns": QUESTIONS,
        "milliseconds_a_turn": {name: round(value, 2) for name, value in medians.items()},
        "ratio_to_bare": round(ratio, 3),
        "missing": missing,
    }
    return Report("overhead", figures, tuple(demands), tuple(lines))
