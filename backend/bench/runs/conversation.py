"""What every loop in the comparison does: nine questions, eight calls of list tools, pages of some KB."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from backend.agent.prompt import write_opening
from backend.agent.replies import dump_json
from backend.bench.runs.script import Call, Script
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from backend.tools.call import ToolCall
from backend.tools.context import RunState
from backend.tools.limits import ToolLimit
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
