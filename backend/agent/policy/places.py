"""Which places are worth a visit, and how many of them a city's days can take.

Interests count most, then popularity, then the price by tier; the same kind of place again and
again counts less each time, a district that is visited anyway counts a little more.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from backend.agent.policy.brief import Brief, BriefCity, Ride, measure_day
from backend.agent.policy.call_log import CallLog, Row, read_price
from backend.catalogue.geo import measure_distance_m
from backend.catalogue.place_types import FOOD_TYPES
from backend.planner.days.meals import MAX_BUSY_MIN, MAX_VISITS
from backend.pool.plan_request import Tier

INTEREST_POINTS = 35
MOST_MATCHES = 2
UNKNOWN_POPULARITY = 30.0
SAME_TYPE_POINTS = 7
MOST_SAME_TYPE = 5
SAME_AREA_POINTS = 2
MOST_AREA_POINTS = 8
PRICE_POINTS: dict[Tier, float] = {"economy": 0.25, "comfort": 0.1, "quality": 0.03}
"""Points for one unit of money of the ticket; the unit is the yuan, other currencies count alike."""

WAY_MIN = 40
"""Getting to a place, waiting and looking for the entrance."""

KM_POINTS = 0.4
NEAR_KM = 15.0
MOST_KM = 100.0

SPARE = 1.4
"""A little more is chosen than can be visited, since hours and ways let some of it fail."""

LEAST_USABLE_MIN = 90


@dataclass(frozen=True)
class Room:
    """What a city's days can take."""

    minutes: int
    visits: int


def list_wanted(log: CallLog, city: BriefCity, rides: Sequence[Ride]) -> list[str]:
    """Ids to put into the city's days, must-sees first, then the best for this traveller."""
    must = [poi_id for poi_id, of_city in log.brief.must_see if of_city == city.id]
    rows = {row["id"]: row for row in list_places(log, city)}
    room = measure_room(log.brief, city, rides)
    chosen = [rows.get(poi_id) or log.detail("get_poi", poi_id) for poi_id in must]
    others = [row for poi_id, row in rows.items() if poi_id not in must]
    return must + [row["id"] for row in _choose(log.brief, others, chosen, room)]


def list_places(log: CallLog, city: BriefCity) -> list[Row]:
    """Places of a city that were listed, those that were opened in detail."""
    rows = log.list_rows("list_pois", city=city.id)
    return [log.detail("get_poi", row["id"]) or row for row in rows]


def list_free(log: CallLog, city: BriefCity) -> set[str]:
    """Places of a city without a ticket that are not known to be far out."""
    rows = list_places(log, city)
    centre = _find_centre(rows)
    return {
        row["id"] for row in rows if not read_price(row["price"]) and not _rate_way(row, centre)
    }


def measure_room(brief: Brief, city: BriefCity, rides: Sequence[Ride]) -> Room:
    """Minutes and visits of the city's days after what the chosen trains take."""
    spans = [measure_day(brief, city, day, rides) for day in city.days]
    usable = [span for span in spans if span >= LEAST_USABLE_MIN]
    whole = max(1, brief.day_end - brief.day_start)
    most = MAX_VISITS[brief.pace]
    return Room(
        minutes=sum(min(span, MAX_BUSY_MIN[brief.pace]) for span in usable),
        visits=sum(max(1, round(most * span / whole)) for span in usable),
    )


def need_minutes(row: Row) -> int:
    """Minutes that a visit takes from a day."""
    return int(row["duration_min"]) + WAY_MIN


def _choose(brief: Brief, rows: Iterable[Row], must: Sequence[Row], room: Room) -> Iterable[Row]:
    """The best place by what was chosen before it, again and again until the days are full."""
    left = list(rows)
    taken = Counter(row["type"] for row in must if row)
    areas = Counter(row["area"] for row in must if row)
    minutes = sum(need_minutes(row) for row in must if row)
    visits = len(must)
    centre = _find_centre(left)
    alone = {row["id"]: (_rate_alone(brief, row), _rate_way(row, centre)) for row in left}
    while left and minutes < SPARE * room.minutes and visits < SPARE * room.visits:
        best = max(left, key=lambda row: _rate(row, alone[row["id"]], taken, areas))
        left.remove(best)
        taken[best["type"]] += 1
        areas[best["area"]] += 1
        minutes += need_minutes(best)
        visits += 1
        yield best


def _rate_alone(brief: Brief, row: Row) -> float:
    """Points of a place, whatever else is chosen."""
    popularity = row["popularity"]
    matches = len(brief.interests.intersection(row["tags"]))
    return (
        INTEREST_POINTS * min(MOST_MATCHES, matches)
        + (UNKNOWN_POPULARITY if popularity is None else popularity)
        - PRICE_POINTS[brief.tier] * (read_price(row["price"]) or 0.0)
    )


def _rate(row: Row, alone: tuple[float, float], taken: Counter[str], areas: Counter[str]) -> float:
    """Points of a place beside others, less its way; a meal needs no second one of its kind."""
    points, way = alone
    again = min(MOST_SAME_TYPE, taken[row["type"]]) * (2 if row["type"] in FOOD_TYPES else 1)
    near = min(MOST_AREA_POINTS, SAME_AREA_POINTS * areas[row["area"]])
    return points - SAME_TYPE_POINTS * again + near - way


def _find_centre(rows: Iterable[Row]) -> tuple[float, float] | None:
    """The middle of the places whose position is known."""
    placed = [(row["lat"], row["lon"]) for row in rows if "lat" in row]
    if not placed:
        return None
    return median(lat for lat, _ in placed), median(lon for _, lon in placed)


def _rate_way(row: Row, centre: tuple[float, float] | None) -> float:
    """What a long way takes from a place; one of unknown position is not far."""
    if centre is None or "lat" not in row:
        return 0.0
    km = measure_distance_m((row["lat"], row["lon"]), centre) / 1000
    return KM_POINTS * min(MOST_KM, max(0.0, km - NEAR_KM))
