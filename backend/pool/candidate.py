"""Full rows of what could be in the itinerary, as the snapshot keeps them.

Distances on the earth; positions are WGS-84 degrees.
"""

import datetime as dt
import math
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from backend.clock import parse_minutes
from backend.money import Money

PoiId = Annotated[str, Field(description="Id of a place, as list_pois shows it.")]
HotelId = Annotated[str, Field(description="Id of a hotel, as list_hotels shows it.")]
TrainId = Annotated[str, Field(description="Id of a train, as list_trains shows it.")]

Booking = Literal["none", "recommended", "required"]
TimeOfDay = Literal["morning", "day", "dusk", "night"]
ReachMode = Literal["ferry", "cable_car", "coach"]
Wheelchair = Literal["yes", "limited", "no"]

Value = TypeVar("Value")


def _is_empty(value: object) -> bool:
    return value is None or value == ()


def _read_list(value: object) -> object:
    return () if value is None else value


Known = Annotated[Value | None, Field(exclude_if=_is_empty)]
"""A field that documents leave out where nothing is known: older documents keep their hashes."""

KnownList = Annotated[tuple[Value, ...], BeforeValidator(_read_list), Field(exclude_if=_is_empty)]
"""A list that documents leave out where it is empty."""


class Row(BaseModel):
    """A frozen row of the snapshot."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PoiCandidate(Row):
    """A place; `price` is one adult ticket, None where unknown; `opening_hours` empty: unknown.

    `part_of` is the place that it belongs to. `halls_hours` are those of the buildings behind the
    gate. `reach_mode` is how one gets there from the city's own ways, `reach_minutes` and
    `reach_fare` one way for one adult; a part without it is reached as its whole is.
    """

    id: str
    city: str
    name: str
    name_en: str
    type: str
    area: str
    price: Money | None
    duration_min: int
    popularity: float | None
    tags: tuple[str, ...]
    lat: float
    lon: float
    opening_hours: str
    last_entry: str | None
    closed_season: str
    intro: str
    source: str
    booking: Booking
    book_days_ahead: int
    as_of: dt.date | None
    part_of: Known[str] = None
    best_time: KnownList[TimeOfDay] = ()
    halls_hours: Known[str] = None
    reach_mode: Known[ReachMode] = None
    reach_minutes: Known[int] = None
    reach_fare: Known[Money] = None
    wheelchair: Known[Wheelchair] = None
    cuisine: KnownList[str] = ()

    @property
    def position(self) -> tuple[float, float]:
        """WGS-84 (lat, lon)."""
        return self.lat, self.lon


class HotelCandidate(Row):
    """A hotel; `price_per_night` is for one room, None where unknown."""

    id: str
    city: str
    name: str
    name_en: str
    stars: int | None
    price_per_night: Money | None
    area: str
    lat: float
    lon: float
    rating: float | None
    tags: tuple[str, ...]
    intro: str
    source: str
    check_in: str | None
    check_out: str | None
    as_of: dt.date | None
    beds: KnownList[str] = ()
    brand: Known[str] = None

    @property
    def position(self) -> tuple[float, float]:
        """WGS-84 (lat, lon)."""
        return self.lat, self.lon


class TrainCandidate(Row):
    """A train; `depart` is local to the first city, `arrive` to the second, HH:MM."""

    id: str
    number: str
    from_city: str
    from_station: str
    to_city: str
    to_station: str
    depart: str
    arrive: str
    day_offset: int
    price: Money | None
    runs_on: str
    source: str
    as_of: dt.date | None

    @property
    def depart_min(self) -> int:
        """Minutes after midnight of the day of departure."""
        return parse_minutes(self.depart)

    @property
    def arrive_min(self) -> int:
        """Minutes after midnight of the day of departure, in the second city's zone."""
        return parse_minutes(self.arrive) + 1440 * self.day_offset


class CityRow(Row):
    """A city as the snapshot keeps it; `metro_hours` from first to last train, `05:30-23:00`."""

    id: str
    name: str
    name_en: str
    country: str
    lat: float
    lon: float
    timezone: str
    modes: tuple[str, ...]
    metro_hours: Known[str] = None

    @property
    def position(self) -> tuple[float, float]:
        """WGS-84 (lat, lon)."""
        return self.lat, self.lon


class StationRow(Row):
    """A station of a city of the trip."""

    city: str
    name: str
    lat: float
    lon: float


class TagRow(Row):
    """A word of the vocabulary."""

    id: str
    name: str
    name_en: str


EARTH_RADIUS_M = 6_371_008.8
"""Mean radius, IUGG."""


def measure_distance_m(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance in metres between two (lat, lon) positions (haversine)."""
    lat_a, lon_a, lat_b, lon_b = map(math.radians, (*a, *b))
    h = (
        math.sin((lat_b - lat_a) / 2) ** 2
        + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    )
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(min(1.0, h)))
