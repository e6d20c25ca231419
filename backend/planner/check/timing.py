"""Items with times follow one another: none begins before an earlier one is over.

Between two places there is time enough for the way.

Nothing is visited in a city before the traveller is there.

Warns of a train that arrives between midnight and 05:00: no hotel is planned for that night; and of
one that is home after 21:00 where the pool has none that is earlier.

Bookings stand in the plan at exactly their times.
"""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from backend.planner.check.context import CheckContext, Constraint, Finding, Located, show_time
from backend.planner.days.legs import count_minutes, make_local
from backend.planner.days.trip import NIGHT_ENDS_MIN, Part
from backend.planner.plan.itinerary import FixedItem, LegItem, Severity, Timed, list_timed


def find_overlap(context: CheckContext) -> Iterator[Finding]:
    """Each item that begins before one listed before it is over; days run into each other too.

    A way is compared only with its neighbours: it comes with the item that it leads to. The order
    of trains has a rule of its own.
    """
    before: Timed | None = None
    latest: Timed | None = None
    for timed in list_timed(context.itinerary):
        other = _find_worst(timed, before, None if timed.is_way else latest)
        if other is not None:
            values = {"name": timed.name, "other": other.name, "until": f"{other.end:%H:%M}"}
            minutes = (other.end - timed.start) // dt.timedelta(minutes=1)
            yield Finding(timed.day, timed.item, values, _rate_overlap(other, timed), minutes)
        before = timed
        latest = latest if timed.is_way else _find_later(latest, timed)


def _find_worst(timed: Timed, *before: Timed | None) -> Timed | None:
    """Of what is not over when `timed` begins: what makes it an error, then what ends last."""
    running = [other for other in before if other is not None and timed.start < other.end]
    clashes = [other for other in running if not (other.is_train and timed.is_train)]
    return max(
        clashes,
        key=lambda other: (_rate_overlap(other, timed) == "error", other.end),
        default=None,
    )


def _find_later(one: Timed | None, other: Timed | None) -> Timed | None:
    """Which of the two ends later; the first where both do."""
    spans = [timed for timed in (one, other) if timed is not None]
    return max(spans, key=lambda timed: timed.end, default=None)


def _rate_overlap(before: Timed, after: Timed) -> Severity:
    """Only a warning where a booking clashes with another one or with the way to it.

    Bookings cannot be moved, so no other plan would be better.
    """
    is_own = after.is_fixed and (before.is_fixed or before.is_way)
    return "warning" if is_own else "error"


OVERLAP = Constraint(
    "OVERLAP",
    "error",
    {
        "zh-CN": "“{name}”与“{other}”（到 {until}）时间重叠。",
        "en": "“{name}” begins before “{other}” ends at {until}.",
    },
    find_overlap,
    fix={"zh-CN": "请放到 {until} 之后。", "en": "Begin after {until}."},
)


def find_travel_time(context: CheckContext) -> Iterator[Finding]:
    """Neighbours of a day in one city with less time between them than the way takes.

    What has no position, as lunch somewhere, takes its own time off what is between them.
    """
    for day in range(1, len(context.itinerary.days) + 1):
        places = context.located(day)
        for before, after in pairwise(places):
            if isinstance(after.row, LegItem) or before.end_city != after.start_city:
                continue
            span = before.end, after.start
            have = context.count_free(day, range(before.item + 1, after.item), span)
            needed = context.measure_way(before.end_city, before.end_at, after.start_at)
            if have < needed:
                yield _describe_travel_time(
                    before.name, after, needed, have, _rate_travel_time(before, after)
                )
        for part in context.trip.parts.get(day, ()):
            yield from _check_first(context, part, places)


def _check_first(context: CheckContext, part: Part, places: list[Located]) -> Iterator[Finding]:
    """The way from the bed, or from where one arrives, to the first place of a part."""
    here = [place for place in places if part.city.id in (place.start_city, place.end_city)]
    first = here[0] if here else None
    if first is None or isinstance(first.row, LegItem | FixedItem) or context.has_leg_into(part):
        return
    needed = context.measure_way(part.city.id, part.start.position, first.start_at)
    ready, opens = (
        make_local(context.snapshot, part.city.id, part.date, minutes)
        for minutes in (part.ready, part.opens)
    )
    have = context.count_free(part.day, range(first.item), (ready, first.start))
    if have < needed and first.start >= opens:  # earlier is the fault of the day or the arrival
        yield _describe_travel_time(part.start.name, first, needed, have)


def _describe_travel_time(
    other: str, after: Located, needed: int, have: int, severity: Severity | None = None
) -> Finding:
    more = needed - have
    values = {"name": after.name, "other": other, "needed": needed, "have": max(0, have)}
    return Finding(after.day, after.item, {**values, "more": more}, severity, more)


def _rate_travel_time(before: Located, after: Located) -> Severity:
    """Two bookings of the traveller's own: nothing that planning could mend."""
    both = isinstance(before.row, FixedItem) and isinstance(after.row, FixedItem)
    return "warning" if both else "error"


TRAVEL_TIME = Constraint(
    "TRAVEL_TIME",
    "error",
    {
        "zh-CN": "从“{other}”到“{name}”需要 {needed} 分钟，只留了 {have} 分钟。",
        "en": "From “{other}” to “{name}” takes {needed} minutes; there are {have}.",
    },
    find_travel_time,
    fix={"zh-CN": "请推迟 {more} 分钟。", "en": "Begin {more} minutes later."},
)


def find_before_arrival(context: CheckContext) -> Iterator[Finding]:
    """Visits before the own arrival, or before that of a train which left on an earlier day.

    A train of the same day stands in the list: what begins before it arrives is an overlap.
    """
    for visited in context.visits:
        for part in context.trip.parts.get(visited.day, ()):
            is_here = part.city.id == visited.poi.city and not context.has_leg_into(part)
            if is_here and visited.arrive < part.free_from:
                values = _describe_before_arrival(context, part, visited.poi.id)
                early = part.free_from - visited.arrive
                yield Finding(visited.day, visited.item, values, amount=early)


def _describe_before_arrival(context: CheckContext, part: Part, poi_id: str) -> dict[str, object]:
    return {
        "name": context.name(context.snapshot.rows.pois[poi_id]),
        "place": part.start.name,
        "at": show_time(part.free_from),
    }


BEFORE_ARRIVAL = Constraint(
    "BEFORE_ARRIVAL",
    "error",
    {
        "zh-CN": "{name}安排在到达之前：{at} 才到{place}。",
        "en": "{name} is before the arrival: one is at {place} at {at}.",
    },
    find_before_arrival,
    fix={"zh-CN": "请放到到达之后。", "en": "Put it after the arrival."},
)


def find_late_arrival(context: CheckContext) -> Iterator[Finding]:
    """Trains into a city of the trip that arrive between 00:00 and 04:59."""
    cities = set(context.snapshot.city_order)
    for day, number, item in context.items():
        if not isinstance(item, LegItem) or item.arrive is None or item.to_city not in cities:
            continue
        if item.arrive.hour * 60 + item.arrive.minute < NIGHT_ENDS_MIN:
            yield Finding(day, number, {"number": item.number, "at": f"{item.arrive:%H:%M}"})


LATE_ARRIVAL = Constraint(
    "LATE_ARRIVAL",
    "warning",
    {
        "zh-CN": "{number} 次凌晨 {at} 到达，当晚没有安排酒店。",
        "en": "{number} arrives at {at}, before dawn, and no hotel is planned for that night.",
    },
    find_late_arrival,
)


HOME_BY_MIN = 21 * 60
MOST_FOR_HOME = Decimal(100)
"""What each traveller pays for a train that is home by 21:00 rather than later."""


def find_late_home(context: CheckContext) -> Iterator[Finding]:
    """The train home after 21:00, where none of the pool is earlier for little more money."""
    request = context.snapshot.request
    items = context.itinerary.days[-1].items
    for number, item in enumerate(items):
        if not isinstance(item, LegItem) or item.depart is None or item.arrive is None:
            continue
        is_home = item.to_city == request.origin and item.to_city not in context.snapshot.city_order
        arrive = count_minutes(item.arrive, item.depart.date())
        if is_home and arrive > HOME_BY_MIN and not _has_earlier(context, item):
            date, at = f"{item.arrive:%Y-%m-%d}", f"{item.arrive:%H:%M}"
            values = {"number": item.number, "date": date, "at": at}
            yield Finding(len(context.itinerary.days), number, values)


def _has_earlier(context: CheckContext, item: LegItem) -> bool:
    """Whether the pool has a train home by 21:00 that costs at most `MOST_FOR_HOME` more."""
    snapshot = context.snapshot
    trains = [snapshot.rows.trains[t] for leg in snapshot.legs[-1:] for t in leg.trains]
    most = None if item.price is None else item.price + MOST_FOR_HOME
    return any(
        train.arrive_min <= HOME_BY_MIN
        and (train.price is None or most is None or train.price <= most)
        for train in trains
    )


LATE_HOME = Constraint(
    "LATE_HOME",
    "warning",
    {
        "zh-CN": "返程乘 {number} 次要到 {date} {at} 才到家，没有更早且票价相近的车次。",
        "en": "{number} is home on {date} at {at}; no earlier train costs about the same.",
    },
    find_late_home,
)


def find_fixed_moved(context: CheckContext) -> Iterator[Finding]:
    """Bookings that are missing or have other times."""
    planned = {
        (day, item.title, item.start.replace(tzinfo=None), item.end.replace(tzinfo=None))
        for day, _, item in context.items()
        if isinstance(item, FixedItem)
    }
    for day, parts in context.trip.parts.items():
        for slot in (slot for part in parts for slot in part.fixed):
            booking = context.snapshot.request.fixed[slot.number]
            span = booking.start.replace(tzinfo=None), booking.end.replace(tzinfo=None)
            if (day, slot.title, *span) not in planned:
                yield Finding(day, None, {"title": slot.title, "start": f"{span[0]:%H:%M}"})


FIXED_MOVED = Constraint(
    "FIXED_MOVED",
    "error",
    {
        "zh-CN": "已预订的“{title}”必须在 {start}，不能移动。",
        "en": "The booking “{title}” is at {start} and cannot be moved.",
    },
    find_fixed_moved,
    fix={"zh-CN": "请恢复原来的时间。", "en": "Put it back to its time."},
)
