"""Plans written as lines, and what one constraint finds in them.

A day is a text of items, divided by `;`. An item is `09:00-10:30 visit ID`, `12:00-13:00 lunch`,
`12:00-13:00 dinner ID`, `10:30-10:42 walk`, `14:00-15:00 fixed TITLE`, `train ID`, `own FROM TO`
or `hotel ID`. Hours past 24 are those of the next day. A train has the times of its row, unless
they are written: `08:00-11:00 train ID`. Prices, tickets and costs come from the rows.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from backend.clock import parse_minutes
from backend.planner.check.context import CheckContext
from backend.planner.check.validator import CONSTRAINTS
from backend.planner.days.timeline import add_costs
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.plan.itinerary import (
    Day,
    DayItem,
    FixedItem,
    Itinerary,
    LegItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot

ZONE = dt.timezone(dt.timedelta(hours=8))
CONSTRAINT_OF = {constraint.code: constraint for constraint in CONSTRAINTS}


def alone(days: int = 1, **changes: Any) -> Snapshot:
    """A stay in Beijing without trains to it and from it."""
    return make_snapshot(days=days, **{"origin": None, **changes})


@dataclass(frozen=True)
class Written:
    """A plan as lines by day; `trains`, `hotels` and `at` are what the draft adds to it."""

    snapshot: Snapshot
    days: tuple[str, ...]
    trains: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    hotels: Mapping[str, str] = field(default_factory=dict)
    at: Mapping[str, int] = field(default_factory=dict)
    more: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    free: tuple[int, ...] = ()
    change: Callable[[Itinerary], Itinerary] = lambda itinerary: itinerary

    def draft(self) -> Draft:
        """The choices that the lines show, and those of `more`, which have no line."""
        visits: dict[int, tuple[PlannedVisit, ...]] = {}
        listed = dict(enumerate(self._list_items(), 1))
        for day in sorted({*listed, *self.more}):
            items = (i for i in listed.get(day, ()) if isinstance(i, VisitItem | MealItem))
            ids = (*(i.poi_id for i in items if i.poi_id), *self.more.get(day, ()))
            if ids:
                visits[day] = tuple(PlannedVisit(poi_id=i, at=self.at.get(i)) for i in ids)
        return Draft(
            visits=visits, hotels=dict(self.hotels), trains=dict(self.trains), free=self.free
        )

    def itinerary(self) -> Itinerary:
        """The items with their sums, and with what `change` makes of them."""
        request = self.snapshot.request
        days = tuple(
            Day(date=request.date_of(day), city=request.destinations[0].city, items=items)
            for day, items in enumerate(self._list_items(), 1)
        )
        currency = self.snapshot.currency
        return self.change(
            Itinerary(currency=currency, prices_as_of=None, days=days, costs=add_costs(days))
        )

    def find(self, code: str) -> list[str]:
        """What the constraint says: `error 2.1 15: Message`, or with `-` for no item, no figure."""
        context = CheckContext(self.snapshot, self.draft(), self.itinerary())
        shown = []
        for breach in CONSTRAINT_OF[code].measure(context):
            found = breach.violation
            day, item, figure = (
                "-" if value is None else value
                for value in (found.where.day, found.where.item, breach.amount)
            )
            shown.append(f"{found.severity} {day}.{item} {figure}: {found.message}")
        return shown

    def _list_items(self) -> list[tuple[DayItem, ...]]:
        start = self.snapshot.request.start_date
        lines = [[part.strip() for part in day.split(";") if part.strip()] for day in self.days]
        return [
            tuple(_read_item(self.snapshot, start + dt.timedelta(day), line) for line in parts)
            for day, parts in enumerate(lines)
        ]


def _read_item(snapshot: Snapshot, date: dt.date, line: str) -> DayItem:
    first, *words = line.split()
    if not first[0].isdigit():
        return _read_untimed(snapshot, date, first, words)
    start, end = (_make_time(date, parse_minutes(text)) for text in first.split("-"))
    kind, *rest = words
    if kind == "train":
        leg = _make_train_item(snapshot, date, rest[0])
        return leg.model_copy(update={"depart": start, "arrive": end})
    if kind == "fixed":
        return FixedItem(title=" ".join(rest), start=start, end=end)
    if kind in ("walk", "metro", "taxi"):
        return TransferItem.model_validate(
            {"mode": kind, "from": "A", "to": "B", "depart": start, "arrive": end,
             "distance_m": 1000, "cost": Decimal(0)}
        )  # fmt: skip
    if kind in ("lunch", "dinner") and not rest:
        return MealItem.model_validate({"meal": kind, "start": start, "end": end, "poi_id": None})
    poi = snapshot.poi(rest[0])
    name, price = (rest[0], Decimal(0)) if poi is None else (poi.name_en, poi.price)
    paid = {"poi_id": rest[0], "name": name, **_pay(price, snapshot.request.travellers)}
    if kind == "visit":
        return VisitItem.model_validate({"arrive": start, "leave": end, **paid})
    return MealItem.model_validate({"meal": kind, "start": start, "end": end, **paid})


def _read_untimed(snapshot: Snapshot, date: dt.date, kind: str, words: list[str]) -> DayItem:
    if kind == "train":
        return _make_train_item(snapshot, date, words[0])
    if kind == "own":
        return LegItem(
            mode="own", train_id=None, number=None, from_city=words[0], from_station=None,
            to_city=words[1], to_station=None, depart=None, arrive=None, price=None, tickets=2,
            cost=None,
        )  # fmt: skip
    assert kind == "hotel", kind
    hotel, rooms = snapshot.hotel(words[0]), snapshot.request.rooms or 1
    price = hotel.price_per_night if hotel else Decimal(0)
    paid = _pay(price, rooms)
    return StayItem(
        hotel_id=words[0], name=words[0], rooms=rooms, price=price, cost=paid["cost"]
    )  # fmt: skip


def _make_train_item(snapshot: Snapshot, date: dt.date, train_id: str) -> LegItem:
    train = snapshot.rows.trains[train_id]
    return LegItem(
        mode="train", train_id=train_id, number=train.number,
        from_city=train.from_city, from_station=train.from_station,
        to_city=train.to_city, to_station=train.to_station,
        depart=_make_time(date, train.depart_min), arrive=_make_time(date, train.arrive_min),
        **_pay(train.price, snapshot.request.travellers),
    )  # fmt: skip


def _make_time(date: dt.date, minutes: int) -> dt.datetime:
    return dt.datetime.combine(date, dt.time(), ZONE) + dt.timedelta(minutes=minutes)


def _pay(price: Decimal | None, pieces: int) -> dict[str, Any]:
    return {"price": price, "tickets": pieces, "cost": None if price is None else price * pieces}
