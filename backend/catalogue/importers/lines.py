"""One model per file of the catalogue format: what a cell may hold, and how it is stored."""

import datetime as dt
import re
from decimal import Decimal
from typing import Annotated, ClassVar, Literal, Self
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from backend.catalogue.opening_hours import check_opening_hours
from backend.clock import parse_minutes

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
DAILY = 0b111_1111

_SEASON = re.compile(r"(\d\d)-(\d\d)/(\d\d)-(\d\d)")
_SOURCE = re.compile(r"authored|modelled|synthetic|imported:\S.*")
_RUNS_ON = re.compile(r"(Mo|Tu|We|Th|Fr|Sa|Su)(?:-(Mo|Tu|We|Th|Fr|Sa|Su))?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_METRO = re.compile(r"metro (\d\d:\d\d)-(\d\d:\d\d)")
_TRUE_FALSE = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _refuse(message: str) -> PydanticCustomError:
    return PydanticCustomError("bad_cell", "{reason}", {"reason": message})


def _split(value: object) -> object:
    if value is None:
        return ()
    if not isinstance(value, str):
        return value
    return tuple(dict.fromkeys(part.strip() for part in value.split(";") if part.strip()))


def _empty_as_none(value: object) -> object:
    return None if value == "" else value


def _read_bool(value: object) -> object:
    if isinstance(value, str):
        if value.lower() not in _TRUE_FALSE:
            raise _refuse("must be true or false")
        return _TRUE_FALSE[value.lower()]
    return value


def _check_id(text: str) -> str:
    if re.search(r"[\s;,/]", text):
        raise _refuse("an id has no white space, comma, semicolon or slash")
    return text


def _check_printable(text: str) -> str:
    if _CONTROL.search(text):
        raise _refuse("holds a control character")
    return text


def _check_time(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        minutes = parse_minutes(text)
    except ValueError:
        raise _refuse("must be a time of the form HH:MM") from None
    if minutes >= 24 * 60:
        raise _refuse("must be a time of one day, 00:00 to 23:59; use day_offset past midnight")
    return text


def _check_hours(text: str) -> str:
    reason = check_opening_hours(text) if text else None
    if reason is not None:
        raise _refuse(f"is not OpenStreetMap opening hours: {reason}")
    return text


def _check_season(text: str) -> str:
    if not text:
        return text
    match = _SEASON.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        for month, day in ((match[1], match[2]), (match[3], match[4])):
            dt.date(2024, int(month), int(day))  # a leap year: 02-29 is a day
    except ValueError:
        raise _refuse("must be two days of the form MM-DD/MM-DD") from None
    return text


def _check_some_hours(text: str | None) -> str | None:
    return None if text is None else _check_hours(text)


def _check_mode(text: str) -> str:
    """`walk`, `metro`, `taxi`, or `metro 05:30-23:00` with its first and last train."""
    if text in {"walk", "metro", "taxi"}:
        return text
    match = _METRO.fullmatch(text)
    if match is None:
        raise _refuse("must be walk, metro, taxi, or metro with its hours: metro 05:30-23:00")
    _check_time(match[1])
    _check_time(match[2])
    return text


def _check_source(text: str) -> str:
    if not _SOURCE.fullmatch(text):
        raise _refuse("must be authored, modelled, synthetic or imported:<name>")
    return text


def _check_timezone(text: str) -> str:
    if text not in available_timezones():
        raise _refuse("must be a time zone of the IANA data base such as Asia/Shanghai")
    return text


def read_weekdays(text: str) -> int:
    """Bits of `Mo-Fr`, `Sa,Su`, `Fr-Mo` (bit 0 is Monday); empty is every day."""
    if not text:
        return DAILY
    mask = 0
    for part in text.split(","):
        match = _RUNS_ON.fullmatch(part.strip())
        if match is None:
            raise _refuse("must be weekdays such as Mo-Fr or Sa,Su; empty: every day")
        first = WEEKDAYS.index(match[1])
        last = WEEKDAYS.index(match[2] or match[1])
        for n in range((last - first) % 7 + 1):
            mask |= 1 << (first + n) % 7
    return mask


def _check_runs_on(text: str) -> str:
    read_weekdays(text)
    return text


Id = Annotated[
    str,
    Field(min_length=1, max_length=100),
    AfterValidator(_check_id),
    AfterValidator(_check_printable),
]
Text = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_check_printable)]
OptionalText = Annotated[str, Field(max_length=300), AfterValidator(_check_printable)]
FreeText = Annotated[str, Field(max_length=5000)]
Tags = Annotated[tuple[Id, ...], BeforeValidator(_split)]
Lat = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Lon = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
Price = Annotated[
    Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2)] | None,
    BeforeValidator(_empty_as_none),
]
OptionalId = Annotated[Id | None, BeforeValidator(_empty_as_none)]
SomeHours = Annotated[
    Annotated[str, Field(max_length=2000)] | None,
    BeforeValidator(_empty_as_none),
    AfterValidator(_check_some_hours),
]
Time = Annotated[str | None, BeforeValidator(_empty_as_none), AfterValidator(_check_time)]
RequiredTime = Annotated[str, AfterValidator(_check_time)]
Flag = Annotated[bool, BeforeValidator(_read_bool)]
Source = Annotated[str, AfterValidator(_check_source)]
AsOf = Annotated[dt.date | None, BeforeValidator(_empty_as_none)]
Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]


class Line(BaseModel):
    """A checked line; `FILE` is the file's (and folder's) name, `LABEL` what a person calls it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    FILE: ClassVar[str]

    @property
    def key(self) -> tuple[str, ...]:
        """What must be unique within the file."""
        raise NotImplementedError


class IdLine(Line):
    """A line with an id of its own."""

    id: Id

    @property
    def key(self) -> tuple[str, ...]:
        """The id."""
        return (self.id,)


class CityLine(IdLine):
    """A line of cities.csv."""

    FILE = "cities"

    name: Text
    name_en: Text
    country: Annotated[str, Field(pattern="^[A-Z]{2}$")]
    lat: Lat
    lon: Lon
    timezone: Annotated[str, AfterValidator(_check_timezone)]
    modes: Annotated[
        tuple[Annotated[str, AfterValidator(_check_mode)], ...], BeforeValidator(_split)
    ] = ("walk", "taxi")

    @property
    def metro_hours(self) -> str | None:
        """First and last train of the metro as `modes` tells them: `05:30-23:00`."""
        return next((mode[6:] for mode in self.modes if _METRO.fullmatch(mode)), None)


class TagLine(IdLine):
    """A line of tags.csv."""

    FILE = "tags"

    name: Text
    name_en: Text


class PoiLine(IdLine):
    """A line of pois.csv."""

    FILE = "pois"

    city: Id
    name: Text
    name_en: OptionalText
    type: Id
    area: OptionalText
    price: Price
    currency: Currency
    duration_min: Annotated[int, Field(ge=1, le=1440)]
    popularity: Annotated[
        Annotated[float, Field(ge=0, le=100)] | None, BeforeValidator(_empty_as_none)
    ]
    tags: Tags
    lat: Lat
    lon: Lon
    opening_hours: Annotated[str, Field(max_length=2000), AfterValidator(_check_hours)]
    last_entry: Time
    closed_season: Annotated[str, AfterValidator(_check_season)]
    intro: FreeText
    enabled: Flag
    source: Source
    booking: Annotated[
        Literal["none", "recommended", "required"], BeforeValidator(lambda v: v or "none")
    ] = "none"
    book_days_ahead: Annotated[
        Annotated[int, Field(ge=0, le=365)], BeforeValidator(lambda v: v or 0)
    ] = 0
    as_of: AsOf = None
    part_of: OptionalId = None
    best_time: Annotated[
        tuple[Literal["morning", "day", "dusk", "night"], ...], BeforeValidator(_split)
    ] = ()
    halls_hours: SomeHours = None
    reach_mode: Annotated[
        Literal["ferry", "cable_car", "coach"] | None, BeforeValidator(_empty_as_none)
    ] = None
    reach_minutes: Annotated[
        Annotated[int, Field(ge=1, le=600)] | None, BeforeValidator(_empty_as_none)
    ] = None
    reach_fare: Price = None
    wheelchair: Annotated[
        Literal["yes", "limited", "no"] | None, BeforeValidator(_empty_as_none)
    ] = None
    cuisine: Tags = ()

    @model_validator(mode="after")
    def _check_reach(self) -> Self:
        if self.reach_mode is None and (self.reach_minutes, self.reach_fare) != (None, None):
            raise _refuse("reach_mode: is missing beside reach_minutes or reach_fare")
        if self.reach_mode is not None and self.reach_minutes is None:
            raise _refuse(f"reach_minutes: is missing beside reach_mode {self.reach_mode}")
        return self


class HotelLine(IdLine):
    """A line of hotels.csv."""

    FILE = "hotels"

    city: Id
    name: Text
    name_en: OptionalText
    stars: Annotated[Annotated[int, Field(ge=1, le=7)] | None, BeforeValidator(_empty_as_none)]
    price_per_night: Price
    currency: Currency
    area: OptionalText
    lat: Lat
    lon: Lon
    rating: Annotated[Annotated[float, Field(ge=0, le=10)] | None, BeforeValidator(_empty_as_none)]
    tags: Tags
    intro: FreeText
    enabled: Flag
    source: Source
    check_in: Time = None
    check_out: Time = None
    as_of: AsOf = None
    beds: Annotated[
        tuple[Literal["one_double", "two_single", "family"], ...], BeforeValidator(_split)
    ] = ()
    brand: Annotated[Text | None, BeforeValidator(_empty_as_none)] = None


class FareLine(Line):
    """A line of fares.csv: the share of the adult's price, by age or group."""

    FILE = "fares"

    country: Annotated[str, Field(pattern="^[A-Z]{2}$")]
    kind: Literal["rail", "sight"]
    who: Literal["adult", "child", "senior", "student", "free"]
    age_from: Annotated[Annotated[int, Field(ge=0, le=150)], BeforeValidator(lambda v: v or 0)]
    age_to: Annotated[Annotated[int, Field(ge=0, le=150)] | None, BeforeValidator(_empty_as_none)]
    share: Annotated[Decimal, Field(ge=0, le=1, max_digits=4, decimal_places=3)]
    source: Source

    @property
    def key(self) -> tuple[str, ...]:
        """Country, kind, who and the first year."""
        return self.country, self.kind, self.who, str(self.age_from)

    @model_validator(mode="after")
    def _check_ages(self) -> Self:
        if self.age_to is not None and self.age_to < self.age_from:
            raise _refuse(f"age_to: {self.age_to} lies below age_from {self.age_from}")
        if self.who == "free" and self.share:
            raise _refuse(f"share: who is free pays 0, not {self.share}")
        return self


class StationLine(Line):
    """A line of stations.csv."""

    FILE = "stations"

    city: Id
    name: Text
    lat: Lat
    lon: Lon

    @property
    def key(self) -> tuple[str, ...]:
        """City and name."""
        return self.city, self.name


class TrainLine(IdLine):
    """A line of trains.csv."""

    FILE = "trains"

    number: Text
    from_city: Id
    from_station: Text
    to_city: Id
    to_station: Text
    depart: RequiredTime
    arrive: RequiredTime
    day_offset: Annotated[int, Field(ge=0, le=6), BeforeValidator(lambda v: v or 0)]
    price: Price
    currency: Currency
    runs_on: Annotated[str, AfterValidator(_check_runs_on)]
    enabled: Flag
    source: Source
    as_of: AsOf = None


class NameLine(Line):
    """A line of names.csv: a name that people use; a station's or an area's id is `city/name`."""

    FILE = "names"

    kind: Literal["city", "tag", "area", "station", "hotel", "poi", "group"]
    id: Text
    language: Literal["zh-CN", "en"]
    name: Text
    use: Literal["name", "alias", "short", "former"]

    @property
    def key(self) -> tuple[str, ...]:
        """Whose name, and the name."""
        return self.kind, self.id, self.name

    @property
    def owner(self) -> tuple[str, str]:
        """The row that it names."""
        return ("poi" if self.kind == "group" else self.kind), self.id


LINES: tuple[type[Line], ...] = (
    CityLine,
    TagLine,
    PoiLine,
    HotelLine,
    StationLine,
    TrainLine,
    FareLine,
    NameLine,
)
"""In the order in which one file may name rows of another."""
