"""Fills each city up to 56 hotels by rule; a modelled hotel's name says that it is typical, not real.

Stars: the next hotel goes to the band that is furthest behind its share. District: by weight, and
away from those that have the band. Price: by band, weight of the district and price level of the
city, with three steps around it; rating: by band, with the same steps. Position: on a spiral around
the district's centre.

The authored facts that the rules start from; the tables stand beside this file as CSV.

Finds the way of a service over the lines: the quickest one through its authored `via` stations.
"""

import csv
import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.catalogue.importers.lines import HotelLine
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


COLUMNS = [name for name in HotelLine.model_fields if name not in {"beds", "brand"}]
"""What a rule can tell of a hotel: not its beds, and it has no brand."""
MODELLED_FILE = "modelled.csv"

HOTELS_PER_CITY = 56
STARS_SHARE = {2: 14, 3: 17, 4: 14, 5: 11}
BASE_PRICE = {2: 220, 3: 380, 4: 620, 5: 1250}
"""Yuan a night where the city's price level is 1 (Beijing) and the district's weight 3."""

BASE_RATING = {2: 4.2, 3: 4.4, 4: 4.5, 5: 4.7}
STEPS = ((0.90, -0.1), (1.0, 0.0), (1.12, 0.1))
"""Factor on the price and addition to the rating, in turn."""

STARS_ZH = {2: "二星", 3: "三星", 4: "四星", 5: "五星"}
GOLDEN_ANGLE = math.radians(137.5)
METRES_PER_DEGREE = 111_195


def model_hotels(seed_data: Path) -> list[dict[str, str]]:
    """All modelled hotels as rows of `hotels.csv`, beside the authored ones of each city."""
    authored = count_authored(seed_data / "hotels")
    areas: dict[str, list[HotelArea]] = {}
    for area in load_hotel_areas():
        areas.setdefault(area.city, []).append(area)
    return [
        row
        for city, of_city in areas.items()
        for row in model_city(city, of_city, authored.get(city, Counter()))
    ]


def count_authored(folder: Path) -> dict[str, Counter[int]]:
    """Authored hotels by city and star band."""
    counts: dict[str, Counter[int]] = {}
    for path in sorted(folder.glob("*.csv")):
        if path.name == MODELLED_FILE:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                counts.setdefault(row["city"], Counter())[int(row["stars"])] += 1
    return counts


def model_city(
    city: str, areas: list[HotelArea], authored: Counter[int]
) -> Iterator[dict[str, str]]:
    """The hotels that a city lacks, in the order in which the rule adds them."""
    if authored.total() > HOTELS_PER_CITY:
        raise ModelFactsError(f"{city}: {authored.total()} authored hotels, more than wanted")
    so_far: Counter[tuple[str, int]] = Counter()
    in_area: Counter[str] = Counter()
    bands = authored.copy()
    for number in range(1, HOTELS_PER_CITY - authored.total() + 1):
        stars = choose_stars(bands)
        area = choose_area(areas, stars, so_far)
        bands[stars] += 1
        so_far[area.area, stars] += 1
        in_area[area.area] += 1
        nth = (in_area[area.area], so_far[area.area, stars])
        yield write_hotel(number, area, stars, nth)


def choose_stars(so_far: Counter[int]) -> int:
    """The band furthest behind its share; the lower one where two are level."""
    return min(STARS_SHARE, key=lambda stars: (so_far[stars] / STARS_SHARE[stars], stars))


def choose_area(areas: list[HotelArea], stars: int, so_far: Counter[tuple[str, int]]) -> HotelArea:
    """The district with most weight a hotel so far (Sainte-Lague); same stars count twice."""
    return max(
        areas,
        key=lambda a: a.hotel_weight / (2 * count_in(a, so_far) + 2 * so_far[a.area, stars] + 1),
    )


def count_in(area: HotelArea, so_far: Counter[tuple[str, int]]) -> int:
    """Hotels modelled in a district, all bands."""
    return sum(so_far[area.area, stars] for stars in STARS_SHARE)


def write_hotel(number: int, area: HotelArea, stars: int, nth: tuple[int, int]) -> dict[str, str]:
    """One row of `hotels.csv`; `nth` counts the district's hotels, and those of its band."""
    factor, plus = STEPS[number % len(STEPS)]
    lat, lon = place_on_spiral(area, nth[0])
    district = 0.85 + 0.05 * area.hotel_weight
    price = BASE_PRICE[stars] * area.price_level * district * factor
    return {
        "id": f"{area.city}-hm-{number}",
        "city": area.city,
        "name": f"{area.area} {STARS_ZH[stars]}典型酒店 {nth[1]}",
        "name_en": f"{area.area_en} typical {stars}-star hotel {nth[1]}",
        "stars": str(stars),
        "price_per_night": str(round(price / 10) * 10),
        "currency": "CNY",
        "area": area.area,
        "lat": f"{lat:.4f}",
        "lon": f"{lon:.4f}",
        "rating": f"{BASE_RATING[stars] + plus:.1f}",
        "tags": "",
        "intro": f"按规则推算的{area.area}{STARS_ZH[stars]}酒店，代表当地常见价位，并非真实酒店。",
        "enabled": "true",
        "source": "modelled",
        "check_in": "14:00",
        "check_out": "12:00",
        "as_of": AS_OF,
    }


def place_on_spiral(area: HotelArea, nth: int) -> tuple[float, float]:
    """Even spread around the centre: about 300 m for the first, 1.2 km for the twentieth."""
    radius, angle = 270 * math.sqrt(nth), nth * GOLDEN_ANGLE
    north = radius * math.sin(angle) / METRES_PER_DEGREE
    east = radius * math.cos(angle) / METRES_PER_DEGREE / math.cos(math.radians(area.lat))
    return area.lat + north, area.lon + east
