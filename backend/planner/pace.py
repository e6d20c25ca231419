"""How much a day may hold by the traveller's pace: visits, and hours on one's feet."""

import math

from backend.clock import parse_minutes
from backend.pool.plan_request import Pace, PlanRequest

MAX_VISITS: dict[Pace, int] = {"relaxed": 3, "standard": 5, "packed": 7}
"""Visits a day; a food place eaten at as a meal is none."""

MAX_BUSY_MIN: dict[Pace, int] = {"relaxed": 7 * 60, "standard": 10 * 60, "packed": 12 * 60}
"""Visiting and getting about, in minutes a day."""


def share_visits(request: PlanRequest, minutes: int) -> int:
    """The most visits for `minutes` of a day: days of arrival and departure hold fewer."""
    whole = parse_minutes(request.day_end) - parse_minutes(request.day_start)
    if minutes <= 0 or whole <= 0:
        return 0
    share = MAX_VISITS[request.pace] * min(1.0, minutes / whole)
    return max(1, math.floor(share + 0.5))
