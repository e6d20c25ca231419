"""The frozen pool: all rows that a run reads, with a hash of everything that decided it.

The hash leaves out run ids, times, the planner and the locale, so that the preview and the run of
one request agree; the catalogue's version and row counts stand beside it.
"""

import datetime as dt
import hashlib
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from backend.canonical import dump_canonical, join_canonical
from backend.catalogue.place_types import FOOD_TYPES
from backend.money import Money
from backend.params.registry import ParamValue
from backend.pool.candidate import (
    CityRow,
    HotelCandidate,
    PoiCandidate,
    StationRow,
    TagRow,
    TrainCandidate,
)
from backend.pool.fares import FareKind, FareRule, Payment, pay_tickets
from backend.pool.plan_request import PlanRequest
from backend.pool.wished import Spots, list_leg_wishes
from backend.pool.wishes import IntercityWish

Kind = Literal["poi", "hotel", "train"]

REJECTIONS = ("disabled", "avoided", "synthetic", "price", "closed", "rank")
HOTEL_REJECTIONS = ("no_night", "disabled", "synthetic", "avoided", "stars", "rank")
TRAIN_REJECTIONS = ("disabled", "synthetic", "not_running", "spread")


Value = TypeVar("Value")

MOST_KEPT = 4
"""Drafts of which something is remembered: the last one, the one before it, and both without visits."""


_BESIDE = frozenset({"sha256", "catalogue", "asked_on"})
_FREE = frozenset({"planner", "locale", "resolved"})
"""Members of the snapshot and of its request that the hash does not cover."""


class Part(BaseModel):
    """A frozen part of the snapshot."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class CityPool(Part):
    """Candidates of one city: the ranked places, then the must-sees appended to them.

    `reserve` continues with those that would get in after the first `POOL_POI_SIZE`; a must-see that was appended
    because of its rank stands there too. `rejected` has all six reasons.
    """

    arrive: dt.date
    leave: dt.date
    nights: int
    pois: tuple[str, ...]
    must_see_added: tuple[str, ...]
    rejected: dict[str, int]
    reserve: tuple[str, ...]
    hotels: tuple[str, ...]
    hotels_widened: bool
    hotels_rejected: dict[str, int]

    @property
    def ranking(self) -> tuple[str, ...]:
        """The ranked places as far as the snapshot knows them."""
        return self.pois[: len(self.pois) - len(self.must_see_added)] + self.reserve


Moment = Annotated[
    dt.datetime, PlainSerializer(dt.datetime.isoformat, return_type=str, when_used="json")
]
"""A local time that keeps its offset as a number: pydantic alone would write `Z` in London's winter."""


class Connection(Part):
    """Two trains with one change; times are local with offset, price None where one is unknown."""

    trains: tuple[str, str]
    via: str
    depart: Moment
    arrive: Moment
    price: Money | None


class LegPool(Part):
    """Trains from one city to another on a date; connections only where none goes direct."""

    from_city: str = Field(alias="from")
    to_city: str = Field(alias="to")
    date: dt.date
    trains: tuple[str, ...]
    direct: bool
    connections: tuple[Connection, ...]
    reserve: tuple[str, ...]
    rejected: dict[str, int]


class PoolWarning(Part):
    """Something that the traveller should know; the text is made where it is shown."""

    code: str
    city: str | None = None
    poi_id: str | None = None
    leg: int | None = None
    count: int | None = None


class SnapshotRows(Part):
    """Full rows by id of all candidates and of the reserve."""

    pois: dict[str, PoiCandidate]
    hotels: dict[str, HotelCandidate]
    trains: dict[str, TrainCandidate]


class CatalogueCounts(Part):
    """What the catalogue held when the pool was built; not part of the hash."""

    version: int
    rows: dict[Kind, int]


class Snapshot(Part):
    """One object for preview, run, export and replay; `cities` in the order they are visited."""

    format: Literal[1] = 1
    sha256: str = ""
    request: PlanRequest
    params: dict[str, ParamValue]
    currency: str
    cities: dict[str, CityPool]
    legs: tuple[LegPool, ...]
    warnings: tuple[PoolWarning, ...]
    rows: SnapshotRows
    city_rows: dict[str, CityRow]
    stations: tuple[StationRow, ...]
    tags: tuple[TagRow, ...]
    days_off: dict[str, tuple[dt.date, ...]]
    fares: tuple[FareRule, ...] = Field(
        (),
        description="Fares by age; only where the party has children or seniors.",
        exclude_if=lambda value: not value,  # older snapshots had none: their hashes stay
    )
    asked_on: dt.date | None = Field(
        None,
        description="When the trip was asked for, by which reservations are judged; not part of the "
        "hash. Absent where nobody asks for a trip: in previews, in older snapshots, and of a trip "
        "that lies in the past.",
        exclude_if=lambda value: value is None,
    )
    catalogue: CatalogueCounts

    def as_json(self) -> dict[str, Any]:
        """The snapshot file's object, as JSON values."""
        return self.model_dump(mode="json", by_alias=True)

    def as_text(self) -> str:
        """The snapshot file: that object as canonical JSON (RFC 8785)."""
        return self.remember("text", None, lambda: dump_canonical(self.as_json()).decode())

    def sealed(self) -> "Snapshot":
        """The same snapshot with its hash filled in; its text, nearly the same, comes along."""
        document = self.as_json()
        members = {key: dump_canonical(value) for key, value in document.items()}
        hashed = {key: value for key, value in members.items() if key not in _BESIDE}
        hashed["request"] = dump_canonical(_drop(document["request"], _FREE))
        sha256 = hashlib.sha256(join_canonical(hashed)).hexdigest()
        done = self.model_copy(update={"sha256": sha256})
        text = join_canonical({**members, "sha256": dump_canonical(sha256)}).decode()
        done.remember("text", None, lambda: text)
        return done

    def remember(self, what: str, key: object, compute: Callable[[], Value]) -> Value:
        """What `compute` gives, or gave for the same key a moment ago; it must follow from both.

        Writing, checking and delivering a plan ask for the same things of the same draft.
        """
        kept = self._kept.setdefault(what, [])
        for known, value in tuple(kept):
            if known == key:
                return cast(Value, value)
        value = compute()
        kept[:] = [(key, value), *kept[: MOST_KEPT - 1]]
        return value

    @cached_property
    def _kept(self) -> dict[str, list[tuple[object, object]]]:
        return {}

    def __copy__(self) -> Self:
        """A copy without what was computed: the caller may change what it follows from."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return cast(Self, self.model_construct(**fields))

    @cached_property
    def city_order(self) -> tuple[str, ...]:
        """City ids in the order they are visited."""
        return tuple(destination.city for destination in self.request.destinations)

    @cached_property
    def ids_by_kind(self) -> dict[Kind, frozenset[str]]:
        """Ids of what may be in the itinerary, trains of connections too; the reserve may not.

        By kind, since nothing keeps a hotel's id apart from a place's.
        """
        cities, legs = self.cities.values(), self.legs
        trains = {train for leg in legs for train in leg.trains}
        trains.update(train for leg in legs for c in leg.connections for train in c.trains)
        return {
            "poi": frozenset(poi for city in cities for poi in city.pois),
            "hotel": frozenset(hotel for city in cities for hotel in city.hotels),
            "train": frozenset(trains),
        }

    def choose_must_sees(self, planned: Collection[str] = ()) -> tuple[str, ...]:
        """A place for each must-see: of a group one that is planned, else its best known one."""
        return tuple(dict.fromkeys(self.list_must_sees(planned)))

    def list_must_sees(self, planned: Collection[str] = ()) -> list[str]:
        """The same, one for each must-see in their order."""
        return [self._choose(choice, planned) for choice in self.request.must_see_choices]

    def _choose(self, choice: Sequence[str], planned: Collection[str]) -> str:
        def rank(poi_id: str) -> tuple[bool, bool, bool, float]:
            poi = self.poi(poi_id)
            known = poi.popularity if poi is not None else None
            is_late = poi is not None and self.is_too_late(poi, self.cities[poi.city].leave)
            return poi_id not in planned, poi is None, is_late, -(known or 0)

        return min(choice, key=rank)

    @cached_property
    def must_see(self) -> tuple[str, ...]:
        """The places that the must-sees of the request are planned as."""
        return self.choose_must_sees()

    def poi(self, poi_id: str) -> PoiCandidate | None:
        """The place with this id, if it is in the pool."""
        return self.rows.pois.get(poi_id) if poi_id in self.ids_by_kind["poi"] else None

    def hotel(self, hotel_id: str) -> HotelCandidate | None:
        """The hotel with this id, if it is in the pool."""
        return self.rows.hotels.get(hotel_id) if hotel_id in self.ids_by_kind["hotel"] else None

    def train(self, train_id: str) -> TrainCandidate | None:
        """The train with this id, if it is in the pool."""
        return self.rows.trains.get(train_id) if train_id in self.ids_by_kind["train"] else None

    def is_too_late(self, poi: PoiCandidate, date: dt.date) -> bool:
        """Whether the reservation that a visit on this date needs had to be made before the trip was asked for."""
        if poi.booking != "required" or self.asked_on is None:
            return False
        return date - dt.timedelta(poi.book_days_ahead) < self.asked_on

    @cached_property
    def spots(self) -> Spots:
        """Where the places, stations and hotels of the snapshot are, by id."""
        rows: list[PoiCandidate | HotelCandidate]
        rows = [*self.rows.hotels.values(), *self.rows.pois.values()]
        stations = {f"{s.city}/{s.name}": (s.city, (s.lat, s.lon)) for s in self.stations}
        return {row.id: (row.city, row.position) for row in rows} | stations

    def list_leg_wishes(self, number: int) -> tuple[IntercityWish, ...]:
        """The wishes about one leg."""
        ways = [(leg.from_city, leg.to_city) for leg in self.legs]
        return list_leg_wishes(self.request, ways, number)

    def list_fares(self, kind: FareKind, city: str) -> tuple[FareRule, ...]:
        """The fares by age that hold in a city, or for trains that leave it."""
        row = self.city_rows.get(city)
        country = None if row is None else row.country
        return tuple(rule for rule in self.fares if (rule.kind, rule.country) == (kind, country))

    def pay_entry(self, poi: PoiCandidate) -> Payment:
        """What the party pays for a place; meals have no fares by age."""
        if poi.type in FOOD_TYPES:
            return pay_tickets(self.request, (), poi.price)
        return self.pay("sight", poi.city, poi.price)

    def pay(self, kind: FareKind, city: str, price: Decimal | None) -> Payment:
        """What the party pays for tickets at this adult price."""
        return pay_tickets(self.request, self.list_fares(kind, city), price)

    def station_position(self, city: str, name: str) -> tuple[float, float]:
        """Where a station stands; one without a row stands at the city's position."""
        for station in self.stations:
            if station.city == city and station.name == name:
                return station.lat, station.lon
        return self.city_rows[city].position


def _drop(document: dict[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in keys}
