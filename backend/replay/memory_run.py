"""A run without a database: planned in memory, and given as the export that a stored run would give.

The results behind handles as an export holds them, asked without a database.
"""

import datetime as dt
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.agent.ledger import Ledger
from backend.agent.llm import LlmClient
from backend.agent.loop import Tools, Watch, run_agent
from backend.agent.replies import dump_json
from backend.clock import read_utc
from backend.errors import ToolError
from backend.ids import make_id
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport, make_export
from backend.results.asking import answer
from backend.results.document import Document
from backend.results.handle import ResultError, refuse_expired, refuse_handle, refuse_state
from backend.results.run_results import make_plain_json
from backend.results.values import parse_json
from backend.runs.log.durable import DurableRecorder
from backend.runs.log.run_log import StepItem, describe_stop, read_stages, read_start
from backend.runs.log.steps import (
    THIS_WAYPOOL,
    Conditions,
    Mark,
    PlannerChosen,
    PlannerName,
    RevisionBegun,
    RunFinished,
    Step,
    StepPayload,
    ToolCalled,
    read_payload,
    select_payloads,
)
from backend.runs.work.conclusion import conclude
from backend.text import Locale
from backend.tools.context import ToolLimit
from backend.tools.queries import select_changed
from backend.tools.runner import ToolRunner
from backend.tools.source_tools import NotRecordedError, ToldSources

_HANDLE = re.compile(r"\bres_[0-9a-z]{26}\b")

STATES = {
    "RESULT_EXPIRED": "expired",
    "RESULT_PENDING": "pending",
    "RESULT_FAILED": "failed",
    "NO_SUCH_HANDLE": "unknown",
}


class MemoryResults:
    """Answers questions about recorded results; `met` is the state that the next question meets."""

    def __init__(self, results: Mapping[str, Mapping[str, Any]], locale: Locale) -> None:
        self._results, self._locale = results, locale
        self.met: str | None = None

    def has(self, handle: str) -> bool:
        """Whether the content is at hand."""
        return (self._results.get(handle) or {}).get("content") is not None

    def pick(self, steps: Sequence[Step]) -> dict[str, Any]:
        """What an export of these steps holds of them."""
        return {h: dict(self._results[h]) for h in list_handles(steps) if h in self._results}

    async def put(self, content: Any, tool: str, filters: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing new can be stored in a recording."""
        raise NotRecordedError(f"{tool} gave a large result that was not recorded")

    async def ask(self, handle: str, path: str | None, query: Any) -> dict[str, Any]:
        """The answer as the run's own store gave it."""
        try:
            return self._answer(handle, path, query)
        except ResultError as error:
            raise error.say(self._locale) from None

    def _answer(self, handle: str, path: str | None, query: Any) -> dict[str, Any]:
        entry = self._results.get(handle)
        state = self.met or ("unknown" if entry is None else entry["state"])
        if state != "ready":
            raise _refuse(state)
        content = None if entry is None else entry["content"]
        if content is None:
            raise NotRecordedError(f"the content of {handle} is not in the recording")
        packed, _ = answer(Document.of(parse_json(content)), path, query, self._locale)
        return {key: make_plain_json(value) for key, value in packed.items()}


def list_handles(steps: Sequence[Step]) -> Iterator[str]:
    """The handles that a log speaks of, each once."""
    texts = (dump_json(called.as_json()) for called in select_payloads(steps, ToolCalled))
    yield from dict.fromkeys(handle for text in texts for handle in _HANDLE.findall(text))


def _refuse(state: str) -> ToolError:
    if state == "unknown":
        return refuse_handle()
    if state == "expired":
        return refuse_expired()
    return refuse_state("pending" if state == "pending" else "failed")


@dataclass(frozen=True)
class Setting:
    """What a run in memory is made with; `limits` are asked for at every call.

    `wrap` goes around the tools, `read_mark` says of the last outcome whether the original had it;
    `begun` is what a revision begins with.
    """

    planner: PlannerName = "builtin"
    limits: Callable[[], Mapping[str, ToolLimit]] = dict
    parent_run_id: str | None = None
    results: MemoryResults | None = None
    sources: ToldSources | None = None
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], dt.datetime] = read_utc
    wrap: Callable[[ToolRunner], Tools] = lambda runner: runner
    read_mark: Callable[[], Mark | None] = lambda: None
    begun: RevisionBegun | None = None


class MemoryLog:
    """A run log in memory; what it keeps is JSON, as in the database."""

    def __init__(self, now: Callable[[], dt.datetime]) -> None:
        self.steps: list[Step] = []
        self._now = now

    async def append(self, payload: StepPayload) -> None:
        """One more step."""
        kept = read_payload(payload.kind, json.loads(dump_json(payload.as_json())))
        self.steps.append(Step(len(self.steps) + 1, kept, self._now()))

    def show(self) -> Sequence[dict[str, Any]]:
        """The steps as an export holds them."""
        return [StepItem.of(step).as_json() for step in self.steps]


async def plan_in_memory(snapshot: Snapshot, llm: LlmClient, setting: Setting) -> RunExport:
    """Plan over a snapshot to the end; the result is verified as any export."""
    log = MemoryLog(setting.now)
    began = setting.now()
    limits: dict[str, ToolLimit] = {}

    async def read_limits() -> Mapping[str, ToolLimit]:
        limits.update(setting.limits())
        return limits

    def read_conditions() -> Conditions:
        return Conditions(select_changed(limits), setting.read_mark(), runner.take_new_sources())

    async def should_stop() -> bool:
        return False

    if setting.begun is not None:
        await log.append(setting.begun)
    await log.append(PlannerChosen(planner=setting.planner))
    recorder = DurableRecorder(log, setting.planner, (), read_conditions=read_conditions)
    kept = setting.results or MemoryResults({}, snapshot.request.locale)
    runner = ToolRunner(snapshot, read_limits, kept, setting.sources)
    tools = setting.wrap(runner)
    watch = Watch(setting.clock, should_stop, Ledger() if setting.planner == "openai" else None)
    ended = await run_agent(snapshot, llm, tools, recorder, watch, read_start(log.steps))
    await log.append(describe_stop(setting.planner, ended))
    finished = setting.now()
    end = conclude(snapshot, read_stages(log.steps), finished, None)
    verdict = end.verdict
    await log.append(RunFinished(status=verdict.status, error=verdict.error, made_by=THIS_WAYPOOL))
    run = {
        "id": make_id("run"),
        "status": end.verdict.status,
        "planner": setting.planner,
        "locale": snapshot.request.locale,
        "catalogue_version": snapshot.catalogue.version,
        "parent_run_id": setting.parent_run_id,
        "overrides": None,
        "created_at": began.isoformat(),
        "started_at": began.isoformat(),
        "finished_at": finished.isoformat(),
    }
    result = json.loads(dump_json(end.result))
    results = kept.pick(log.steps)
    return make_export(run, json.loads(snapshot.as_text()), log.show(), results, result)
