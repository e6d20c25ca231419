"""Puts the modelled trains together; each number begins with M, so that nobody takes one for real."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from backend.catalogue.importers.lines import TrainLine
from backend.catalogue.modelling.facts import (
    AS_OF,
    ModelFactsError,
    Service,
    Station,
    load_services,
    read_rows,
)
from backend.catalogue.modelling.fares import compute_fare
from backend.catalogue.modelling.paths import find_way
from backend.catalogue.modelling.timetable import DAY_MIN, Departure, list_departures
from backend.clock import format_minutes

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
