"""Which places are worth a visit, and how many of them a city's days can take.

The worth is that of `planner.worth`, less the way to what lies far out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from backend.agent.policy.brief import Brief, BriefCity, Ride, measure_day
from backend.agent.policy.call_log import CallLog, Row, read_price
from backend.catalogue.place_types import FOOD_TYPES
from backend.planner.days.meals import MAX_BUSY_MIN, MAX_VISITS
from backend.planner.worth import Sight, Taste, rate_together
from backend.pool.candidate import measure_distance_m

WAY_MIN = 40
"""Getting to a place, waiting and looking for the entrance."""

KM_WORTH = 4.0
NEAR_KM = 15.0
MOST_KM = 100.0
"""Minutes that a kilometre far out takes from the worth of a place, there and back, with its fare."""

SPARE = 1.4
"""A little more is chosen than can be visited, since hours and ways let some of it fail."""

TABLE_TYPES = FOOD_TYPES - {"teahouse"}
TABLES_A_DAY = 2

LEAST_USABLE_MIN = 90


@dataclass(frozen=True)
class Room:
    """What a city's days can take."""

    minutes: int
    visits: int


def list_wanted(log: CallLog, city: BriefCity, rides: Sequence[Ride]) -> list[str]:
    """Ids to put into the city's days, must-sees first, then the best for this traveller."""
    must = [poi_id for poi_id, of_city in log.brief.must_see if of_city == city.id]
    listed = {row["id"] for row in log.list_rows("list_pois", city=city.id)}
    must += [i for i in log.brief.asked_places if i in listed and i not in must]
    rows = {row["id"]: row for row in list_places(log, city)}
    room = measure_room(log.brief, city, rides)
    chosen = [rows.get(poi_id) or log.detail("get_poi", poi_id) for poi_id in must]
    refused = log.brief.refused
    others = [row for poi_id, row in rows.items() if poi_id not in must and poi_id not in refused]
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


def list_tables(log: CallLog, city: BriefCity) -> list[str]:
    """Restaurants and food streets of a city, the best for this traveller first, two for each day."""
    rows = [row for row in list_places(log, city) if row["type"] in TABLE_TYPES]
    return [row["id"] for row in _rank(log.brief, rows, [])[: TABLES_A_DAY * len(city.days)]]


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
    """The best places, beside those that must be seen, until the days are full."""
    fixed = [row for row in must if row]
    minutes = sum(need_minutes(row) for row in fixed)
    visits = len(must)
    for row in _rank(brief, list(rows), fixed):
        if minutes >= SPARE * room.minutes or visits >= SPARE * room.visits:
            return
        minutes += need_minutes(row)
        visits += row["type"] not in FOOD_TYPES
        yield row


def _rank(brief: Brief, rows: Sequence[Row], must: Sequence[Row]) -> list[Row]:
    """The most worth first, less the ways; what is seen anyway makes more of its kind worth less."""
    known = [*must, *rows]
    worth = rate_together([_see(row) for row in known], _read_taste(brief))[len(must) :]
    centre = _find_centre(known)
    rated = [
        (_rate_way(row, centre) - value, n)
        for n, (row, value) in enumerate(zip(rows, worth, strict=True))
    ]
    return [rows[n] for _, n in sorted(rated)]


def _read_taste(brief: Brief) -> Taste:
    return Taste(brief.interests, brief.tier, brief.start_date)


def _see(row: Row) -> Sight:
    price = read_price(row["price"]) or 0.0
    return Sight(row["id"], row["type"], row["popularity"], price, row["tags"], lat=row.get("lat"))


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
    return KM_WORTH * min(MOST_KM, max(0.0, km - NEAR_KM))
