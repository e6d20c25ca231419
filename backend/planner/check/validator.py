"""Checks a plan against all constraints, which stand here in one tuple, errors first."""

from backend.planner.check.context import Breach, CheckContext, Constraint
from backend.planner.check.days import (
    DAY_HOURS,
    EMPTY_DAY,
    MEAL_MISSED,
    NO_VISIT,
    PACE,
    TRAVEL_SHARE,
)
from backend.planner.check.hotels import (
    CHECK_IN,
    HOTEL_MISSING,
    HOTEL_NOT_COVERED,
    HOTEL_TWICE,
    HOTEL_WRONG_CITY,
    ROOMS_TOO_FEW,
)
from backend.planner.check.legs import (
    CHANGE_TIME,
    LEG_MISSED,
    LEG_NOT_CHOSEN,
    LEG_NOT_COVERED,
    LEG_ORDER,
    LEG_TOO_SHORT,
    WRONG_LEG,
)
from backend.planner.check.money import (
    COST_WRONG,
    FARES_UNKNOWN,
    OVER_BUDGET,
    PRICE_UNKNOWN,
    TIER_EXCEEDED,
    TOTAL_WRONG,
)
from backend.planner.check.opening import (
    CLOSED,
    CLOSED_SEASON,
    HOURS_UNKNOWN,
    LAST_ENTRY,
    RESERVATION_PASSED,
    RESERVATION_REQUIRED,
    VISIT_TOO_SHORT,
)
from backend.planner.check.places import (
    AVOIDED,
    DUPLICATE,
    INTEREST_UNMET,
    MUST_SEE_CLOSED,
    MUST_SEE_MISSING,
    MUST_SEE_NO_FIT,
    NOT_IN_POOL,
    WISH_MISSED,
    WRONG_CITY,
)
from backend.planner.check.timing import (
    BEFORE_ARRIVAL,
    FIXED_MOVED,
    LATE_ARRIVAL,
    LATE_HOME,
    OVERLAP,
    TRAVEL_TIME,
)
from backend.planner.check.wishes import (
    WISH_AT,
    WISH_BEDS,
    WISH_EAT,
    WISH_HOTEL,
    WISH_INTERCITY,
    WISH_LOCAL,
    WISH_PRICE,
    WISH_SPEND,
    WISH_VISIT,
)
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Itinerary, Violation
from backend.pool.snapshot import Snapshot

CONSTRAINTS: tuple[Constraint, ...] = (
    RESERVATION_PASSED,
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
    WISH_SPEND,
    WISH_PRICE,
    WISH_INTERCITY,
    WISH_BEDS,
    WISH_VISIT,
    WISH_EAT,
    WISH_HOTEL,
    WISH_LOCAL,
    WISH_AT,
    MUST_SEE_CLOSED,
    MUST_SEE_NO_FIT,
    LEG_NOT_COVERED,
    HOTEL_NOT_COVERED,
    NO_VISIT,
    EMPTY_DAY,
    MEAL_MISSED,
    PACE,
    TRAVEL_SHARE,
    WISH_MISSED,
    INTEREST_UNMET,
    LATE_ARRIVAL,
    LATE_HOME,
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
