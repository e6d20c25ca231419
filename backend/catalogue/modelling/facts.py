"""The authored facts that the rules start from; the tables stand beside this file as CSV.

Finds the way of a service over the lines: the quickest one through its authored `via` stations.
"""

import csv
import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import WaypoolError

AS_OF = "2026-10-01"
HERE = Path(__file__).parent

Network = Literal["hs", "conventional"]
TrainClass = Literal["G", "D", "C", "Z", "T", "K"]


class ModelFactsError(WaypoolError):
    """An authored fact is malformed, or the rules cannot be applied to it."""

    code = "MODEL_FACTS"


class Fact(BaseModel):
    """One row of a table of facts."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Segment(Fact):
    """A stretch of line, used both ways: length in km, highest speed in km/h.

    `fare_factor` is above 1 on the few lines that are dearer than their speed tells.
    """

    network: Network
    line: str
    start: str = Field(alias="from")
    end: str = Field(alias="to")
    km: int = Field(gt=0)
    speed: int = Field(ge=80, le=350)
    fare_factor: float = Field(ge=1)


class Service(Fact):
    """Two stations with direct trains of one class, each way; `demand` 1-9 decides how many a day."""

    start: str = Field(alias="from")
    end: str = Field(alias="to")
    train_class: TrainClass = Field(alias="class")
    network: Network
    time: Literal["day", "night"]
    demand: int = Field(ge=1, le=9)
    runs_on: str
    via: str

    @property
    def via_stations(self) -> tuple[str, ...]:
        """Stations that the path must pass, in order; empty where the quickest path is meant."""
        return tuple(filter(None, self.via.split(";")))


class Station(Fact):
    """A station of `stations.csv`."""

    city: str
    name: str
    lat: float
    lon: float


class HotelArea(Fact):
    """A district where hotels stand: built-up centre, weight 1-5, price level of its city."""

    city: str
    area: str
    area_en: str
    lat: float
    lon: float
    hotel_weight: int = Field(ge=1, le=5)
    price_level: float = Field(gt=0)


F = TypeVar("F", bound=Fact)


def read_rows(path: Path, kind: type[F]) -> tuple[F, ...]:
    """All rows of a CSV file as facts; raises `ModelFactsError` naming file and line."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(
            parse_row(kind, row, f"{path.name}:{line}")
            for line, row in enumerate(csv.DictReader(file), start=2)
        )


def parse_row(kind: type[F], row: dict[str, Any], where: str) -> F:
    """One CSV row as a fact."""
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        raise ModelFactsError(f"{where}: {first['loc']}: {first['msg']}") from error


@cache
def load_segments() -> tuple[Segment, ...]:
    """The lines of the 16 cities' corridors."""
    return read_rows(HERE / "lines.csv", Segment)


@cache
def load_services() -> tuple[Service, ...]:
    """Which pairs of stations have direct trains."""
    return read_rows(HERE / "services.csv", Service)


@cache
def load_hotel_areas() -> tuple[HotelArea, ...]:
    """The districts where hotels stand."""
    return read_rows(HERE / "hotel_areas.csv", HotelArea)


Leaving = dict[str, list[tuple[str, Segment]]]


@dataclass(frozen=True)
class Way:
    """The stretches that a service runs over, in order."""

    segments: tuple[Segment, ...]

    @property
    def km(self) -> int:
        """Length of the whole way."""
        return sum(segment.km for segment in self.segments)

    @property
    def line_speed(self) -> int:
        """The highest speed that any stretch allows."""
        return max(segment.speed for segment in self.segments)


@cache
def find_way(service: Service) -> Way:
    """The quickest way at line speed; `ModelFactsError` where the lines do not connect."""
    stops = (service.start, *service.via_stations, service.end)
    leaving = index_segments(service.network)
    legs = (find_quickest(leaving, start, end) for start, end in pairwise(stops))
    return Way(tuple(segment for leg in legs for segment in leg))


@cache
def index_segments(network: Network) -> Leaving:
    """Stretches by the station where they begin; each is listed from both ends."""
    leaving: Leaving = {}
    for segment in load_segments():
        if segment.network == network:
            leaving.setdefault(segment.start, []).append((segment.end, segment))
            leaving.setdefault(segment.end, []).append((segment.start, segment))
    return leaving


def find_quickest(leaving: Leaving, start: str, end: str) -> Iterable[Segment]:
    """Dijkstra by hours at line speed; ties go to the station name that sorts first."""
    order = count()
    heap: list[tuple[float, str, int, tuple[Segment, ...]]] = [(0.0, start, next(order), ())]
    done: set[str] = set()
    while heap:
        hours, here, _, so_far = heapq.heappop(heap)
        if here == end:
            return so_far
        if here in done:
            continue
        done.add(here)
        for there, segment in leaving.get(here, ()):
            if there not in done:
                arrived = hours + segment.km / segment.speed
                heapq.heappush(heap, (arrived, there, next(order), (*so_far, segment)))
    raise ModelFactsError(f"no way over the lines from {start} to {end}")
