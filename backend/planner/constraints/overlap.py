"""Nobody is in two places: timed items of a day follow one another."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import Severity
from backend.planner.timed import Timed, list_timed


def find(context: CheckContext) -> Iterator[Finding]:
    """Each item that begins before one listed before it is over; days run into each other too."""
    latest: Timed | None = None
    for timed in list_timed(context.itinerary):
        if latest is not None and timed.start < latest.end:
            yield Finding(
                timed.day,
                timed.item,
                {"name": timed.name, "other": latest.name, "until": f"{latest.end:%H:%M}"},
                _rate(latest, timed),
            )
        if latest is None or timed.end > latest.end:
            latest = timed


def _rate(before: Timed, after: Timed) -> Severity:
    """Two bookings of the traveller's own: nothing that planning could mend."""
    return "warning" if before.is_fixed and after.is_fixed else "error"


OVERLAP = Constraint(
    "OVERLAP",
    "error",
    {
        "zh-CN": "“{name}”与“{other}”（到 {until}）时间重叠。",
        "en": "“{name}” begins before “{other}” ends at {until}.",
    },
    find,
)
