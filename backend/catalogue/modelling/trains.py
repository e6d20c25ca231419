"""Puts the modelled trains together; each number begins with M, so that nobody takes one for real.

The rule for fares: a price per km that falls with distance, rounded to half a yuan.

High-speed trains: second class by the line speed of each stretch; a sleeper's berth by one rate.
Old classes: hard seat by day, hard sleeper by night.

The rule for journey times, departures and running days; no timetable was copied.

A journey is running time at a share of line speed, 6 minutes for leaving and arriving, and a fixed
time for each stop. Stops follow from the length of the way and the pattern: every service is an
express, a standard or a local train in turn. Day trains spread evenly from early morning to the
last departure that still arrives before midnight; night trains arrive in the morning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import count, pairwise
from pathlib import Path
from zlib import crc32

from backend.catalogue.importers.lines import TrainLine
from backend.catalogue.modelling.hotels import (
    AS_OF,
    ModelFactsError,
    Service,
    Station,
    Way,
    find_way,
    load_services,
    read_rows,
)
from backend.clock import format_minutes

DAY_MIN = 24 * 60
SERVICES_BY_DEMAND = {1: 1, 2: 2, 3: 4, 4: 7, 5: 12, 6: 20, 7: 32, 8: 48, 9: 70}
"""Trains a day and direction: each step is about 1.6 times the one before."""

ENDS_MIN = 6
FIRST_DEPARTURE = 6 * 60
LAST_DEPARTURE = 22 * 60 + 30
LAST_ARRIVAL = 23 * 60 + 50
NIGHT_FROM, NIGHT_TO = 17 * 60 + 30, 23 * 60 + 20
WAKE_UP = DAY_MIN + 5 * 60 + 40
LONG_NIGHT = 15 * 60
MORNING_END, AFTERNOON_END = DAY_MIN + 10 * 60, DAY_MIN + 15 * 60
PATTERNS = ("standard", "express", "local", "standard", "local")


@dataclass(frozen=True)
class Speed:
    """How a class runs: highest speed in km/h, share of it on the move, minutes a stop."""

    top: int
    share: float
    stop_min: int


SPEEDS = {
    "G": Speed(350, 0.90, 8),
    "C": Speed(350, 0.90, 7),
    "D": Speed(250, 0.85, 8),
    "Z": Speed(160, 0.75, 7),
    "T": Speed(140, 0.75, 7),
    "K": Speed(120, 0.75, 7),
}
STOP_EVERY_KM = {"Z": 250, "T": 160, "K": 80}
SLEEPER_STOP_EVERY_KM = 300


@dataclass(frozen=True)
class Departure:
    """One train of a service and direction, minutes after midnight of its first day."""

    depart: int
    journey: int
    pattern: str
    runs_on: str


def measure_journey_min(service: Service, way: Way, pattern: str) -> int:
    """Whole minutes from departure to arrival."""
    speed = SPEEDS[service.train_class]
    running = sum(s.km * 60 / (min(s.speed, speed.top) * speed.share) for s in way.segments)
    return round(running) + ENDS_MIN + count_stops(service, way.km, pattern) * speed.stop_min


def count_stops(service: Service, km: int, pattern: str) -> int:
    """Stops on the way: by class for the old classes and sleepers, else by pattern."""
    if service.train_class in STOP_EVERY_KM:
        return km // STOP_EVERY_KM[service.train_class]
    if service.time == "night":
        return km // SLEEPER_STOP_EVERY_KM
    spacing = {"express": 450.0, "standard": 60 + 0.11 * km, "local": 35 + 0.06 * km}
    return int(km / spacing[pattern])


def list_departures(service: Service, *, reverse: bool) -> list[Departure]:
    """All trains of one direction, by departure."""
    way = find_way(service)
    patterns = [PATTERNS[i % len(PATTERNS)] for i in range(SERVICES_BY_DEMAND[service.demand])]
    journeys = [measure_journey_min(service, way, pattern) for pattern in patterns]
    phase = crc32(f"{service.start}{service.end}{service.train_class}{reverse}".encode())
    times = spread_departures(service, max(journeys), len(patterns), phase)
    return [
        Departure(depart, journey, pattern, service.runs_on or choose_days(i, len(patterns)))
        for i, (depart, journey, pattern) in enumerate(zip(times, journeys, patterns, strict=True))
    ]


def spread_departures(service: Service, journey: int, count: int, phase: int) -> list[int]:
    """Departures at even distances within the service's window, some minutes off the beat."""
    first, last = find_window(service, journey, phase)
    if count == 1:
        return [first + (last - first) * (2 + phase % 5) // 10]
    gap = (last - first) / (count - 1)
    swing = min(4, int(gap / 4))
    beats = (round(first + gap * i) for i in range(count))
    return [
        min(last, max(first, beat + (7 * i + phase) % (2 * swing + 1) - swing))
        for i, beat in enumerate(beats)
    ]


def find_window(service: Service, journey: int, phase: int) -> tuple[int, int]:
    """First and last departure; `ModelFactsError` where the journey is too long or too short."""
    first, last = (
        (FIRST_DEPARTURE + phase % 50, min(LAST_DEPARTURE, LAST_ARRIVAL - journey))
        if service.time == "day"
        else find_night_window(journey)
    )
    if last < first:
        raise ModelFactsError(f"{service.start}-{service.end}: {journey} minutes do not fit")
    return first, last


def find_night_window(journey: int) -> tuple[int, int]:
    """Leave in the evening and arrive in the morning; the longest leave and arrive by afternoon."""
    end = MORNING_END if journey <= LONG_NIGHT else AFTERNOON_END
    last = min(NIGHT_TO, end - journey)
    return min(max(NIGHT_FROM, WAKE_UP - journey), max(last - 60, WAKE_UP - journey)), last


def choose_days(index: int, count: int) -> str:
    """Where 7 or more trains run, some are extra ones for weekends or for working days."""
    if count < 7:
        return ""
    by_index = {5: "Fr-Su", 10: "Mo-Fr", 13: "Sa,Su"}
    return by_index.get(index % 16, "")


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


COLUMNS = list(TrainLine.model_fields)
FIRST_NUMBER = {"G": 101, "D": 301, "C": 2001, "Z": 51, "T": 101, "K": 501}
"""As on the railway: odd numbers one way, even ones back."""


def model_trains(seed_data: Path) -> list[dict[str, str]]:
    """All modelled trains as rows of `trains.csv`."""
    stations = {s.name: s for s in read_rows(seed_data / "stations.csv", Station)}
    numbers = {letter: count(first, 2) for letter, first in FIRST_NUMBER.items()}
    return [
        row
        for service in load_services()
        for row in model_service(service, stations, numbers[service.train_class])
    ]


def model_service(
    service: Service, stations: dict[str, Station], numbers: Iterator[int]
) -> Iterator[dict[str, str]]:
    """One service each way, trains there and back in pairs of numbers."""
    ends = (find_station(stations, service.start), find_station(stations, service.end))
    there = list_departures(service, reverse=False)
    back = list_departures(service, reverse=True)
    for going, returning, number in zip(there, back, numbers, strict=False):
        yield write_train(service, going, number, ends)
        yield write_train(service, returning, number + 1, (ends[1], ends[0]))


def find_station(stations: dict[str, Station], name: str) -> Station:
    """The station of that name; every service must begin and end at a known one."""
    if name not in stations:
        raise ModelFactsError(f"services.csv: {name} is not in stations.csv")
    return stations[name]


def write_train(
    service: Service, train: Departure, number: int, ends: tuple[Station, Station]
) -> dict[str, str]:
    """One row of `trains.csv`."""
    label = f"{service.train_class}{number}"
    days, arrive = divmod(train.depart + train.journey, DAY_MIN)
    return {
        "id": f"train-{ends[0].city}-{ends[1].city}-{label.lower()}",
        "number": f"M{label}",
        "from_city": ends[0].city,
        "from_station": ends[0].name,
        "to_city": ends[1].city,
        "to_station": ends[1].name,
        "depart": format_minutes(train.depart),
        "arrive": format_minutes(arrive),
        "day_offset": str(days),
        "price": f"{compute_fare(service, find_way(service), train.pattern):f}",
        "currency": "CNY",
        "runs_on": train.runs_on,
        "enabled": "true",
        "source": "modelled",
        "as_of": AS_OF,
    }
