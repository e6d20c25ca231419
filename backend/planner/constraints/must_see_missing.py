"""A must-see place that could be in the plan is in it."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Must-see places missing for this reason."""
    for poi_id, reason in context.missing_must_sees.items():
        if reason == "left_out":
            poi = context.snapshot.rows.pois[poi_id]
            yield Finding(values={"name": context.name(poi)}, amount=poi.duration_min)


MUST_SEE_MISSING = Constraint(
    "MUST_SEE_MISSING",
    "error",
    {
        "zh-CN": "必去景点{name}还没有安排。",
        "en": "The must-see place {name} is not in the plan.",
    },
    find,
    fix={"zh-CN": "请加入行程。", "en": "Put it in."},
)
