"""Which of two runs' recorded inputs alone makes their plans differ.

One input of the first run is replaced by the second's, everything else stays, and the plan is made
again. Code counts as an input too: it differs where today's makes another plan of the same inputs.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from backend.agent.builtin_planner import BuiltinPlanner
from backend.errors import CatalogueNeededError, ConflictError, WaypoolError
from backend.pool.rebuild import rebuild
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport
from backend.replay.live import list_held_limits
from backend.replay.memory_run import Setting, plan_in_memory
from backend.replay.playback import play_back
from backend.replay.run_diff import diff_days, diff_values
from backend.runs.log.steps import RevisionBegun
from backend.tools.context import ToolLimit

Effect = Literal["same", "none", "changes", "explains", "unknown"]
"""Equal in both runs; makes no difference; makes one; makes all of it; cannot be told."""

_POOL_FIELDS = frozenset(
    {
        "origin",
        "destinations",
        "start_date",
        "days",
        "budget_tier",
        "interests",
        "must_see",
        "avoid",
    }
    | {"arrival", "departure"}
)

Plan = Mapping[str, Any]


@dataclass(frozen=True)
class Cause:
    """One input and what it alone does to the first run's plan; `days` are those that change."""

    input: str
    effect: Effect
    days: tuple[int, ...] = ()
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "input": self.input,
            "effect": self.effect,
            "days": list(self.days),
            "reason": self.reason,
        }


async def bisect_runs(one: RunExport, other: RunExport) -> list[Cause]:
    """The inputs in turn: code, request, catalogue, each parameter, return limits, replies.

    A `ConflictError` where one is a revision: it goes on from a plan, and all this plans anew.
    """
    for export in (one, other):
        if any(isinstance(step.payload, RevisionBegun) for step in export.steps):
            raise ConflictError(
                f"{export.run['id']} is a revision, which goes on from another run's plan; bisect"
                " compares runs that plan from nothing, 'waypool runs diff' any two"
            )
    return [cause async for cause in _list_causes(one, other)]


async def _list_causes(one: RunExport, other: RunExport) -> AsyncIterator[Cause]:
    bench = _Bench(one, other)
    yield await bench.try_code()
    yield await bench.try_request()
    yield await bench.try_catalogue()
    for key in sorted(diff_values(one.snapshot.params, other.snapshot.params)):
        yield await bench.try_param(key)
    yield await bench.try_limits()
    yield await bench.try_replies()


class _Bench:
    """Plans of today's code over mixtures of the two runs' inputs."""

    def __init__(self, one: RunExport, other: RunExport) -> None:
        self._one, self._other = one, other
        self._base: Plan | None = None
        self._goal: Plan | None = None

    async def try_code(self) -> Cause:
        """Whether today's code still makes the recorded plans of the recorded inputs."""
        self._base, self._goal = await _plan_again(self._one), await _plan_again(self._other)
        days = _list_days(self._one.result, self._base) + _list_days(self._other.result, self._goal)
        if not days:
            return Cause("code", "same")
        return Cause("code", "changes", tuple(sorted(set(days))), "today's code plans otherwise")

    async def try_request(self) -> Cause:
        """The second's request over the first's rows, as far as these can tell."""
        mine, its = self._one.snapshot.request, self._other.snapshot.request
        free = {"planner", "locale"}
        changed = set(diff_values(mine.model_dump(), its.model_dump())) - free
        if not changed:
            return Cause("request", "same")
        if named := sorted(changed & _POOL_FIELDS):
            return Cause("request", "unknown", reason=f"{', '.join(named)}: needs the catalogue")
        mixed = self._one.snapshot.model_copy(update={"request": its}).sealed()
        return await self._judge("request", mixed, reason=", ".join(sorted(changed)))

    async def try_catalogue(self) -> Cause:
        """The second's rows with the first's request and parameters."""
        one, other = self._one.snapshot, self._other.snapshot
        if one.rows == other.rows and one.cities == other.cities and one.legs == other.legs:
            return Cause("catalogue", "same")
        try:
            mixed = rebuild(other, one.params)
        except CatalogueNeededError as error:
            return Cause("catalogue", "unknown", reason=error.message)
        if mixed.cities == one.cities and mixed.rows == one.rows and mixed.legs == one.legs:
            return Cause("catalogue", "same")
        mixed = mixed.model_copy(update={"request": one.request}).sealed()
        return await self._judge("catalogue", mixed)

    async def try_param(self, key: str) -> Cause:
        """One parameter's value out of the second run."""
        old, new = self._one.snapshot.params.get(key), self._other.snapshot.params.get(key)
        try:
            mixed = rebuild(self._one.snapshot, {key: new})
        except CatalogueNeededError as error:
            return Cause(f"param {key}", "unknown", reason=error.message)
        return await self._judge(f"param {key}", mixed, reason=f"{old} → {new}")

    async def try_limits(self) -> Cause:
        """The second's return limits."""
        mine, its = read_last_limits(self._one), read_last_limits(self._other)
        if mine == its:
            return Cause("limits", "same")
        return await self._judge("limits", self._one.snapshot, its)

    async def try_replies(self) -> Cause:
        """The second's model replies, played to the first's pool."""
        planners = [e.result.get("planner_used") for e in (self._one, self._other)]
        if planners == ["builtin", "builtin"]:
            return Cause("replies", "same", reason="both planned by the built-in planner")
        document = {**self._other.document, "snapshot": self._one.document["snapshot"]}
        mixed = RunExport(document)
        try:
            await play_back(mixed, is_compared=False)
        except WaypoolError as error:
            return Cause("replies", "unknown", reason=error.message)
        return self._compare("replies", await _replay_plan(mixed), None)

    async def _judge(
        self,
        name: str,
        snapshot: Snapshot,
        limits: Mapping[str, ToolLimit] | None = None,
        reason: str | None = None,
    ) -> Cause:
        held = read_last_limits(self._one) if limits is None else limits
        return self._compare(name, await _plan(snapshot, held), reason)

    def _compare(self, name: str, plan: Plan, reason: str | None) -> Cause:
        assert self._base is not None
        assert self._goal is not None
        days = tuple(_list_days(self._base, plan))
        if not days:
            return Cause(name, "none", reason=reason)
        effect: Effect = "changes" if _list_days(plan, self._goal) else "explains"
        return Cause(name, effect, days, reason)


def read_last_limits(export: RunExport) -> Mapping[str, ToolLimit]:
    """The limits that held at the run's last call."""
    held = list_held_limits(export.steps)
    return held[-1] if held else {}


async def _plan_again(export: RunExport) -> Plan:
    if export.result.get("planner_used") == "builtin" and len(export.stages) == 1:
        return await _plan(export.snapshot, read_last_limits(export))
    return await _replay_plan(export)


async def _plan(snapshot: Snapshot, limits: Mapping[str, ToolLimit]) -> Plan:
    setting = Setting(limits=lambda: limits)
    return (await plan_in_memory(snapshot, BuiltinPlanner(), setting)).result


async def _replay_plan(export: RunExport) -> Plan:
    """The plan that the recorded replies lead to."""
    seen = await play_back(export, is_compared=False)
    steps = [
        {
            **s,
            "payload": {**s["payload"], "outcome": seen.outcomes[s["seq"]].model_dump(mode="json")},
        }
        if s["seq"] in seen.outcomes
        else s
        for s in export.document["steps"]
    ]
    again = RunExport({**export.document, "steps": steps})
    return again.conclude().result


def _list_days(one: Plan, other: Plan) -> list[int]:
    return [day["day"] for day in diff_days(one, other)]


def write_causes(causes: list[Cause]) -> str:
    """For people."""
    words = {
        "same": "is the same in both",
        "none": "differs, and makes no difference to the plan",
        "changes": "alone changes the plan",
        "explains": "alone makes the difference",
        "unknown": "cannot be told from the exports",
    }
    lines = []
    for cause in causes:
        days = f" (days {', '.join(map(str, cause.days))})" if cause.days else ""
        reason = f": {cause.reason}" if cause.reason else ""
        lines.append(f"{cause.input}: {words[cause.effect]}{days}{reason}")
    return "\n".join(lines)
