"""Checks a plan against all constraints, which stand here in one tuple, errors first."""

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Breach, Constraint
from backend.planner.constraints.avoided import AVOIDED
from backend.planner.constraints.before_arrival import BEFORE_ARRIVAL
from backend.planner.constraints.change_time import CHANGE_TIME
from backend.planner.constraints.check_in import CHECK_IN
from backend.planner.constraints.closed import CLOSED
from backend.planner.constraints.closed_season import CLOSED_SEASON
from backend.planner.constraints.cost_wrong import COST_WRONG
from backend.planner.constraints.day_hours import DAY_HOURS
from backend.planner.constraints.duplicate import DUPLICATE
from backend.planner.constraints.empty_day import EMPTY_DAY
from backend.planner.constraints.fares_unknown import FARES_UNKNOWN
from backend.planner.constraints.fixed_moved import FIXED_MOVED
from backend.planner.constraints.hotel_missing import HOTEL_MISSING
from backend.planner.constraints.hotel_not_covered import HOTEL_NOT_COVERED
from backend.planner.constraints.hotel_twice import HOTEL_TWICE
from backend.planner.constraints.hotel_wrong_city import HOTEL_WRONG_CITY
from backend.planner.constraints.hours_unknown import HOURS_UNKNOWN
from backend.planner.constraints.last_entry import LAST_ENTRY
from backend.planner.constraints.late_arrival import LATE_ARRIVAL
from backend.planner.constraints.leg_missed import LEG_MISSED
from backend.planner.constraints.leg_not_chosen import LEG_NOT_CHOSEN
from backend.planner.constraints.leg_not_covered import LEG_NOT_COVERED
from backend.planner.constraints.leg_order import LEG_ORDER
from backend.planner.constraints.leg_too_short import LEG_TOO_SHORT
from backend.planner.constraints.meal_missed import MEAL_MISSED
from backend.planner.constraints.must_see_closed import MUST_SEE_CLOSED
from backend.planner.constraints.must_see_missing import MUST_SEE_MISSING
from backend.planner.constraints.must_see_no_fit import MUST_SEE_NO_FIT
from backend.planner.constraints.not_in_pool import NOT_IN_POOL
from backend.planner.constraints.over_budget import OVER_BUDGET
from backend.planner.constraints.overlap import OVERLAP
from backend.planner.constraints.pace import PACE
from backend.planner.constraints.price_unknown import PRICE_UNKNOWN
from backend.planner.constraints.reservation_required import RESERVATION_REQUIRED
from backend.planner.constraints.rooms_too_few import ROOMS_TOO_FEW
from backend.planner.constraints.tier_exceeded import TIER_EXCEEDED
from backend.planner.constraints.total_wrong import TOTAL_WRONG
from backend.planner.constraints.travel_share import TRAVEL_SHARE
from backend.planner.constraints.travel_time import TRAVEL_TIME
from backend.planner.constraints.visit_too_short import VISIT_TOO_SHORT
from backend.planner.constraints.wish_missed import WISH_MISSED
from backend.planner.constraints.wrong_city import WRONG_CITY
from backend.planner.constraints.wrong_leg import WRONG_LEG
from backend.planner.draft import Draft
from backend.planner.itinerary import Itinerary, Violation
from backend.pool.snapshot import Snapshot

CONSTRAINTS: tuple[Constraint, ...] = (
    NOT_IN_POOL,
    AVOIDED,
    WRONG_CITY,
    DUPLICATE,
    CLOSED_SEASON,
    CLOSED,
    LAST_ENTRY,
    VISIT_TOO_SHORT,
    DAY_HOURS,
    OVERLAP,
    TRAVEL_TIME,
    BEFORE_ARRIVAL,
    FIXED_MOVED,
    WRONG_LEG,
    LEG_NOT_CHOSEN,
    LEG_ORDER,
    CHANGE_TIME,
    LEG_MISSED,
    LEG_TOO_SHORT,
    HOTEL_MISSING,
    HOTEL_WRONG_CITY,
    HOTEL_TWICE,
    ROOMS_TOO_FEW,
    MUST_SEE_MISSING,
    OVER_BUDGET,
    COST_WRONG,
    TOTAL_WRONG,
    TIER_EXCEEDED,
    MUST_SEE_CLOSED,
    MUST_SEE_NO_FIT,
    LEG_NOT_COVERED,
    HOTEL_NOT_COVERED,
    EMPTY_DAY,
    MEAL_MISSED,
    PACE,
    TRAVEL_SHARE,
    WISH_MISSED,
    LATE_ARRIVAL,
    CHECK_IN,
    RESERVATION_REQUIRED,
    HOURS_UNKNOWN,
    PRICE_UNKNOWN,
    FARES_UNKNOWN,
)


def validate(snapshot: Snapshot, draft: Draft, itinerary: Itinerary) -> list[Violation]:
    """Every breach, in the order of the constraints; errors block submission."""
    return [breach.violation for breach in measure(snapshot, draft, itinerary)]


def measure(snapshot: Snapshot, draft: Draft, itinerary: Itinerary) -> list[Breach]:
    """The same, each with the figure that says by how much."""
    context = CheckContext(snapshot, draft, itinerary)
    return list(snapshot.remember("breaches", (draft, itinerary), lambda: _measure_all(context)))


def _measure_all(context: CheckContext) -> tuple[Breach, ...]:
    return tuple(b for constraint in CONSTRAINTS for b in constraint.measure(context))
