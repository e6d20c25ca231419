"""Warns of a must-see place that is closed on every day of the stay, so it cannot be in the plan."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Must-see places missing for this reason."""
    for poi_id, reason in context.missing_must_sees.items():
        if reason == "closed":
            yield Finding(values={"name": context.name(context.snapshot.rows.pois[poi_id])})


MUST_SEE_CLOSED = Constraint(
    "MUST_SEE_CLOSED",
    "warning",
    {
        "zh-CN": "必去景点{name}在停留期间每天都不开放，无法安排。",
        "en": "The must-see place {name} is closed on every day of the stay, so it is not in the plan.",
    },
    find,
)
