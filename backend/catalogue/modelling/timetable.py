"""The rule for journey times, departures and running days; no timetable was copied.

A journey is running time at a share of line speed, 6 minutes for leaving and arriving, and a fixed
time for each stop. Stops follow from the length of the way and the pattern: every service is an
express, a standard or a local train in turn. Day trains spread evenly from early morning to the
last departure that still arrives before midnight; night trains arrive in the morning.
"""

from dataclasses import dataclass
from zlib import crc32

from backend.catalogue.modelling.facts import ModelFactsError, Service
from backend.catalogue.modelling.paths import Way, find_way

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
