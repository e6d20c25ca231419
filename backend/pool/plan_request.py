"""The request for a plan; a snapshot holds it with ids for names and defaults filled in."""

import datetime as dt
from collections.abc import Container, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
)
from pydantic_core import PydanticCustomError

from backend.clock import parse_minutes
from backend.document import Document as Delivered
from backend.money import Money
from backend.pool.wishes import (
    AnyOf,
    NameOrGroup,
    Wish,
    check_time,
    drop_named,
    list_exempt_hotels,
    list_exempt_places,
    list_ids,
)
from backend.text import Locale

Tier = Literal["economy", "comfort", "quality"]
Pace = Literal["relaxed", "standard", "packed"]
PlannerChoice = Literal["auto", "builtin", "openai"]
TransportMode = Literal["train", "flight", "ferry", "coach"]
Access = Literal["wheelchair", "stroller", "few_steps"]

_TIER_NAMES = {"经济": "economy", "舒适": "comfort", "品质": "quality"}
FIRST_DATE = dt.date(2000, 1, 1)
LAST_DATE = dt.date(9999, 10, 31)
"""The last possible day of a trip: Python has no dates after the year 9999."""
SENIOR_AGE = 60
SHARES_A_BED = 12
"""A child below this age sleeps beside a grown-up: two of them need no room of their own."""


def _is_empty(value: object) -> bool:
    return value == ()


def _is_unsaid(value: object) -> bool:
    return value is None or value is False


def _list_field(most: int, description: str) -> Any:
    """A list that documents leave out where it is empty, so that older ones keep their hashes."""
    return Field((), max_length=most, description=description, exclude_if=_is_empty)


class Document(BaseModel):
    """A frozen document that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


def _check_day_time(text: str) -> str:
    check_time(text)
    if parse_minutes(text) >= 24 * 60:
        raise PydanticCustomError("bad_time", "must be a time of one day, 00:00 to 23:59")
    return text


def _read_tier(value: object) -> object:
    return _TIER_NAMES.get(value, value) if isinstance(value, str) else value


DayTime = Annotated[str, AfterValidator(_check_day_time), Field(examples=["10:30"])]
LateTime = Annotated[str, AfterValidator(check_time), Field(examples=["21:00"])]
Name = Annotated[str, Field(min_length=1, max_length=200)]
TierField = Annotated[Tier, BeforeValidator(_read_tier)]
LocalTime = Annotated[dt.datetime, Field(examples=["2026-05-02T14:00"])]


class Destination(Document):
    """A city and, for all or for none, the nights spent there."""

    city: Name
    nights: Annotated[int, Field(ge=0, le=30, strict=True)] | None = None


class Point(Document):
    """A named position, WGS-84 degrees."""

    lat: Annotated[float, Field(ge=-90, le=90)]
    lon: Annotated[float, Field(ge=-180, le=180)]
    name: Name


def _kind_of_place(value: object) -> str:
    return "station" if isinstance(value, str) else "point"


StationOrPoint = Annotated[
    Annotated[Name, Tag("station")] | Annotated[Point, Tag("point")],
    Discriminator(_kind_of_place),
]


class OwnTransport(Document):
    """The traveller's own way in or out: local time on the first or last day, and where."""

    time: DayTime
    place: StationOrPoint
    mode: TransportMode | None = Field(None, exclude_if=_is_unsaid)
    international: Annotated[bool, Field(strict=True)] = Field(False, exclude_if=_is_unsaid)
    buffer_min: Annotated[int, Field(ge=0, le=720, strict=True)] | None = Field(
        None,
        description="Minutes kept free before the departure or after the arrival. Default: 120 and"
        " 60 for a flight, 180 and 90 where a border is crossed, else 30 and 0.",
        exclude_if=_is_unsaid,
    )


class FixedBooking(Document):
    """Something booked that is never moved; times are local to the city of that day."""

    title: Name
    start: LocalTime
    end: LocalTime
    lat: Annotated[float, Field(ge=-90, le=90)] | None = None
    lon: Annotated[float, Field(ge=-180, le=180)] | None = None


class Resolved(Document):
    """What a name of the request was taken for; without an id it is the traveller's own business."""

    pointer: str
    said: str
    id: str | None
    name: str
    near: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The entry of a result or a preview."""
        return self.model_dump(mode="json", include={"pointer", "said", "id", "name"})


class ResolvedDocument(Delivered):
    """What a name of the request was taken for; a group has an entry for each of its places."""

    pointer: str
    said: str
    id: str | None = Field(description="Null for an origin that the catalogue lacks.")
    name: str


class PlanRequest(Document):
    """Body of `POST /v1/itineraries`."""

    origin: Name | None = Field(None, description="City id or name; unset: no first and last leg.")
    destinations: Annotated[tuple[Destination, ...], Field(min_length=1, max_length=8)]
    start_date: Annotated[dt.date, Field(ge=FIRST_DATE, le=LAST_DATE)]
    days: Annotated[int, Field(ge=1, le=30, strict=True)]
    travellers: Annotated[int, Field(ge=1, le=20, strict=True)]
    children: tuple[Annotated[int, Field(ge=0, le=17, strict=True)], ...] = Field(
        (), max_length=20, description="Ages; children count among the travellers."
    )
    seniors: tuple[Annotated[int, Field(ge=SENIOR_AGE, le=120, strict=True)], ...] = _list_field(
        20, "Ages from 60; seniors count among the travellers."
    )
    rooms: Annotated[int, Field(ge=1, le=20, strict=True)] | None = Field(
        None,
        description="Default: two adults a room, and no more than two travellers of 12 or older.",
    )
    budget_tier: TierField = Field(description="Also 经济, 舒适, 品质.")
    budget_total: Annotated[Money, Field(gt=0, max_digits=12, decimal_places=2)] | None = Field(
        None, description="For everything and everybody."
    )
    interests: Annotated[tuple[Name, ...], Field(max_length=20)] = ()
    must_see: Annotated[tuple[NameOrGroup, ...], Field(max_length=50)] = ()
    avoid: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    access: tuple[Access, ...] = _list_field(3, "What the travellers need in order to get about.")
    dietary: tuple[Name, ...] = _list_field(20, "What the travellers eat or do not eat.")
    wishes: tuple[Wish, ...] = _list_field(
        30, "What else is wished for: nine kinds, each a `must` or a `rather`."
    )
    pace: Pace = "standard"
    day_start: DayTime = "09:00"
    day_end: LateTime = "21:00"
    arrival: OwnTransport | None = None
    departure: OwnTransport | None = None
    fixed: Annotated[tuple[FixedBooking, ...], Field(max_length=50)] = ()
    notes: Annotated[str, Field(max_length=2000)] = ""
    locale: Locale = "zh-CN"
    planner: PlannerChoice = "auto"
    resolved: tuple[Resolved, ...] = Field(
        (),
        description="What names were taken for. Waypool writes it; what is sent is ignored.",
        exclude_if=lambda value: not value,  # older requests had none: their hashes stay
    )

    @property
    def must_see_choices(self) -> tuple[tuple[str, ...], ...]:
        """For each must-see the places of which one is enough: mostly just one."""
        return tuple(list_ids(named) for named in self.must_see)

    @property
    def must_see_ids(self) -> tuple[str, ...]:
        """All places that a must-see names, those of groups too."""
        return tuple(dict.fromkeys(poi_id for c in self.must_see_choices for poi_id in c))

    @property
    def wished_place_ids(self) -> tuple[str, ...]:
        """Places named in a wish, which no rule keeps out of the pool."""
        return list_exempt_places(self.wishes)

    @property
    def wished_hotel_ids(self) -> tuple[str, ...]:
        """Hotels named in such a wish."""
        return list_exempt_hotels(self.wishes)

    def drop_must_sees(self, gone: Container[str]) -> tuple[str | AnyOf, ...]:
        """The must-sees without these places; a group stays as long as it has a place."""
        left = [tuple(i for i in choice if i not in gone) for choice in self.must_see_choices]
        return tuple(c[0] if len(c) == 1 else AnyOf(any_of=c) for c in left if c)

    def drop_wishes(self, gone: Container[str]) -> tuple[Wish, ...]:
        """The wishes without the names of these places and hotels."""
        return drop_named(self.wishes, gone)

    @property
    def last_date(self) -> dt.date:
        """The last day of the trip."""
        return self.start_date + dt.timedelta(self.days - 1)

    def date_of(self, day: int) -> dt.date:
        """The date of `day`, which counts from 1."""
        return self.start_date + dt.timedelta(day - 1)


def share_nights(days: int, cities: int) -> list[int]:
    """Nights per city where none are given: evenly, earlier cities first (5 over 2: 3 and 2)."""
    each, rest = divmod(days - 1, cities)
    return [each + (1 if n < rest else 0) for n in range(cities)]


def count_rooms(travellers: int, children: Sequence[int]) -> int:
    """Rooms where none are given: two adults to a room, and two travellers of 12 or older."""
    adults = travellers - len(children)
    grown = travellers - sum(age < SHARES_A_BED for age in children)
    return max(1, (adults + 1) // 2, (grown + 1) // 2)
