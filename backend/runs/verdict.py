"""How a run ends: sound, impossible as asked, failed, or cancelled."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from backend.agent.limits import StopReason
from backend.money import format_money
from backend.planner.itinerary import Violation
from backend.pool.snapshot import Snapshot
from backend.runs.ending import DeadlineError
from backend.runs.lifecycle import RunStatus
from backend.runs.result import Findings
from backend.runs.stages import Stage
from backend.text import Locale

_RAISE_BUDGET: dict[Locale, str] = {
    "en": "Raise the budget by {value} {currency}.",
    "zh-CN": "把预算提高{value} {currency}。",
}
_LEAVE_OUT: dict[Locale, str] = {
    "en": "Leave out {value}.",
    "zh-CN": "放弃{value}。",
}
_SHORT = frozenset(
    {
        StopReason.MAX_TURNS,
        StopReason.MAX_TOKENS,
        StopReason.MAX_TOOL_CALLS,
        StopReason.MAX_SECONDS,
        StopReason.CONTEXT_BUDGET,
        StopReason.MODEL_FAILED,
    }
)


Cut = Literal["cancelled", "deadline"]
"""What ended a run's planning from outside."""


@dataclass(frozen=True)
class Verdict:
    """The final status; `clash` and `relaxation` stand with infeasible, `error` with failed."""

    status: RunStatus
    clash: list[dict[str, Any]] | None = None
    relaxation: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


def judge(snapshot: Snapshot, last: Stage | None, findings: Findings, cut: Cut | None) -> Verdict:
    """The end of a run whose last planner has stopped, or was cut off, with the plan as found."""
    if cut == "cancelled":
        return Verdict("cancelled")
    if not findings.errors:
        return Verdict("succeeded")
    if cut == "deadline":
        error = DeadlineError("the deadline passed before the plan was sound")
        return Verdict("failed", error={"code": error.code, "message": error.message})
    stop = last.stop if last else None
    if last is not None and (last.planner != "builtin" or stop in _SHORT):
        code = (last.error or stop or "STOPPED").upper()
        message = f"the planner stopped ({stop}) before the plan was sound"
        return Verdict("failed", error={"code": code, "message": message})
    excess = _measure_excess(snapshot, findings)
    clash = [_show_clash(violation, excess) for violation in findings.errors]
    return Verdict("infeasible", clash, _find_relaxation(snapshot, findings, excess))


def _measure_excess(snapshot: Snapshot, findings: Findings) -> Decimal | None:
    budget = snapshot.request.budget_total
    total = findings.itinerary.costs.total
    return total - budget if budget is not None and total > budget else None


def _show_clash(violation: Violation, excess: Decimal | None) -> dict[str, Any]:
    is_budget = violation.code == "OVER_BUDGET" and excess is not None
    amount = format_money(excess) if is_budget and excess is not None else None
    return {"code": violation.code, "amount": amount, "message": violation.message}


def _find_relaxation(
    snapshot: Snapshot, findings: Findings, excess: Decimal | None
) -> dict[str, Any] | None:
    locale = snapshot.request.locale
    codes = {violation.code for violation in findings.errors}
    if codes == {"OVER_BUDGET"} and excess is not None:
        value = format_money(excess)
        text = _RAISE_BUDGET[locale].format(value=value, currency=snapshot.currency)
        return {"kind": "raise_budget", "value": value, "message": text}
    if codes == {"MUST_SEE_MISSING"}:
        chosen = {
            getattr(item, "poi_id", None) for day in findings.itinerary.days for item in day.items
        }
        missing = [poi for poi in snapshot.request.must_see if poi not in chosen]
        names = "、".join(snapshot.rows.pois[poi].name for poi in missing)
        text = _LEAVE_OUT[locale].format(value=names)
        return {"kind": "leave_out", "value": missing, "message": text}
    return None
