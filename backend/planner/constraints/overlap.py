"""Items with times follow one another: none begins before an earlier one is over."""

import datetime as dt
from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import Severity
from backend.planner.timed import Timed, list_timed


def find(context: CheckContext) -> Iterator[Finding]:
    """Each item that begins before one listed before it is over; days run into each other too.

    A way is compared only with its neighbours: it comes with the item that it leads to. The order
    of trains has a rule of its own.
    """
    before: Timed | None = None
    latest: Timed | None = None
    for timed in list_timed(context.itinerary):
        other = _find_later(before, None if timed.is_way else latest)
        is_order = other is not None and other.is_train and timed.is_train
        if other is not None and timed.start < other.end and not is_order:
            values = {"name": timed.name, "other": other.name, "until": f"{other.end:%H:%M}"}
            minutes = (other.end - timed.start) // dt.timedelta(minutes=1)
            yield Finding(timed.day, timed.item, values, _rate(other, timed), minutes)
        before = timed
        latest = latest if timed.is_way else _find_later(latest, timed)


def _find_later(one: Timed | None, other: Timed | None) -> Timed | None:
    """Which of the two ends later; the first where both do."""
    spans = [timed for timed in (one, other) if timed is not None]
    return max(spans, key=lambda timed: timed.end, default=None)


def _rate(before: Timed, after: Timed) -> Severity:
    """Only a warning where a booking clashes with another one or with the way to it.

    Bookings cannot be moved, so no other plan would be better.
    """
    is_own = after.is_fixed and (before.is_fixed or before.is_way)
    return "warning" if is_own else "error"


OVERLAP = Constraint(
    "OVERLAP",
    "error",
    {
        "zh-CN": "“{name}”与“{other}”（到 {until}）时间重叠。",
        "en": "“{name}” begins before “{other}” ends at {until}.",
    },
    find,
    fix={"zh-CN": "请放到 {until} 之后。", "en": "Begin after {until}."},
)
