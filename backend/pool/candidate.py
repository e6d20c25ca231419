"""Full rows of what could be in the itinerary, as the snapshot keeps them."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.clock import parse_minutes
from backend.money import Money

PoiId = Annotated[str, Field(description="Id of a place, as list_pois shows it.")]
HotelId = Annotated[str, Field(description="Id of a hotel, as list_hotels shows it.")]
TrainId = Annotated[str, Field(description="Id of a train, as list_trains shows it.")]

Booking = Literal["none", "recommended", "required"]


class Row(BaseModel):
    """A frozen row of the snapshot."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PoiCandidate(Row):
    """A place; `price` is one adult ticket, None where unknown; `opening_hours` empty: unknown."""

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
    """A city as the snapshot keeps it."""

    id: str
    name: str
    name_en: str
    country: str
    lat: float
    lon: float
    timezone: str
    modes: tuple[str, ...]

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
