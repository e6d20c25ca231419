"""Which hotel: rating against price by tier, and near to what is visited.

Positions are known of what was opened; of the rest the district has to do.
"""

from collections.abc import Sequence
from statistics import fmean, median

from backend.agent.policy.brief import BriefCity
from backend.agent.policy.call_log import CallLog, Row, read_price
from backend.agent.policy.spending import Choice
from backend.catalogue.geo import measure_distance_m
from backend.planner.travel_time import Party, find_way
from backend.pool.plan_request import Tier

RATING_POINTS = 12.0
UNKNOWN_RATING = 3.8
PRICE_POINTS: dict[Tier, float] = {"economy": 24.0, "comfort": 14.0, "quality": 6.0}
"""Points for the city's mean price of a night."""

KM_POINTS = 1.5
MOST_KM = 20.0
"""Also what is assumed of a hotel in a district where nothing is visited."""

KM_A_DEGREE = 111.2
LOCAL_MODES = ("metro", "taxi")

UNKNOWN_PRICE = 1.2
"""Nobody knows it, so rather above the mean."""


def list_beds(log: CallLog, city: BriefCity, wanted: Sequence[str]) -> list[Choice]:
    """Hotels that were shown and not refused as choices for all nights of the party."""
    rows = _list_hotels(log, city)
    prices = [price for row in rows if (price := read_price(row["price_per_night"])) is not None]
    mean = fmean(prices) if prices else 1.0
    nights = city.nights * log.brief.rooms
    points = {row["id"]: _rate(log, row, wanted) for row in rows}
    best = max(points.values(), default=0.0)
    worth = mean * nights / PRICE_POINTS[log.brief.tier]
    return [
        Choice(
            slot=("hotel", city.id),
            ids=(row["id"],),
            price=nights * _expect_price(row, mean),
            discomfort=(best - points[row["id"]]) * worth,
            ways=_expect_fares(log, city, row, wanted),
        )
        for row in rows
    ]


def _expect_price(row: Row, mean: float) -> float:
    price = read_price(row["price_per_night"])
    return mean * UNKNOWN_PRICE if price is None else price


def _list_hotels(log: CallLog, city: BriefCity) -> list[Row]:
    """Rows of the lists, else bare ids that a refusal named."""
    refused = {
        step.arguments.get("hotel_id")
        for step in log.find("choose_hotel", city=city.id)
        if step.is_error
    }
    named = [
        {"id": hotel_id, "price_per_night": None, "rating": None, "area": ""}
        for hotel_id in log.list_allowed("choose_hotel", city=city.id)
    ]
    rows = log.list_rows("list_hotels", city=city.id) or named
    return [row for row in rows if row["id"] not in refused]


def _rate(log: CallLog, row: Row, wanted: Sequence[str]) -> float:
    rating = UNKNOWN_RATING if row["rating"] is None else float(row["rating"])
    return RATING_POINTS * rating - KM_POINTS * min(MOST_KM, _measure_way(log, row, wanted))


def _expect_fares(log: CallLog, city: BriefCity, row: Row, wanted: Sequence[str]) -> float:
    """What the way to the first place and back from the last one costs the party in all."""
    north = _measure_way(log, row, wanted) / KM_A_DEGREE
    party = Party(log.brief.travellers, log.brief.currency)
    fare = find_way((0.0, 0.0), (north, 0.0), LOCAL_MODES, party).cost
    return 2 * city.nights * float(fare)


def _measure_way(log: CallLog, row: Row, wanted: Sequence[str]) -> float:
    """Kilometres to the places in the middle of the field: half of them are nearer."""
    places = [place for poi_id in wanted if (place := log.detail("get_poi", poi_id))]
    if not places:
        return 0.0
    here = _find_position(log, row, places)
    if here is None:
        return MOST_KM
    return median(measure_distance_m(here, (p["lat"], p["lon"])) / 1000 for p in places)


def _find_position(log: CallLog, row: Row, places: Sequence[Row]) -> tuple[float, float] | None:
    """Where the hotel is; of one that was not opened, where its district's places are."""
    hotel = log.detail("get_hotel", row["id"])
    if hotel:
        return hotel["lat"], hotel["lon"]
    near = [place for place in places if place["area"] == row["area"]]
    if not near:
        return None
    return fmean(p["lat"] for p in near), fmean(p["lon"] for p in near)
