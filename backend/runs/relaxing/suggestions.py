"""Changes worth trying, the least effort first.

Effort compares what cannot be added up; a must-see given up is 1. An hour more a day costs least
(0.1), since nothing is lost. Money is 1 (it is asked for in figures). Another time of one's own
arrival or departure is 1 and of a booking 1.5, with half more for each hour. A day more is 1.5: it is
asked for rather than two must-sees are given up. A booking is 3, a whole city 4.

Bookings at another time, as far as the clash is long, or not at all.

The traveller's own arrival earlier, or departure later, by as much as is lacking.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import product

from backend.clock import format_minutes, parse_minutes
from backend.money import format_money
from backend.planner.check.context import Breach
from backend.planner.days.trip import name_in
from backend.planner.plan.itinerary import Itinerary
from backend.pool.plan_request import FixedBooking, PlanRequest
from backend.pool.wish_texts import describe_wish, make_names
from backend.pool.wishes import (
    EatWish,
    HotelWish,
    IntercityWish,
    LocalWish,
    PriceWish,
    SpendWish,
    VisitWish,
    Wish,
)
from backend.runs.relaxing.change import MESSAGES, Change, Diagnosis, sum_effort
from backend.runs.relaxing.cities import suggest_days, suggest_drops

MOVE_BOOKING_EFFORT = 1.5
EFFORT_AN_HOUR = 0.5
OMIT_EFFORT = 3.0
STEP_MIN = 5
MOST_MOVED_MIN = 240
"""A booking that must move by more is another booking."""


def suggest_moves(diagnosis: Diagnosis, number: int, minutes: int) -> Iterator[Change]:
    """The booking `number` earlier and later by as much as is lacking."""
    by = -(-minutes // STEP_MIN) * STEP_MIN
    if 0 < by <= MOST_MOVED_MIN:
        yield _move_booking(diagnosis.snapshot.request, number, -by)
        yield _move_booking(diagnosis.snapshot.request, number, by)


def suggest_omission(diagnosis: Diagnosis, number: int) -> Change:
    """The booking left out."""
    request = diagnosis.snapshot.request
    booking = request.fixed[number]
    text = MESSAGES["omit_booking"][request.locale]
    return Change(
        kind="omit_booking",
        value={"booking": number, "title": booking.title},
        message=text.format(title=booking.title, **_show(booking)),
        effort=OMIT_EFFORT,
        apply=lambda request: _replace(request, booking, None),
    )


def _move_booking(request: PlanRequest, number: int, by: int) -> Change:
    booking = request.fixed[number]
    moved = booking.model_copy(
        update={
            "start": booking.start + dt.timedelta(minutes=by),
            "end": booking.end + dt.timedelta(minutes=by),
        }
    )
    shown = _show(moved)
    times = {"start": moved.start.isoformat(), "end": moved.end.isoformat()}
    text = MESSAGES["move_booking"][request.locale]
    return Change(
        kind="move_booking",
        value={"booking": number, "title": booking.title, **times},
        message=text.format(title=booking.title, minutes=f"{by:+d}", **shown),
        effort=MOVE_BOOKING_EFFORT + EFFORT_AN_HOUR * abs(by) / 60,
        apply=lambda request: _replace(request, booking, moved),
    )


def _replace(request: PlanRequest, old: FixedBooking, new: FixedBooking | None) -> PlanRequest:
    kept = [new if booking == old else booking for booking in request.fixed]
    return request.model_copy(update={"fixed": tuple(b for b in kept if b is not None)})


def _show(booking: FixedBooking) -> dict[str, str]:
    is_one_day = booking.start.date() == booking.end.date()
    end = f"{booking.end:%H:%M}" if is_one_day else f"{booking.end:%Y-%m-%d %H:%M}"
    return {"start": f"{booking.start:%Y-%m-%d %H:%M}", "end": end}


MOVE_TRANSPORT_EFFORT = 1.0
DAY_ENDS = 24 * 60


def suggest_own_times(diagnosis: Diagnosis, day: int, minutes: int) -> Iterator[Change]:
    """What could be moved on the first and on the last day, within that day."""
    request = diagnosis.snapshot.request
    by = -(-minutes // STEP_MIN) * STEP_MIN
    if by <= 0:
        return
    if request.arrival is not None and day == 1:
        yield from _move_transport(
            diagnosis, "arrival", parse_minutes(request.arrival.time) - by, by
        )
    if request.departure is not None and day == request.days:
        yield from _move_transport(
            diagnosis, "departure", parse_minutes(request.departure.time) + by, by
        )


def _move_transport(diagnosis: Diagnosis, name: str, minutes: int, by: int) -> Iterator[Change]:
    if not 0 <= minutes < DAY_ENDS:
        return
    time = format_minutes(minutes)
    own = getattr(diagnosis.snapshot.request, name).model_copy(update={"time": time})
    kind = f"move_{name}"
    text = MESSAGES[kind][diagnosis.snapshot.request.locale]
    yield Change(
        kind=kind,
        value={"time": time},
        message=text.format(time=time),
        effort=MOVE_TRANSPORT_EFFORT + EFFORT_AN_HOUR * by / 60,
        apply=lambda request: request.model_copy(update={name: own}),
    )


DROP_WISH_EFFORT = 1.0
CHANGE_WISH_EFFORT = 0.7
RAISE_EFFORT = 1.0
LEAVE_OUT_EFFORT = 1.0
EXTEND_EFFORT = 0.1
LONG_DAY = (8 * 60, 24 * 60)
MOST_HOURS = 6

Option = tuple[Change, ...]


def list_options(diagnosis: Diagnosis) -> list[Option]:
    """Single changes, and pairs where places and times both clash; none twice.

    Longer days come into pairs by the shortest and the longest of them: each pair is planned.
    """
    for_places = list(_suggest_for_must_sees(diagnosis)) if diagnosis.missing else []
    for_times = list(_suggest_for_times(diagnosis))
    longer = sorted((c for c in for_places if c.kind == "extend_day"), key=lambda c: c.effort)
    places = [c for c in for_places if c not in longer[1:-1]]
    pairs = [pair for pair in product(places, for_times) if pair[0].kind != pair[1].kind]
    found: dict[str, Option] = {}
    others: list[Option] = [*((change,) for change in (*for_places, *for_times)), *pairs]
    for_wishes = _suggest_for_wishes(diagnosis)
    both = [(*wishes, *other) for wishes in for_wishes for other in others]
    for option in (*others, *for_wishes, *both):
        found.setdefault(name_option(option), option)
    return sorted(found.values(), key=sum_effort)


def _suggest_for_wishes(diagnosis: Diagnosis) -> list[Option]:
    """All wishes that cannot be kept, each changed as far as it must be, or given up."""
    missed = diagnosis.missed_wishes
    given_up = tuple(_change_wish(diagnosis, number, None) for number in missed)
    wishes = diagnosis.snapshot.request.wishes
    changed = tuple(
        _change_wish(diagnosis, number, _loosen(wishes[number], breaches))
        for number, breaches in missed.items()
    )
    is_one = name_option(changed) == name_option(given_up)
    return [option for option in ([given_up] if is_one else [changed, given_up]) if option]


def _change_wish(diagnosis: Diagnosis, number: int, becomes: Wish | None) -> Change:
    snapshot = diagnosis.snapshot
    locale, wish = snapshot.request.locale, snapshot.request.wishes[number]
    kind = "drop_wish" if becomes is None else "change_wish"
    names = make_names(snapshot, locale)
    words = {"before": describe_wish(wish, names, locale)}
    value: dict[str, object] = {"wish": number}
    if becomes is not None:
        words["after"] = describe_wish(becomes, names, locale)
        value["becomes"] = becomes.model_dump(mode="json")

    def apply(request: PlanRequest) -> PlanRequest:
        kept = (becomes if known == wish else known for known in request.wishes)
        return request.model_copy(update={"wishes": tuple(w for w in kept if w is not None)})

    return Change(
        kind=kind,
        value=value,
        message=MESSAGES[kind][locale].format(**words),
        effort=DROP_WISH_EFFORT if becomes is None else CHANGE_WISH_EFFORT,
        apply=apply,
    )


def _loosen(wish: Wish, breaches: Sequence[Breach]) -> Wish | None:
    """The wish with a limit that the plan keeps; None where it has no limit to be changed."""
    by = max((breach.amount for breach in breaches if breach.amount), default=None)
    if by is None or wish.negated:
        return None
    if isinstance(wish, SpendWish | PriceWish) and wish.at_most is not None:
        is_alone = wish.at_least is None
        return wish.model_copy(update={"at_most": wish.at_most + by}) if is_alone else None
    if isinstance(wish, VisitWish | EatWish) and wish.at_most is None and by < wish.at_least:
        return wish.model_copy(update={"at_least": wish.at_least - int(by)})
    if isinstance(wish, HotelWish) and wish.near is not None and wish.stars is None:
        return wish.model_copy(update={"within_m": wish.metres + int(by)})
    if isinstance(wish, LocalWish) and wish.longest_walk_m is not None and not wish.longest_min:
        return wish.model_copy(update={"longest_walk_m": wish.longest_walk_m + int(by)})
    return _loosen_time(wish, int(by)) if isinstance(wish, IntercityWish) else None


def _loosen_time(wish: IntercityWish, minutes: int) -> IntercityWish | None:
    """The one time of a wish earlier or later; of several nobody knows which one it is."""
    times = {name: getattr(wish, name) for name in _TIMES if getattr(wish, name)}
    if len(times) != 1:
        return None
    [(name, time)] = times.items()
    moved = parse_minutes(time) + _TIMES[name] * minutes
    return wish.model_copy(update={name: format_minutes(moved)}) if 0 <= moved < DAY_ENDS else None


_TIMES = {"depart_after": -1, "arrive_after": -1, "depart_before": 1, "arrive_before": 1}
"""Whether a time that is wished for becomes earlier or later."""


def list_last_options(diagnosis: Diagnosis) -> list[Option]:
    """What asks much and helps nearly always: a day more in each city, or one city alone."""
    request = diagnosis.snapshot.request
    cities = [destination.city for destination in request.destinations]
    most = max(request.destinations, key=lambda destination: destination.nights or 0).city
    without = (_leave_out(diagnosis),) if diagnosis.missing else ()
    rest = [city for city in cities if city != most]
    changes = (
        *suggest_days(diagnosis, cities, is_early=False),
        *suggest_drops(diagnosis, rest),
    )
    return [(*without, change) for change in changes]


def name_option(option: Option) -> str:
    """What makes it the same as another one."""
    return repr([(change.kind, change.value) for change in option])


def suggest_money(diagnosis: Diagnosis, itinerary: Itinerary) -> Change:
    """The budget that a plan needs."""
    request = diagnosis.snapshot.request
    assert request.budget_total is not None
    total = itinerary.costs.total
    value = format_money(total - request.budget_total)
    text = MESSAGES["raise_budget"][request.locale]
    return Change(
        kind="raise_budget",
        value=value,
        message=text.format(amount=value, currency=itinerary.currency),
        effort=RAISE_EFFORT,
        apply=lambda request: request.model_copy(update={"budget_total": total}),
    )


def _suggest_for_must_sees(diagnosis: Diagnosis) -> Iterator[Change]:
    yield from _extend_days(diagnosis)
    yield _leave_out(diagnosis)
    yield from suggest_days(diagnosis, diagnosis.short_cities, is_early=False)
    days = range(1, diagnosis.snapshot.request.days + 1)
    for part in (part for day in days for part in diagnosis.parts_on(day)):
        if part.city.id in diagnosis.short_cities:
            for slot in part.fixed:
                yield suggest_omission(diagnosis, slot.number)


def _leave_out(diagnosis: Diagnosis) -> Change:
    rows, locale = diagnosis.snapshot.rows.pois, diagnosis.snapshot.request.locale
    missing = list(diagnosis.missing)
    names = [name_in(rows[poi_id], locale) for poi_id in missing]
    shown = (", " if locale == "en" else "、").join(names)
    gone = set(missing)
    return Change(
        kind="leave_out",
        value=missing,
        message=MESSAGES["leave_out"][locale].format(names=shown),
        effort=LEAVE_OUT_EFFORT * len(missing),
        apply=lambda request: request.model_copy(update={"must_see": request.drop_must_sees(gone)}),
    )


def _extend_days(diagnosis: Diagnosis) -> Iterator[Change]:
    """Longer days, hour by hour as far as a long one goes: evenings first, then an early start."""
    request = diagnosis.snapshot.request
    start, end = parse_minutes(request.day_start), parse_minutes(request.day_end)
    ends = [end + 60 * hours for hours in range(MOST_HOURS + 1) if end + 60 * hours <= LONG_DAY[1]]
    for first, last in product(dict.fromkeys((start, min(start, LONG_DAY[0]))), ends or [end]):
        if (first, last) != (start, end):
            hours = (start - first + last - end) / 60
            yield _set_hours(diagnosis, format_minutes(first), format_minutes(last), hours)


def _set_hours(diagnosis: Diagnosis, first: str, last: str, hours: float) -> Change:
    text = MESSAGES["extend_day"][diagnosis.snapshot.request.locale]
    fields = {"day_start": first, "day_end": last}
    return Change(
        kind="extend_day",
        value=fields,
        message=text.format(first=first, last=last),
        effort=EXTEND_EFFORT * hours,
        apply=lambda request: request.model_copy(update=fields),
    )


def _suggest_for_times(diagnosis: Diagnosis) -> Iterator[Change]:
    if diagnosis.is_unseen and not diagnosis.snapshot.legs:  # else the trains leave too little time
        yield from _extend_days(diagnosis)
    for clash in diagnosis.timing:
        day = clash.violation.where.day
        if day is None:
            continue
        minutes = int(clash.amount or 0)
        yield from suggest_own_times(diagnosis, day, minutes)
        for slot in diagnosis.list_bookings(day):
            yield from suggest_moves(diagnosis, slot.number, minutes)
            yield suggest_omission(diagnosis, slot.number)
    yield from suggest_days(diagnosis, diagnosis.cramped, is_early=diagnosis.has_early_booking)
    for cities in ([city] for city in diagnosis.cramped):
        yield from suggest_days(diagnosis, cities, is_early=False)
        yield from suggest_drops(diagnosis, cities)
    yield from suggest_drops(diagnosis, diagnosis.cramped)
