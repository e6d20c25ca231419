"""How a run ends: sound, impossible as asked, failed, or cancelled."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from backend.agent.limits import StopReason
from backend.money import format_money
from backend.planner.constraint import Breach
from backend.runs.ending import DeadlineError
from backend.runs.findings import Findings
from backend.runs.lifecycle import RunStatus
from backend.runs.stages import Stage
from backend.runs.stop_words import explain_stop

_SHORT = frozenset(
    {
        StopReason.MAX_TURNS,
        StopReason.MAX_TOKENS,
        StopReason.MAX_TOOL_CALLS,
        StopReason.MAX_SECONDS,
        StopReason.CONTEXT_BUDGET,
        StopReason.ANSWER_CUT,
        StopReason.MODEL_FAILED,
    }
)


Cut = Literal["cancelled", "deadline"]
"""What ended a run's planning from outside."""


@dataclass(frozen=True)
class Verdict:
    """The final status; `clash` stands with infeasible, `error` with failed."""

    status: RunStatus
    clash: list[dict[str, Any]] | None = None
    error: dict[str, Any] | None = None


def judge(last: Stage | None, findings: Findings, cut: Cut | None) -> Verdict:
    """The end of a run whose last planner has stopped, or was cut off, with the plan as found."""
    if cut == "cancelled":
        return Verdict("cancelled")
    if not findings.clashes:
        return Verdict("succeeded")
    if cut == "deadline" and findings.errors:
        error = DeadlineError("the deadline passed before the plan was sound")
        return Verdict("failed", error={"code": error.code, "message": error.message})
    stop = last.stop if last else None
    if findings.errors and last is not None and (last.planner != "builtin" or stop in _SHORT):
        code = (last.error or stop or "STOPPED").upper()
        return Verdict("failed", error={"code": code, "message": explain_stop(stop, last.error)})
    return Verdict("infeasible", [show_clash(breach) for breach in findings.clashes])


def show_clash(breach: Breach) -> dict[str, Any]:
    """The delivered shape; the figure is money with two places, else whole minutes."""
    amount = breach.amount
    shown = format_money(amount) if isinstance(amount, Decimal) else amount
    return {
        "code": breach.violation.code,
        "amount": None if shown is None else str(shown),
        "message": breach.violation.message,
    }
