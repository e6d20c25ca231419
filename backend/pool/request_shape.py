"""Checks each field of a request by itself, so that one fault does not hide another."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from backend.clock import parse_minutes
from backend.errors import Fault
from backend.pool.plan_request import OwnTransport, PlanRequest
from backend.pool.wishes import (
    LATEST_DAY_END,
    WISH_KINDS,
    AtWish,
    BedsWish,
    EatWish,
    HotelWish,
    IntercityWish,
    LocalWish,
    VisitWish,
)
from backend.text import find_near, make_pointer, quote

Values = Mapping[str, Any]
"""The fields that are well formed, by name."""


_PLAIN_WORDS = {
    "tuple_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "missing": "is required",
    "union_tag_not_found": "must say its kind",
}


def find_bad_text(value: object, *steps: object) -> Iterator[Fault]:
    """Faults of texts that no database can hold: NUL characters and halves of surrogate pairs."""
    if isinstance(value, str):
        if _is_bad(value):
            yield Fault(make_pointer(*steps), "bad_text", _BAD_TEXT)
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            if _is_bad(key):  # the pointer ends before it, since it could not be written
                yield Fault(make_pointer(*steps), "bad_text", f"the name of a field: {_BAD_TEXT}")
            else:
                yield from find_bad_text(entry, *steps, key)
    elif isinstance(value, list | tuple):
        for n, entry in enumerate(value):
            yield from find_bad_text(entry, *steps, n)


_BAD_TEXT = "the text holds a character that is none (NUL or half a surrogate pair)"


def _is_bad(text: str) -> bool:
    return any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text)


def read_fields(raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """The well-formed fields (defaults for absent ones) and the faults of the others."""
    values: dict[str, Any] = {}
    faults = [_unknown_field(name) for name in raw if name not in PlanRequest.model_fields]
    for name, field in PlanRequest.model_fields.items():
        if name not in raw or name == "resolved":
            if field.is_required():
                faults.append(Fault(make_pointer(name), "missing", f"{name} is required"))
            else:
                values[name] = field.get_default(call_default_factory=True)
            continue
        try:
            values[name] = _adapter(name).validate_python(raw[name])
        except ValidationError as error:
            entries = error.errors(include_url=False)
            faults += [_shape_fault(name, e) for e in entries if not _follows(e, entries)]
    return values, faults


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    field = PlanRequest.model_fields[name]
    kind: Any = Annotated[field.annotation, field]
    return TypeAdapter(kind)


def _unknown_field(name: str) -> Fault:
    near = find_near(name, PlanRequest.model_fields, limit=3, cutoff=60)
    return Fault(
        make_pointer(name), "unknown_field", f"there is no field {quote(name)}", tuple(near)
    )


def _follows(entry: Any, entries: Sequence[Any]) -> bool:
    """Whether a list is too short only because its faulty entries were not counted."""
    return entry["type"] == "too_short" and len(entries) > 1


def _shape_fault(name: str, entry: Any) -> Fault:
    pointer = make_pointer(name, *_steps_in_document(name, entry["loc"]))
    if entry["type"] == "extra_forbidden":
        return Fault(pointer, "unknown_field", f"there is no field {quote(entry['loc'][-1])}")
    if entry["type"] == "union_tag_invalid":
        kind = entry["ctx"]["tag"]
        near = tuple(find_near(kind, WISH_KINDS)) or WISH_KINDS
        return Fault(f"{pointer}/kind", "unknown_wish", f"there is no wish {quote(kind)}", near)
    expected = str(entry.get("ctx", {}).get("expected", ""))
    allowed = tuple(re.findall(r"'([^']*)'", expected)) if entry["type"] == "literal_error" else ()
    near = tuple(find_near(str(entry["input"]), allowed)) or allowed
    message = _PLAIN_WORDS.get(entry["type"], entry["msg"])
    return Fault(pointer, entry["type"], message, near)


def _steps_in_document(name: str, location: Sequence[Any]) -> list[Any]:
    """The location without the tags of unions, which do not stand in the document."""
    if name != "wishes":
        return [step for step in location if step not in {"station", "point", "group"}]
    tags = location[1:2]  # a list of wishes: number, kind, field, then numbers or inner tags
    return [
        step
        for n, step in enumerate(location)
        if n in (0, 2)
        or isinstance(step, int)
        or step == "any_of"
        or (n == 1 and tags[0] not in WISH_KINDS)
    ]


def check_fields_together(values: Values) -> Iterator[Fault]:
    """Faults between well-formed fields."""
    yield from _check_nights(values)
    yield from _check_people(values)
    yield from _check_day(values)
    yield from _check_fixed(values)
    yield from _check_own_transport(values)
    for n, wish in enumerate(values.get("wishes") or ()):
        yield from _check_wish(make_pointer("wishes", n), wish, values)


def _check_nights(values: Values) -> Iterator[Fault]:
    destinations, days = values.get("destinations"), values.get("days")
    if not destinations:
        return
    given = [d.nights for d in destinations if d.nights is not None]
    if given and len(given) < len(destinations):
        for n, destination in enumerate(destinations):
            if destination.nights is None:
                message = "nights are given for all destinations or for none"
                yield Fault(make_pointer("destinations", n, "nights"), "nights_incomplete", message)
    elif given and days is not None and sum(given) != days - 1:
        message = f"nights must add up to days - 1 = {days - 1}, not {sum(given)}"
        yield Fault(make_pointer("destinations"), "nights_sum", message)


def _check_people(values: Values) -> Iterator[Fault]:
    travellers = values.get("travellers")
    if travellers is None:
        return
    yield from _check_ages(travellers, values.get("children") or (), values.get("seniors") or ())
    rooms = values.get("rooms")
    if rooms is not None and rooms > travellers:
        message = f"{rooms} rooms for {travellers} travellers"
        yield Fault(make_pointer("rooms"), "too_many_rooms", message, (str(travellers),))


def _check_ages(
    travellers: int, children: Sequence[int], seniors: Sequence[int]
) -> Iterator[Fault]:
    if len(children) > travellers:
        message = f"{len(children)} children among {travellers} travellers"
        yield Fault(make_pointer("children"), "too_many_children", message)
    elif len(children) == travellers:
        message = f"all {travellers} travellers are children; one must be 18 or older"
        yield Fault(make_pointer("children"), "no_adult", message)
    elif len(children) + len(seniors) > travellers:
        message = f"{len(seniors)} seniors and {len(children)} children"
        message += f" among {travellers} travellers"
        yield Fault(make_pointer("seniors"), "too_many_seniors", message)


def _check_day(values: Values) -> Iterator[Fault]:
    start, end = values.get("day_start"), values.get("day_end")
    if start and end and parse_minutes(start) >= parse_minutes(end):
        message = f"the day ends at {end}, not after its start at {start}"
        yield Fault(make_pointer("day_end"), "day_order", message)


def _check_fixed(values: Values) -> Iterator[Fault]:
    for n, booking in enumerate(values.get("fixed") or ()):
        where = make_pointer("fixed", n)
        if (booking.start.tzinfo is None) != (booking.end.tzinfo is None):
            yield Fault(where, "mixed_offsets", "start and end both have an offset or neither has")
        elif booking.end <= booking.start:
            yield Fault(where, "fixed_order", "the booking ends before it starts")
        elif "start_date" in values and "days" in values:
            yield from _check_fixed_date(where, booking.start.date(), values)
        if (booking.lat is None) != (booking.lon is None):
            yield Fault(where, "half_position", "lat and lon are given together or not at all")


def _check_fixed_date(where: str, day: Any, values: Values) -> Iterator[Fault]:
    first = values["start_date"]
    if not 0 <= (day - first).days < values["days"]:
        message = f"{day} is not a day of the trip, which has {values['days']} from {first}"
        yield Fault(where, "outside_trip", message)


def _check_own_transport(values: Values) -> Iterator[Fault]:
    arrival, departure = values.get("arrival"), values.get("departure")
    if not (isinstance(arrival, OwnTransport) and isinstance(departure, OwnTransport)):
        return
    if values.get("days") == 1 and parse_minutes(arrival.time) >= parse_minutes(departure.time):
        message = f"departure at {departure.time} is not after the arrival at {arrival.time}"
        yield Fault(make_pointer("departure", "time"), "departure_order", message)


_RANGES = (
    ("at_least", "at_most"),
    ("depart_after", "depart_before"),
    ("arrive_after", "arrive_before"),
    ("stars", "stars_at_most"),
)


def _check_wish(where: str, wish: Any, values: Values) -> Iterator[Fault]:
    """Faults of one wish that is well formed field by field."""
    for low, high in _RANGES:
        least, most = getattr(wish, low, None), getattr(wish, high, None)
        if least is not None and most is not None and _measure(least) > _measure(most):
            message = f"{low} {least} is more than {high} {most}"
            yield Fault(f"{where}/{low}", "wish_range", message)
    check = _WISH_CHECKS.get(wish.kind)
    if check is not None:
        yield from check(where, wish, values)


def _measure(limit: Decimal | int | str) -> Decimal | int:
    return parse_minutes(limit) if isinstance(limit, str) else limit


def _check_wish_day(
    where: str, wish: AtWish | VisitWish | EatWish, values: Values
) -> Iterator[Fault]:
    days = values.get("days")
    if wish.day is not None and days is not None and wish.day > days:
        yield Fault(f"{where}/day", "outside_trip", f"day {wish.day} of a trip of {days} day(s)")


def _check_at(where: str, wish: AtWish, values: Values) -> Iterator[Fault]:
    yield from _check_wish_day(where, wish, values)
    start = parse_minutes(wish.start or "00:00")
    end = parse_minutes(wish.end or LATEST_DAY_END)
    if wish.start is not None and wish.end is not None and start >= end:
        message = f"from {wish.start} is not before to {wish.end}"
        yield Fault(f"{where}/from", "wish_range", message)
    elif wish.minutes is not None and wish.minutes > end - start:
        message = f"{wish.minutes} minutes do not fit between from and to"
        yield Fault(f"{where}/minutes", "wish_range", message)


def _check_leg(where: str, wish: IntercityWish, values: Values) -> Iterator[Fault]:
    destinations = values.get("destinations")
    if not destinations or not isinstance(wish.legs, int):
        return
    own_ends = sum(values.get(name) is not None for name in ("arrival", "departure"))
    ends = 0 if not values.get("origin") else 2 - own_ends
    legs = len(destinations) - 1 + ends
    if wish.legs >= legs:
        message = f"the trip has {legs} leg(s) between cities, which count from 0"
        yield Fault(f"{where}/legs", "no_such_leg", message)


def _check_beds(where: str, wish: BedsWish, values: Values) -> Iterator[Fault]:
    rooms = values.get("rooms") or values.get("travellers")
    if wish.rooms is not None and rooms is not None and wish.rooms > rooms:
        message = f"{wish.rooms} rooms wished for, and the party has {rooms} at most"
        yield Fault(f"{where}/rooms", "too_many_rooms", message, (str(rooms),))


def _check_ways(where: str, wish: LocalWish, _values: Values) -> Iterator[Fault]:
    both = sorted(set(wish.never) & {*wish.only, *wish.use})
    if both:
        message = f"{both[0]} is wished for and refused at once"
        yield Fault(f"{where}/never", "wish_clash", message)


def _check_near(where: str, wish: HotelWish, _values: Values) -> Iterator[Fault]:
    if wish.within_m is not None and wish.near is None:
        yield Fault(f"{where}/near", "missing", "near is required beside within_m")


_WISH_CHECKS: dict[str, Callable[[str, Any, Values], Iterator[Fault]]] = {
    "at": _check_at,
    "visit": _check_wish_day,
    "eat": _check_wish_day,
    "intercity": _check_leg,
    "local": _check_ways,
    "beds": _check_beds,
    "hotel": _check_near,
}
