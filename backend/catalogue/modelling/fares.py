"""The rule for fares: a price per km that falls with distance, rounded to half a yuan.

High-speed trains: second class by the line speed of each stretch; a sleeper's berth by one rate.
Old classes: hard seat by day, hard sleeper by night.
"""

from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

from backend.catalogue.modelling.facts import Service
from backend.catalogue.modelling.paths import Way
from backend.catalogue.modelling.timetable import SPEEDS

RATE_BY_SPEED = {350: 0.46, 300: 0.44, 250: 0.37, 200: 0.32, 160: 0.30, 0: 0.30}
"""Yuan a km, second class, by the lower of line speed and the class's top speed."""

BERTH_RATE = 0.44
SEAT_RATE = 0.15
BERTH_FACTOR = 1.75
PATTERN_FACTOR = {"express": 1.05, "standard": 1.0, "local": 0.95}
FAST_TAPER = ((500, 1.0), (1000, 0.95), (1500, 0.9), (10_000, 0.8))
SEAT_TAPER = ((200, 1.0), (500, 0.9), (1000, 0.8), (1500, 0.7), (2500, 0.6), (10_000, 0.5))
"""Share of the rate up to so many km; what lies beyond costs the next share."""


def compute_fare(service: Service, way: Way, pattern: str) -> Decimal:
    """Price of one adult ticket in yuan."""
    if service.network == "conventional" and service.train_class != "D":
        yuan = SEAT_RATE * taper_km(way.km, SEAT_TAPER)
        yuan *= BERTH_FACTOR if service.time == "night" else 1
    elif service.time == "night":
        yuan = BERTH_RATE * taper_km(way.km, FAST_TAPER)
    else:
        share = taper_km(way.km, FAST_TAPER) / way.km
        yuan = sum_rates(service, way) * share * PATTERN_FACTOR[pattern]
    return round_to_half(yuan)


def sum_rates(service: Service, way: Way) -> float:
    """Yuan for the whole way before the taper."""
    top = SPEEDS[service.train_class].top
    return sum(s.km * s.fare_factor * find_rate(min(s.speed, top)) for s in way.segments)


def find_rate(speed: int) -> float:
    """The rate of the highest step that `speed` reaches."""
    return RATE_BY_SPEED[max(step for step in RATE_BY_SPEED if step <= speed)]


def taper_km(km: int, taper: tuple[tuple[int, float], ...]) -> float:
    """Kilometres weighted by the share of the rate that each costs."""
    bounds = ((0, 0.0), *taper)
    return sum(
        (min(km, upper) - lower) * share
        for (lower, _), (upper, share) in pairwise(bounds)
        if km > lower
    )


def round_to_half(yuan: float) -> Decimal:
    """To the nearest half yuan, at least half a yuan."""
    halves = Decimal(repr(yuan * 2)).quantize(Decimal(1), ROUND_HALF_UP)
    return max(halves, Decimal(1)) / 2
