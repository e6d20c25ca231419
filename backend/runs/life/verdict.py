"""How a run ends: sound, impossible as asked, failed, or cancelled.

A plan as it stands, checked: what it breaks, and what of that makes the request impossible.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from backend.agent.ledger import StopReason
from backend.clock import read_utc
from backend.money import format_money
from backend.planner.check.context import Breach
from backend.planner.check.validator import measure
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Itinerary, Violation, Where
from backend.pool.build import describe_warning, list_warnings
from backend.pool.snapshot import Snapshot
from backend.runs.life.ending import DeadlineError
from backend.runs.log.lifecycle import RunStatus, explain_stop
from backend.runs.log.run_log import Stage
from backend.runs.log.steps import Clash, RunError

OWN_CODES = frozenset({"LEG_NOT_COVERED", "MUST_SEE_CLOSED"})
"""Warnings of the pool that the validator gives too, there with their place in the plan."""

TELLING = frozenset({"LEG_MISSED", "LEG_ORDER", "LEG_TOO_SHORT", "TRAVEL_TIME"})

UNSEEN = "NO_VISIT"

VAIN_WISHES = frozenset({"MUST_SEE_NO_FIT", UNSEEN, "RESERVATION_PASSED", "OVERLAP", "TRAVEL_TIME"})
"""Warnings to whoever plans, since no edit mends them: the request asks for what cannot be."""


@dataclass(frozen=True)
class Findings:
    """A plan as it stands, checked; `clashes` are the errors and the wishes that are in vain."""

    itinerary: Itinerary
    violations: tuple[Violation, ...]
    clashes: tuple[Breach, ...]

    @property
    def errors(self) -> list[Violation]:
        """What keeps the plan from being sound."""
        return [v for v in self.violations if v.severity == "error"]

    def as_impossible(self) -> tuple[Violation, ...]:
        """All violations, each clash as an error."""
        vain = {breach.violation for breach in self.clashes}
        return tuple(_raise(v) if v in vain else v for v in self.violations)


def _raise(violation: Violation) -> Violation:
    return violation.model_copy(update={"severity": "error"})


def check_plan(snapshot: Snapshot, draft: Draft, now: dt.datetime | None = None) -> Findings:
    """The itinerary of a draft, its violations, and the pool's warnings, as of `now`, among them."""
    itinerary = build_itinerary(snapshot, draft)
    warnings = _show_pool_warnings(snapshot, now or read_utc())
    breaches = measure(snapshot, draft, itinerary)
    return Findings(
        itinerary=itinerary,
        violations=(*(breach.violation for breach in breaches), *warnings),
        clashes=tuple(_list_clashes(breaches)),
    )


def _list_clashes(breaches: Sequence[Breach]) -> Iterator[Breach]:
    """An overlap is told only where nothing else says of that day what does not go together.

    A day without a visit only where nothing else is wrong: else it comes of that.
    """
    clashes = [breach for breach in breaches if _is_clash(breach.violation)]
    told = {b.violation.where.day for b in clashes if b.violation.code in TELLING}
    others = [breach for breach in clashes if breach.violation.code != "EMPTY_DAY"]
    for breach in others or clashes:
        if breach.violation.code != "OVERLAP" or breach.violation.where.day not in told:
            yield breach


def _is_clash(violation: Violation) -> bool:
    return violation.severity == "error" or violation.code in VAIN_WISHES


def _show_pool_warnings(snapshot: Snapshot, now: dt.datetime) -> Iterable[Violation]:
    for warning in list_warnings(snapshot, now):
        is_origin = warning.code == "LEG_NOT_COVERED" and warning.leg is None
        if is_origin or warning.code not in OWN_CODES:
            text = describe_warning(snapshot, warning, snapshot.request.locale)
            yield Violation(code=warning.code, severity="warning", where=Where(), message=text)


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
    clash: tuple[Clash, ...] | None = None
    error: RunError | None = None


EMPTY_PLAN = "EMPTY_PLAN"


def is_empty_plan(snapshot: Snapshot, draft: Draft) -> bool:
    """Whether days without a visit, for which there are places, are what keeps a plan from being sound."""
    errors = check_plan(snapshot, draft).errors
    empty = [error for error in errors if error.code == "EMPTY_DAY"]
    return bool(empty) and (len(empty) == len(errors) or not draft.poi_ids)


def judge(last: Stage | None, findings: Findings, cut: Cut | None) -> Verdict:
    """The end of a run whose last planner has stopped, or was cut off, with the plan as found."""
    if cut == "cancelled":
        return Verdict("cancelled")
    if not findings.clashes:
        return Verdict("succeeded")
    if cut == "deadline" and findings.errors:
        error = DeadlineError("the deadline passed before the plan was sound")
        return Verdict("failed", error=RunError(code=error.code, message=error.message))
    stop = last.stop if last else None
    if findings.errors and last is not None and (last.planner != "builtin" or stop in _SHORT):
        code = (last.error or stop or "STOPPED").upper()
        return Verdict("failed", error=RunError(code=code, message=explain_stop(stop, last.error)))
    return Verdict("infeasible", tuple(map(show_clash, findings.clashes)))


def show_clash(breach: Breach) -> Clash:
    """The delivered shape; the figure is money with two places, else whole minutes."""
    amount = breach.amount
    shown = format_money(amount) if isinstance(amount, Decimal) else amount
    return Clash(
        code=breach.violation.code,
        amount=None if shown is None else str(shown),
        message=breach.violation.message,
        wish=breach.violation.where.wish,
    )
