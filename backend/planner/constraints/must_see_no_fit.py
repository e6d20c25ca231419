"""Warns of a must-see place that fits into no day, so it cannot be in the plan."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Must-see places missing for this reason."""
    for poi_id, reason in context.missing_must_sees.items():
        if reason == "no_fit":
            poi = context.snapshot.rows.pois[poi_id]
            yield Finding(values={"name": context.name(poi)}, amount=poi.duration_min)


MUST_SEE_NO_FIT = Constraint(
    "MUST_SEE_NO_FIT",
    "warning",
    {
        "zh-CN": "必去景点{name}在其开放时间内，放不进任何一天（还有其他必去景点、车次和预订），"
        "无法安排。",
        "en": "No day has room for the must-see place {name} within its hours, beside the other "
        "must-sees, trains and bookings: it is not in the plan.",
    },
    find,
)
