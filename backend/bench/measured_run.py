"""One run of the quality bench in numbers, read from what it delivered and from its log."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.bench.profit import bound_profit, rate_visits
from backend.pool.snapshot import Snapshot
from backend.results.tokens import count_tokens
from backend.results.values import write_json
from backend.runs.run_log import Step

SPANS = {
    "visit": ("arrive", "leave"),
    "transfer": ("depart", "arrive"),
    "meal": ("start", "end"),
    "fixed": ("start", "end"),
}
EXPLAINING = frozenset({"MUST_SEE_CLOSED", "MUST_SEE_NO_FIT"})


@dataclass(frozen=True)
class MeasuredRun:
    """`errors` are codes; `tokens` are those of calls and outcomes, as a model would read them.

    `cpu_seconds` do not depend on what else the machine does; the database's are not in them.
    """

    request: Mapping[str, Any]
    status: str
    errors: tuple[str, ...]
    is_explained: bool
    is_relaxed: bool
    must_sees: int
    must_sees_kept: int
    must_sees_explained: int
    profit: float
    bound: float
    visits: int
    days: int
    transit_minutes: int
    busy_minutes: int
    tokens: int
    calls: int
    seconds: float
    cpu_seconds: float

    @property
    def is_delivered(self) -> bool:
        """A plan for the request as it stands."""
        return self.status == "succeeded"

    @property
    def is_fault(self) -> bool:
        """Neither a sound plan nor an explanation."""
        return not self.is_explained and (not self.is_delivered or bool(self.errors))

    def describe(self) -> str:
        """What went wrong, with the request that shows it."""
        asked = json.dumps(dict(self.request), ensure_ascii=False)
        return f"{self.status} {', '.join(self.errors)}: {asked}"


def measure_run(
    raw: Mapping[str, Any],
    result: Mapping[str, Any],
    snapshot_text: str | None,
    steps: Sequence[Step],
    seconds: tuple[float, float],
) -> MeasuredRun:
    """The numbers of a run that has ended; `seconds` by the clock, and of this process."""
    snapshot = Snapshot.model_validate_json(snapshot_text) if snapshot_text else None
    days = (result["itinerary"] or {"days": []})["days"]
    items = [item for day in days for item in day["items"]]
    visited = {item["poi_id"] for item in items if item.get("poi_id")}
    known = [poi_id for poi_id in visited if snapshot and snapshot.poi(poi_id)]
    wanted = result["request"]["must_see"]
    missing = [poi_id for poi_id in wanted if poi_id not in visited]
    is_infeasible = result["status"] == "infeasible"
    return MeasuredRun(
        request=raw,
        status=result["status"],
        errors=tuple(v["code"] for v in result["violations"] if v["severity"] == "error"),
        is_explained=is_infeasible and bool(result["clash"]),
        is_relaxed=is_infeasible and result["relaxation"] is not None,
        must_sees=len(wanted),
        must_sees_kept=len(wanted) - len(missing),
        must_sees_explained=min(len(missing), _count_explained(result)),
        profit=rate_visits(snapshot, known) if snapshot else 0.0,
        bound=bound_profit(snapshot) if snapshot else 0.0,
        visits=sum(bool(item.get("poi_id")) for item in items),
        days=len(days),
        transit_minutes=_sum_minutes(item for item in items if item["kind"] == "transfer"),
        busy_minutes=_sum_minutes(items),
        tokens=sum(map(count_tokens, _list_texts(steps))),
        calls=result["usage"]["tool_calls"],
        seconds=seconds[0],
        cpu_seconds=seconds[1],
    )


def _count_explained(result: Mapping[str, Any]) -> int:
    if result["status"] == "infeasible":
        return len(result["request"]["must_see"])
    return sum(violation["code"] in EXPLAINING for violation in result["violations"])


def _sum_minutes(items: Iterable[Mapping[str, Any]]) -> int:
    total = dt.timedelta()
    for item in items:
        if item["kind"] in SPANS:
            start, end = (dt.datetime.fromisoformat(item[key]) for key in SPANS[item["kind"]])
            total += end - start
    return total // dt.timedelta(minutes=1)


def _list_texts(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        if step.kind == "tool_called":
            yield step.payload["call"]["arguments"]
            yield write_json(step.payload["outcome"]["content"])
