"""Lists the rows that a rule kept out of a run's pool, which the funnel only counts.

A snapshot holds the counts, but of the rows only its reserve. If all the dropped rows are in the
reserve, they are shown. Otherwise the same rules are applied to today's catalogue with the request
and the parameters of the run; as long as the catalogue has not changed, the rows are the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal, get_args

from pydantic import Field, JsonValue

from backend.catalogue.queries import read_state
from backend.db.session import Session
from backend.document import Document
from backend.errors import NotFoundError
from backend.pool.city_search import choose_stars, find_closed, judge_counts
from backend.pool.dropped_queries import CityScope, View, read_hotels, read_places, read_trains
from backend.pool.findings import CityAsk, ask_city, list_let_in, read_limits
from backend.pool.queries import Wanted, count_hotels, count_places, read_wanted
from backend.pool.snapshot import (
    HOTEL_REJECTIONS,
    REJECTIONS,
    TRAIN_REJECTIONS,
    Kind,
    LegPool,
    Snapshot,
)
from backend.pool.stay import Leg, plan_stays
from backend.pool.wished import list_refused

REASONS: dict[Kind, tuple[str, ...]] = {
    "poi": REJECTIONS,
    "hotel": HOTEL_REJECTIONS,
    "train": TRAIN_REJECTIONS,
}
Order = Literal["rank", "name", "price", "dearest"]
ORDERS: tuple[str, ...] = get_args(Order)


@dataclass(frozen=True)
class Drop:
    """One count of the funnel; `place` is a city's id or a leg's number from 0, None all of them."""

    kind: Kind
    reason: str
    place: str | None = None


@dataclass(frozen=True)
class Dropped:
    """The rows of one part: `counted` is what the run's pool counted, `total` those that match.

    `is_exact` says that they are the run's own; otherwise the catalogue has changed since.
    """

    counted: int
    total: int
    rows: Sequence[dict[str, Any]]
    source: Literal["snapshot", "catalogue"]
    is_exact: bool

    def show(self, start: int) -> "DroppedDocument":
        """The part that begins at `start`; a row has the same fields wherever it comes from."""
        end = start + len(self.rows)
        return DroppedDocument(
            items=tuple(_show(row) for row in self.rows),
            next_cursor=end if end < self.total else None,
            total=self.total,
            counted=self.counted,
            source=self.source,
            is_exact=self.is_exact,
        )


class DroppedDocument(Document):
    """Rows that a rule has kept out of a run's pool."""

    items: tuple[dict[str, JsonValue], ...]
    next_cursor: int | None
    total: int = Field(description="Rows that match.")
    counted: int = Field(description="By the run's funnel.")
    source: Literal["snapshot", "catalogue"]
    is_exact: bool = Field(description="The run's own rows; else the catalogue has changed since.")


_FIELDS = (
    "id",
    "city",
    "name",
    "name_en",
    "area",
    "popularity",
    "stars",
    "rating",
    "from_city",
    "from_station",
    "to_city",
    "to_station",
    "depart",
    "arrive",
    "day_offset",
    "runs_on",
)


def _show(row: Mapping[str, Any]) -> dict[str, JsonValue]:
    price = row["price"]
    shown = {field: row[field] for field in _FIELDS if field in row}
    return shown | {"price": None if price is None else str(price)}


async def list_dropped(session: Session, snapshot: Snapshot, drop: Drop, view: View) -> Dropped:
    """What was dropped for a reason; a `NotFoundError` where the run knows no such count."""
    counted = _count(snapshot, drop)
    known = _recall(snapshot, drop)
    if len(known) == counted:
        found = _choose(known, view)
        part = found[view.offset : view.offset + view.size]
        return Dropped(counted, len(found), part, "snapshot", is_exact=True)
    is_exact = (await read_state(session)).version == snapshot.catalogue.version
    total, rows = await _search(session, snapshot, drop, view)
    return Dropped(counted, total, rows, "catalogue", is_exact)


def _count(snapshot: Snapshot, drop: Drop) -> int:
    counts = _list_counts(snapshot, drop) if drop.reason in REASONS[drop.kind] else []
    if not counts:
        raise NotFoundError(f"this run's pool counts no {drop.kind} as dropped by {drop.reason!r}")
    return sum(counts)


def _list_counts(snapshot: Snapshot, drop: Drop) -> list[int]:
    """Of each city or leg."""
    if drop.kind == "train":
        return [leg.rejected.get(drop.reason, 0) for _, leg in _list_legs(snapshot, drop)]
    cities = [snapshot.cities[city] for city in _list_cities(snapshot, drop)]
    if drop.kind == "poi":
        return [city.rejected.get(drop.reason, 0) for city in cities]
    return [city.hotels_rejected.get(drop.reason, 0) for city in cities]


def _list_cities(snapshot: Snapshot, drop: Drop) -> list[str]:
    return [city for city in snapshot.city_order if drop.place in {None, city}]


def _list_legs(snapshot: Snapshot, drop: Drop) -> list[tuple[int, LegPool]]:
    return [(n, leg) for n, leg in enumerate(snapshot.legs) if drop.place in {None, str(n)}]


def _recall(snapshot: Snapshot, drop: Drop) -> list[dict[str, Any]]:
    """The rows of the reserve, in their order: what sizes alone have dropped."""
    if (drop.kind, drop.reason) == ("poi", "rank"):
        ids = [
            poi
            for city in _list_cities(snapshot, drop)
            for poi in snapshot.cities[city].reserve
            if poi not in snapshot.cities[city].pois
        ]
        return [snapshot.rows.pois[poi].model_dump() for poi in ids]
    if (drop.kind, drop.reason) == ("train", "spread"):
        trains = [train for _, leg in _list_legs(snapshot, drop) for train in leg.reserve]
        rows = [snapshot.rows.trains[train] for train in trains]
        return [row.model_dump() | {"name": row.number} for row in rows]
    return []


def _choose(rows: list[dict[str, Any]], view: View) -> list[dict[str, Any]]:
    words = view.words.casefold()
    named = ("id", "name", "name_en", "from_station", "to_station")
    found = [r for r in rows if any(words in str(r.get(key, "")).casefold() for key in named)]
    sorts: dict[str, Callable[[dict[str, Any]], Any]] = {
        "name": lambda row: (row["name"], row["id"]),
        "price": lambda row: (row["price"] is None, row["price"] or 0, row["id"]),
        "dearest": lambda row: (row["price"] is None, -(row["price"] or Decimal(0)), row["id"]),
    }
    return sorted(found, key=sorts[view.order]) if view.order in sorts else found


async def _search(
    session: Session, snapshot: Snapshot, drop: Drop, view: View
) -> tuple[int, list[dict[str, Any]]]:
    request = snapshot.request
    limits = read_limits(snapshot.params, request.budget_tier)
    wanted = await read_wanted(
        session,
        request.interests,
        request.avoid,
        limits.price_cap,
        with_synthetic=limits.allow_synthetic,
    )
    refused = list_refused(request.wishes)
    wanted = replace(wanted, refused=refused, let_in=list_let_in(request))
    if drop.kind == "train":
        legs = {
            Leg(leg.from_city, leg.to_city, leg.date): leg.trains
            for _, leg in _list_legs(snapshot, drop)
        }
        return await read_trains(session, drop.reason, legs, wanted, view)
    asks = [ask for ask in _ask_cities(snapshot) if drop.place in {None, ask.stay.city}]
    read, make_scope = (
        (read_places, _scope_places) if drop.kind == "poi" else (read_hotels, _scope_hotels)
    )
    scopes = [await make_scope(session, snapshot, ask, wanted) for ask in asks]
    return await read(session, drop.reason, scopes, wanted, view)


def _ask_cities(snapshot: Snapshot) -> list[CityAsk]:
    """What the run asked of each of its cities."""
    request = snapshot.request
    limits = read_limits(snapshot.params, request.budget_tier)
    days_off = {
        city: snapshot.days_off.get(row.country, ()) for city, row in snapshot.city_rows.items()
    }
    return [
        ask_city(request, stay, frozenset(days_off[stay.city]), limits)
        for stay in plan_stays(request)
    ]


async def _scope_places(
    session: Session, snapshot: Snapshot, ask: CityAsk, wanted: Wanted
) -> CityScope:
    city = ask.stay.city
    counts = await count_places(session, city, wanted, ask.must_see)
    return CityScope(
        city, snapshot.cities[city].pois, closed=find_closed(judge_counts(counts, ask))
    )


async def _scope_hotels(
    session: Session, snapshot: Snapshot, ask: CityAsk, wanted: Wanted
) -> CityScope:
    city = ask.stay.city
    if ask.stay.nights == 0:
        return CityScope(city, ())
    stars, _ = choose_stars(await count_hotels(session, city, wanted), ask)
    return CityScope(city, snapshot.cities[city].hotels, stars=stars)
