"""The itinerary as it is delivered: timed items by day, computed by code from draft and snapshot.

Times are local with offset; `price` is for one, `cost` for the party; unknown prices are null and
count 0 in totals.

The items of an itinerary that have a start and an end, with their names.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.money import Money
from backend.pool.fares import HeadFare

Mode = Literal["walk", "metro", "taxi"]
Severity = Literal["error", "warning"]


class Item(BaseModel):
    """A frozen item of a day."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


Fares = Annotated[
    tuple[HeadFare, ...],
    Field(
        description="Who pays which price, where children or seniors have fares of their own.",
        exclude_if=lambda value: not value,
    ),
]


class LegItem(Item):
    """A train between two cities, or the traveller's own way (`mode` own, no times known)."""

    kind: Literal["leg"] = "leg"
    mode: Literal["train", "own"]
    train_id: str | None
    number: str | None
    from_city: str
    from_station: str | None
    to_city: str
    to_station: str | None
    depart: dt.datetime | None
    arrive: dt.datetime | None
    price: Money | None
    tickets: int
    cost: Money | None
    fares: Fares = ()


class TransferItem(Item):
    """The way between two stops inside a city; the cost is the party's."""

    kind: Literal["transfer"] = "transfer"
    mode: Mode
    from_: str = Field(alias="from")
    to: str
    depart: dt.datetime
    arrive: dt.datetime
    distance_m: int
    cost: Money


class VisitItem(Item):
    """A place, entered at `arrive`: waiting for the opening is before it."""

    kind: Literal["visit"] = "visit"
    poi_id: str
    name: str
    arrive: dt.datetime
    leave: dt.datetime
    price: Money | None
    tickets: int
    cost: Money | None
    fares: Fares = ()


class MealItem(Item):
    """Time kept for a meal; with `poi_id` a food place that is eaten at, else somewhere `near`.

    `alternatives` are other food places nearby that are open then.
    """

    kind: Literal["meal"] = "meal"
    meal: Literal["lunch", "dinner"]
    start: dt.datetime
    end: dt.datetime
    poi_id: str | None
    name: str | None = None
    price: Money | None = None
    tickets: int | None = None
    cost: Money | None = None
    near: str | None = Field(
        None, description="Where one is before a free meal.", exclude_if=lambda name: name is None
    )
    alternatives: tuple[str, ...] = Field(
        (), description="Ids of up to three other food places nearby, the nearest first."
    )


class FixedItem(Item):
    """A booking of the traveller's own; never moved."""

    kind: Literal["fixed"] = "fixed"
    title: str
    start: dt.datetime
    end: dt.datetime


class LuggageItem(Item):
    """Bags are left at a place for the day, or taken from it again."""

    kind: Literal["luggage"] = "luggage"
    action: Literal["drop", "collect"]
    place: str
    start: dt.datetime
    end: dt.datetime
    cost: Money


class StayItem(Item):
    """The night that closes a day; `price` is for one room."""

    kind: Literal["stay"] = "stay"
    hotel_id: str
    name: str
    rooms: int
    price: Money | None
    cost: Money | None


DayItem = Annotated[
    LegItem | TransferItem | VisitItem | MealItem | FixedItem | LuggageItem | StayItem,
    Field(discriminator="kind"),
]


class Day(Item):
    """A day; `city` is where its night is spent, on the last day the last destination."""

    date: dt.date
    city: str
    items: tuple[DayItem, ...]


class Costs(Item):
    """Totals for the party."""

    tickets: Money = Decimal(0)
    meals: Money = Decimal(0)
    hotels: Money = Decimal(0)
    trains: Money = Decimal(0)
    local_transport: Money = Decimal(0)
    total: Money = Decimal(0)


class Itinerary(Item):
    """All days with their costs; `prices_as_of` is the oldest date of a price in it."""

    currency: str
    prices_as_of: dt.date | None
    days: tuple[Day, ...]
    costs: Costs

    def as_json(self) -> dict[str, Any]:
        """JSON values of the delivered shape."""
        return self.model_dump(mode="json", by_alias=True)


class Where(Item):
    """A place in the plan: `day` counts from 1, `item` from 0; or a wish of the request, from 0."""

    day: int | None = None
    item: int | None = None
    wish: int | None = Field(None, exclude_if=lambda value: value is None)


class WishParams(Item):
    """A wish that is not kept: what was wished for, what is instead, and whether that is known."""

    wish: str
    have: str
    known: bool


class Violation(Item):
    """A constraint that the plan breaks; errors block submission, warnings are shown."""

    code: str
    severity: Severity
    where: Where
    message: str
    params: WishParams | None = Field(
        None,
        description="Of a wish: the values of the message.",
        exclude_if=lambda value: value is None,
    )


def list_missed(violations: Iterable[Violation]) -> dict[int, list[tuple[bool, str]]]:
    """By the number of a wish what is wrong with it: whether that is known, and the message."""
    missed: dict[int, list[tuple[bool, str]]] = {}
    for violation in violations:
        number, params = violation.where.wish, violation.params
        if number is not None and params is not None:
            missed.setdefault(number, []).append((params.known, violation.message))
    return missed


@dataclass(frozen=True)
class Timed:
    """A span of time of the plan."""

    day: int
    item: int
    name: str
    start: dt.datetime
    end: dt.datetime
    is_fixed: bool
    is_way: bool
    is_train: bool


def list_timed(itinerary: Itinerary) -> Iterator[Timed]:
    """All spans in the order in which they are listed; stays and own legs have no times."""
    for day, row in enumerate(itinerary.days, 1):
        for number, item in enumerate(row.items):
            span = read_span(item)
            if span is not None:
                kinds = (isinstance(item, kind) for kind in (FixedItem, TransferItem, LegItem))
                yield Timed(day, number, _name(item), *span, *kinds)


def read_span(item: DayItem) -> tuple[dt.datetime, dt.datetime] | None:
    """Start and end of an item; None where it has none."""
    if isinstance(item, VisitItem):
        return item.arrive, item.leave
    if isinstance(item, MealItem | FixedItem | LuggageItem):
        return item.start, item.end
    if isinstance(item, TransferItem):
        return item.depart, item.arrive
    if isinstance(item, LegItem) and item.depart is not None and item.arrive is not None:
        return item.depart, item.arrive
    return None


def _name(item: DayItem) -> str:
    if isinstance(item, VisitItem):
        return item.name
    if isinstance(item, MealItem):
        return item.name or item.meal
    if isinstance(item, FixedItem):
        return item.title
    if isinstance(item, TransferItem):
        return f"{item.from_} → {item.to}"
    if isinstance(item, LuggageItem):
        return item.place
    return item.number or "" if isinstance(item, LegItem) else ""
