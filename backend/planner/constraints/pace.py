"""A day holds no more than the traveller's pace."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import TransferItem
from backend.planner.pace import MAX_BUSY_MIN, MAX_VISITS


def find(context: CheckContext) -> Iterator[Finding]:
    """Days with too many visits, or too many hours of visiting and getting about."""
    pace = context.snapshot.request.pace
    for day in range(1, len(context.itinerary.days) + 1):
        visits = [v for v in context.visits if v.day == day and not v.is_meal]
        busy = sum(v.leave - v.arrive for v in visits) + _add_ways(context, day)
        is_long = len(visits) > 1 and busy > MAX_BUSY_MIN[pace]
        if len(visits) > MAX_VISITS[pace] or is_long:
            hours = f"{busy / 60:.1f}"
            values = {"day": day, "visits": len(visits), "hours": hours, "most": MAX_VISITS[pace]}
            yield Finding(day, None, values)


def _add_ways(context: CheckContext, day: int) -> int:
    items = context.itinerary.days[day - 1].items
    ways = (item.arrive - item.depart for item in items if isinstance(item, TransferItem))
    return sum(int(way.total_seconds()) // 60 for way in ways)


PACE = Constraint(
    "PACE",
    "warning",
    {
        "zh-CN": "第 {day} 天有 {visits} 处、共 {hours} 小时，超出所选节奏（每天最多 {most} 处）。",
        "en": "Day {day} has {visits} visits and {hours} hours on the go, "
        "more than the chosen pace ({most} visits).",
    },
    find,
    fix={"zh-CN": "请把一处移到别的日子。", "en": "Move a visit to another day."},
)
