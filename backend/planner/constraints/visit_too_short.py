"""A visit takes at least three fifths of the usual time."""

import math
from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding

LEAST_SHARE = 0.6


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits, and meals at a place, that are over too soon."""
    for visited in context.visits:
        usual, have = visited.poi.duration_min, visited.leave - visited.arrive
        if have < usual * LEAST_SHARE:
            least = math.ceil(usual * LEAST_SHARE)
            values = {"name": context.name(visited.poi), "have": have, "least": least}
            values["usual"] = usual
            yield Finding(visited.day, visited.item, values, amount=least - have)


VISIT_TOO_SHORT = Constraint(
    "VISIT_TOO_SHORT",
    "error",
    {
        "zh-CN": "{name}只留了 {have} 分钟，通常需要 {usual} 分钟。",
        "en": "{name} has {have} minutes; it usually takes {usual}.",
    },
    find,
    fix={"zh-CN": "至少留 {least} 分钟。", "en": "Give it at least {least}."},
)
