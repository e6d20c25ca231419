"""One run of the quality bench in numbers, read from what it delivered and from its log.

What the visits of a plan are worth, and more than any plan for the same pool could be worth.

The bound forgets ways, rest, hours within a day and the budget: each city's days are one sack of
minutes and of visits, filled with the best fractions of places.
"""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.clock import parse_minutes
from backend.planner.days.hours import read_hours
from backend.planner.days.legs import BOARDING_MIN
from backend.planner.days.meals import share_visits
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import CityPool, LegPool, Snapshot
from backend.results.values import count_tokens, write_json
from backend.runs.log.steps import Step, ToolCalled, select_payloads

BASE_POINTS = 10.0
INTEREST_POINTS = 50.0
MUST_SEE_POINTS = 200.0
MEALS_A_DAY = 2
"""Food places that are eaten at take no visit of the pace."""

END_OF_TIME = 48 * 60


@dataclass(frozen=True)
class Item:
    """A place in the sack; `visits` is 0 for a must-see, which may exceed the pace."""

    points: float
    minutes: int
    visits: int


def rate_place(snapshot: Snapshot, poi: PoiCandidate) -> float:
    """Points: popularity up to 100, 50 for each interest that it serves, 200 for a must-see."""
    request = snapshot.request
    matched = len(set(poi.tags).intersection(request.interests))
    must = MUST_SEE_POINTS * (poi.id in request.must_see_ids)
    return BASE_POINTS + float(poi.popularity or 0) + INTEREST_POINTS * matched + must


def rate_visits(snapshot: Snapshot, poi_ids: Iterable[str]) -> float:
    """Points of all places that are visited."""
    return sum(rate_place(snapshot, snapshot.rows.pois[poi_id]) for poi_id in set(poi_ids))


def bound_profit(snapshot: Snapshot) -> float:
    """No plan has more points."""
    return sum(_bound_city(snapshot, city, pool) for city, pool in snapshot.cities.items())


def _bound_city(snapshot: Snapshot, city: str, pool: CityPool) -> float:
    spans = [_find_span(snapshot, city, pool, date) for date in _list_dates(pool)]
    visits = sum(share_visits(snapshot.request, span) + MEALS_A_DAY for span in spans)
    items = [
        Item(
            rate_place(snapshot, poi), poi.duration_min, poi.id not in snapshot.request.must_see_ids
        )
        for poi in map(snapshot.rows.pois.__getitem__, pool.pois)
        if _is_ever_open(snapshot, poi, pool)
    ]
    return bound_sack(items, sum(spans), visits)


def bound_sack(items: Sequence[Item], minutes: int, visits: int) -> float:
    """The most points of fractions of items: the limit on visits is priced, the price is tried out."""
    prices = {0.0, *(item.points for item in items)}
    return min(price * visits + _fill(items, minutes, price) for price in prices)


def _fill(items: Iterable[Item], minutes: int, price: float) -> float:
    worth = [(item.points - price * item.visits, item.minutes) for item in items]
    points, left = 0.0, float(minutes)
    for gain, length in sorted(worth, key=lambda w: w[0] / max(1, w[1]), reverse=True):
        if gain <= 0 or left <= 0:
            break
        share = min(1.0, left / max(1, length))
        points += gain * share
        left -= length * share
    return points


def _list_dates(pool: CityPool) -> list[dt.date]:
    return [pool.arrive + dt.timedelta(n) for n in range((pool.leave - pool.arrive).days + 1)]


def _is_ever_open(snapshot: Snapshot, poi: PoiCandidate, pool: CityPool) -> bool:
    dates = _list_dates(pool)
    return any(read_hours(snapshot, poi, date).list_starts(poi.duration_min) for date in dates)


def _find_span(snapshot: Snapshot, city: str, pool: CityPool, date: dt.date) -> int:
    """Minutes of a day in the city by its earliest train in and its latest train out."""
    first, last = (
        parse_minutes(text) for text in (snapshot.request.day_start, snapshot.request.day_end)
    )
    for leg in snapshot.legs:
        if leg.to_city == city and leg.date == date == pool.arrive:
            first = max(first, _find_arrival(snapshot, leg))
        if leg.from_city == city and leg.date == date == pool.leave:
            last = min(last, _find_departure(snapshot, leg))
    return max(0, last - first)


def _find_arrival(snapshot: Snapshot, leg: LegPool) -> int:
    """Minutes after midnight of the leg's date; a leg without direct trains may begin at any time."""
    rows = [snapshot.rows.trains[train] for train in leg.trains]
    return min((row.arrive_min for row in rows), default=0)


def _find_departure(snapshot: Snapshot, leg: LegPool) -> int:
    rows = [snapshot.rows.trains[train] for train in leg.trains]
    return max((row.depart_min - BOARDING_MIN for row in rows), default=END_OF_TIME)


SPANS = {
    "visit": ("arrive", "leave"),
    "transfer": ("depart", "arrive"),
    "meal": ("start", "end"),
    "fixed": ("start", "end"),
}
EXPLAINING = frozenset({"MUST_SEE_CLOSED", "MUST_SEE_NO_FIT"})


@dataclass(frozen=True)
class MeasuredRun:
    """`errors` are codes; `tokens` are those of calls and outcomes, as a model would read them.

    `cpu_seconds` do not depend on what else the machine does; the database's are not in them.
    """

    request: Mapping[str, Any]
    status: str
    errors: tuple[str, ...]
    is_explained: bool
    is_relaxed: bool
    must_sees: int
    must_sees_kept: int
    must_sees_explained: int
    profit: float
    bound: float
    visits: int
    days: int
    transit_minutes: int
    busy_minutes: int
    tokens: int
    calls: int
    seconds: float
    cpu_seconds: float

    @property
    def is_delivered(self) -> bool:
        """A plan for the request as it stands."""
        return self.status == "succeeded"

    @property
    def is_fault(self) -> bool:
        """Neither a sound plan nor an explanation."""
        return not self.is_explained and (not self.is_delivered or bool(self.errors))

    def describe(self) -> str:
        """What went wrong, with the request that shows it."""
        asked = json.dumps(dict(self.request), ensure_ascii=False)
        return f"{self.status} {', '.join(self.errors)}: {asked}"


def measure_run(
    raw: Mapping[str, Any],
    result: Mapping[str, Any],
    snapshot_text: str | None,
    steps: Sequence[Step],
    seconds: tuple[float, float],
) -> MeasuredRun:
    """The numbers of a run that has ended; `seconds` by the clock, and of this process."""
    snapshot = Snapshot.model_validate_json(snapshot_text) if snapshot_text else None
    days = (result["itinerary"] or {"days": []})["days"]
    items = [item for day in days for item in day["items"]]
    visited = {item["poi_id"] for item in items if item.get("poi_id")}
    known = [poi_id for poi_id in visited if snapshot and snapshot.poi(poi_id)]
    wanted = result["request"]["must_see"]
    missing = [wish for wish in wanted if visited.isdisjoint(_list_choices(wish))]
    is_infeasible = result["status"] == "infeasible"
    return MeasuredRun(
        request=raw,
        status=result["status"],
        errors=tuple(v["code"] for v in result["violations"] if v["severity"] == "error"),
        is_explained=is_infeasible and bool(result["clash"]),
        is_relaxed=is_infeasible and result["relaxation"] is not None,
        must_sees=len(wanted),
        must_sees_kept=len(wanted) - len(missing),
        must_sees_explained=min(len(missing), _count_explained(result)),
        profit=rate_visits(snapshot, known) if snapshot else 0.0,
        bound=bound_profit(snapshot) if snapshot else 0.0,
        visits=sum(bool(item.get("poi_id")) for item in items),
        days=len(days),
        transit_minutes=_sum_minutes(item for item in items if item["kind"] == "transfer"),
        busy_minutes=_sum_minutes(items),
        tokens=sum(map(count_tokens, _list_texts(steps))),
        calls=result["usage"]["tool_calls"],
        seconds=seconds[0],
        cpu_seconds=seconds[1],
    )


def _list_choices(wish: str | Mapping[str, Any]) -> list[str]:
    """The places of a must-see, of which one is enough."""
    return [wish] if isinstance(wish, str) else list(wish["any_of"])


def _count_explained(result: Mapping[str, Any]) -> int:
    if result["status"] == "infeasible":
        return len(result["request"]["must_see"])
    return sum(violation["code"] in EXPLAINING for violation in result["violations"])


def _sum_minutes(items: Iterable[Mapping[str, Any]]) -> int:
    total = dt.timedelta()
    for item in items:
        if item["kind"] in SPANS:
            start, end = (dt.datetime.fromisoformat(item[key]) for key in SPANS[item["kind"]])
            total += end - start
    return total // dt.timedelta(minutes=1)


def _list_texts(steps: Iterable[Step]) -> Iterator[str]:
    for called in select_payloads(steps, ToolCalled):
        yield called.call.arguments
        yield write_json(called.outcome.content)
