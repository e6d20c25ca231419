"""A place is visited only while the traveller stays in its city."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits of the draft on a day that is not spent in their city.

    The itinerary shows no item for such a visit, so the draft is read here.
    """
    for day, visits in context.draft.visits.items():
        cities = {part.city.id for part in context.trip.parts.get(day, ())}
        for visit in visits:
            poi = context.snapshot.poi(visit.poi_id)
            if poi is not None and poi.city not in cities:
                values = {"name": context.name(poi), "city": context.name_city(poi.city)}
                yield Finding(day, None, {**values, "day": day})


WRONG_CITY = Constraint(
    "WRONG_CITY",
    "error",
    {
        "zh-CN": "{name}在{city}，第 {day} 天不在该城市。",
        "en": "{name} is in {city}, and day {day} is not spent there.",
    },
    find,
    fix={"zh-CN": "请改到在该城市的日子。", "en": "Move it to a day in that city."},
)
