"""Days more where they are lacking, at the trip's end or before its beginning, and cities left out.

Both grow: where one day more is not enough, the plan that shows it says where the next one is lacking.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backend.planner.days.trip import name_in
from backend.pool.plan_request import Destination, PlanRequest
from backend.runs.relaxing.change import MESSAGES, Change, Diagnosis

DAY_EFFORT = 1.5
DROP_EFFORT = 4.0
MOST_DAYS_ADDED = 4
MOST_DAYS = 30

Nights = Mapping[str, int]


def suggest_days(
    diagnosis: Diagnosis, cities: Sequence[str], *, is_early: bool
) -> Iterator[Change]:
    """A day more in each of the cities; before the trip too, where `is_early` may help."""
    nights = Counter(cities)
    yield from _add_days(diagnosis, nights, is_before=False)
    if is_early and diagnosis.snapshot.request.destinations[0].city in nights:
        yield from _add_days(diagnosis, nights, is_before=True)


def _add_days(diagnosis: Diagnosis, nights: Nights, *, is_before: bool) -> Iterator[Change]:
    request, count = diagnosis.snapshot.request, sum(nights.values())
    if not 0 < count <= MOST_DAYS_ADDED or request.days + count > MOST_DAYS:
        return
    first = request.start_date - dt.timedelta(count) if is_before else request.start_date
    shown = first if is_before else request.last_date + dt.timedelta(1)
    dates = [(shown + dt.timedelta(n)).isoformat() for n in range(count)]
    rows = diagnosis.snapshot.city_rows
    names = [name_in(rows[city], request.locale) for city in nights]
    words = {
        "count": count,
        "city": ("、" if request.locale == "zh-CN" else ", ").join(names),
        "dates": ", ".join(dates),
    }
    after = _lengthen(request, nights, first)
    fields = {
        "start_date": first.isoformat(),
        "days": after.days,
        "destinations": show_destinations(after),
    }

    def grow(failed: Diagnosis) -> Iterator[Change]:
        more = Counter(nights) + Counter(failed.cramped)
        yield from _add_days(diagnosis, more, is_before=is_before)

    yield Change(
        kind="add_day",
        value={"dates": dates, **fields},
        message=MESSAGES["add_day"][request.locale].format(**words),
        effort=DAY_EFFORT * count,
        apply=lambda request: _lengthen(request, nights, first),
        is_elsewhen=True,
        grow=grow,
    )


def _lengthen(request: PlanRequest, nights: Nights, first: dt.date) -> PlanRequest:
    destinations = tuple(
        Destination(city=d.city, nights=(d.nights or 0) + nights.get(d.city, 0))
        for d in request.destinations
    )
    days = 1 + sum(d.nights or 0 for d in destinations)
    changed = {"days": days, "destinations": destinations, "start_date": first}
    return request.model_copy(update=changed)


def suggest_drops(diagnosis: Diagnosis, cities: Sequence[str]) -> Iterator[Change]:
    """All of these cities left out; the nights go to the city before, or after."""
    request, rows = diagnosis.snapshot.request, diagnosis.snapshot.rows.pois
    gone = tuple(dict.fromkeys(cities))
    if not gone or len(gone) >= len(request.destinations):
        return
    there = frozenset(poi_id for poi_id in request.must_see_ids if rows[poi_id].city in gone)
    hotels = diagnosis.snapshot.rows.hotels
    named = there | {i for i, row in rows.items() if row.city in gone}
    named |= {i for i, row in hotels.items() if row.city in gone}
    after = _drop(request, gone, named)
    names = [name_in(diagnosis.snapshot.city_rows[city], request.locale) for city in gone]
    shown = ("、" if request.locale == "zh-CN" else ", ").join(names)

    def grow(failed: Diagnosis) -> Iterator[Change]:
        yield from suggest_drops(diagnosis, [*gone, *failed.cramped])

    yield Change(
        kind="drop_city",
        value={
            "cities": list(gone),
            "destinations": show_destinations(after),
            "must_see": after.model_dump(mode="json")["must_see"],
        },
        message=MESSAGES["drop_city"][request.locale].format(city=shown),
        effort=DROP_EFFORT * len(gone) + len(there),
        apply=lambda request: _drop(request, gone, named),
        is_elsewhen=True,
        grow=grow,
    )


def _drop(request: PlanRequest, gone: Sequence[str], there: frozenset[str]) -> PlanRequest:
    for city in gone:
        request = _drop_one(request, city)
    return request.model_copy(
        update={"must_see": request.drop_must_sees(there), "wishes": request.drop_wishes(there)}
    )


def _drop_one(request: PlanRequest, city: str) -> PlanRequest:
    number = next(n for n, d in enumerate(request.destinations) if d.city == city)
    rest = [d for d in request.destinations if d.city != city]
    heir = max(0, number - 1)
    nights = (rest[heir].nights or 0) + (request.destinations[number].nights or 0)
    rest[heir] = Destination(city=rest[heir].city, nights=nights)
    return request.model_copy(update={"destinations": tuple(rest)})


def show_destinations(request: PlanRequest) -> list[dict[str, Any]]:
    """As a request names them."""
    return [destination.model_dump(mode="json") for destination in request.destinations]
