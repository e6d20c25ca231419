"""How a language model does the job: turns, invalid calls, tokens, seconds, and what came of it.

The same loop, tools and fallback as in a run, in memory: what is measured is the model.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from typing import Any

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.ledger import Ledger, StopReason
from backend.agent.llm import LlmClient
from backend.agent.loop import AgentResult, Watch, hand_over, run_agent
from backend.agent.replies import MemoryRecorder
from backend.clock import read_utc
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from backend.runs.life.verdict import check_plan
from backend.tools.context import ToolLimit
from backend.tools.runner import ToolRunner

OpenModel = Callable[[], AbstractAsyncContextManager[LlmClient]]


@dataclass(frozen=True)
class LoopRun:
    """One trip: the model's part, and the plan that came of it, by fallback if need be."""

    stop: str
    error: str | None
    turns: int
    tool_calls: int
    invalid_calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    context_tokens: int
    seconds: float
    planner_used: str
    is_sound: bool

    @property
    def reason(self) -> str | None:
        """Why the built-in planner had to take over; None where the model was done."""
        return None if self.planner_used == "openai" else (self.error or self.stop)

    def as_json(self) -> dict[str, Any]:
        """All figures."""
        return asdict(self) | {"seconds": round(self.seconds, 3)}


async def measure_loop(snapshot: Snapshot, open_model: OpenModel) -> LoopRun:
    """Let the model plan the trip, and the built-in planner go on where it stops short."""
    recorder, ledger, began = MemoryRecorder(), Ledger(), time.perf_counter()
    watch = Watch(time.monotonic, _never, ledger)
    async with open_model() as llm:
        result = await run_agent(snapshot, llm, _open_tools(snapshot), recorder, watch)
    seconds, draft = time.perf_counter() - began, result.state.draft
    is_done = result.stop is StopReason.SUBMITTED
    if not is_done:
        draft = await _fall_back(snapshot, result)
    return LoopRun(
        stop=str(result.stop),
        error=result.error.code if result.error else None,
        turns=result.turns,
        tool_calls=result.state.calls,
        invalid_calls=sum(outcome.is_error for outcome in recorder.outcomes.values()),
        input_tokens=result.usage.input_tokens,
        cached_tokens=result.usage.cached_tokens,
        output_tokens=result.usage.output_tokens,
        context_tokens=ledger.total.tokens,
        seconds=seconds,
        planner_used="openai" if is_done else "builtin",
        is_sound=not check_plan(snapshot, draft, read_utc()).errors,
    )


async def _fall_back(snapshot: Snapshot, result: AgentResult) -> Draft:
    start, watch = hand_over(result.state), Watch(time.monotonic, _never)
    tools, recorder = _open_tools(snapshot), MemoryRecorder()
    end = await run_agent(snapshot, BuiltinPlanner(), tools, recorder, watch, start)
    return end.state.draft


def _open_tools(snapshot: Snapshot) -> ToolRunner:
    return ToolRunner(snapshot, _read_no_limits)


async def _read_no_limits() -> Mapping[str, ToolLimit]:
    return {}


async def _never() -> bool:
    return False


def describe_loop(report: Mapping[str, Any]) -> list[str]:
    """The report's lines, one for each run of each model."""
    head = f"{'model':<20}{'turns':>6}{'calls':>6}{'wrong':>6}{'in':>9}{'cached':>9}{'out':>7}"
    lines = [f"{head}{'context':>9}{'seconds':>9}  end"]
    for item in report["items"]:
        end = "submitted" if item["planner_used"] == "openai" else f"built-in after {_why(item)}"
        sound = "" if item["is_sound"] else ", not sound"
        lines.append(
            f"{item['model']:<20}{item['turns']:>6}{item['tool_calls']:>6}{item['invalid_calls']:>6}"
            f"{item['input_tokens']:>9}{item['cached_tokens']:>9}{item['output_tokens']:>7}"
            f"{item['context_tokens']:>9}{item['seconds']:>9.2f}  {end}{sound}"
        )
    return lines


def _why(item: Mapping[str, Any]) -> str:
    return str(item["error"] or item["stop"])
