"""How much a day may hold by the traveller's pace: visits, and hours on one's feet."""

from backend.pool.plan_request import Pace

MAX_VISITS: dict[Pace, int] = {"relaxed": 3, "standard": 5, "packed": 7}
"""Visits a day; a food place eaten at as a meal is none."""

MAX_BUSY_MIN: dict[Pace, int] = {"relaxed": 7 * 60, "standard": 10 * 60, "packed": 12 * 60}
"""Visiting and getting about, in minutes a day."""
