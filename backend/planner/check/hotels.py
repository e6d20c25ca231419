"""Every night that is not spent on a train has a hotel of the city it is spent in.

A city with nights but without any hotel in the pool: the traveller must find a bed.

A night is spent in one hotel.

A night's hotel stands in the city where the night is spent, and only such nights have one.

A hotel lets its guests in from a time of the day; a plan that comes earlier gets a warning.

A stay has as many rooms as the party asked for, or one for two travellers.
"""

from collections.abc import Iterator

from backend.clock import parse_minutes
from backend.planner.check.context import CheckContext, Constraint, Finding, show_time
from backend.planner.days.legs import count_minutes
from backend.planner.plan.itinerary import StayItem, TransferItem, VisitItem, read_span
from backend.pool.plan_request import count_rooms


def find_hotel_missing(context: CheckContext) -> Iterator[Finding]:
    """The first night of a city without a stay, where the pool has hotels."""
    for stay in context.trip.stays:
        if not context.snapshot.cities[stay.city.id].hotels:
            continue
        for day in context.trip.hotel_days(stay):
            items = context.itinerary.days[day - 1].items
            if not any(isinstance(item, StayItem) for item in items):
                yield Finding(day, None, {"city": context.name(stay.city), "day": day})
                break


HOTEL_MISSING = Constraint(
    "HOTEL_MISSING",
    "error",
    {
        "zh-CN": "{city}还没有选酒店（第 {day} 天起）。",
        "en": "No hotel is chosen in {city} (from day {day}).",
    },
    find_hotel_missing,
    fix={"zh-CN": "请从候选酒店中选择。", "en": "Choose one of the candidates."},
)


def find_hotel_not_covered(context: CheckContext) -> Iterator[Finding]:
    """Cities with nights and no candidates."""
    for stay in context.trip.stays:
        days = context.trip.hotel_days(stay)
        if days and not context.snapshot.cities[stay.city.id].hotels:
            yield Finding(days[0], None, {"city": context.name(stay.city), "nights": len(days)})


HOTEL_NOT_COVERED = Constraint(
    "HOTEL_NOT_COVERED",
    "warning",
    {
        "zh-CN": "{city}没有可选的酒店，{nights} 晚住宿请自行安排。",
        "en": "There is no hotel to choose in {city}: {nights} night(s) are left to the traveller.",
    },
    find_hotel_not_covered,
)


def find_hotel_twice(context: CheckContext) -> Iterator[Finding]:
    """The second and later stays of a day."""
    first_of: dict[int, StayItem] = {}
    for day, number, item in context.items():
        if not isinstance(item, StayItem):
            continue
        first = first_of.setdefault(day, item)
        if first is not item:
            yield Finding(day, number, {"day": day, "name": item.name, "other": first.name})


HOTEL_TWICE = Constraint(
    "HOTEL_TWICE",
    "error",
    {
        "zh-CN": "第 {day} 晚除“{other}”外又安排了“{name}”。",
        "en": "The night of day {day} is in “{other}” already, and in “{name}” too.",
    },
    find_hotel_twice,
    fix={"zh-CN": "只保留一家。", "en": "Keep one of them."},
)


def find_hotel_wrong_city(context: CheckContext) -> Iterator[Finding]:
    """Stays in a hotel of another city, or on a night that needs none."""
    city_of = {d: s.city.id for s in context.trip.stays for d in context.trip.hotel_days(s)}
    for day, number, item in context.items():
        if not isinstance(item, StayItem):
            continue
        hotel = context.snapshot.hotel(item.hotel_id)
        if hotel is not None and hotel.city != city_of.get(day):
            yield Finding(day, number, {"name": item.name, "day": day})


HOTEL_WRONG_CITY = Constraint(
    "HOTEL_WRONG_CITY",
    "error",
    {
        "zh-CN": "第 {day} 晚不在“{name}”所在的城市过夜。",
        "en": "The night of day {day} is not spent in the city of “{name}”.",
    },
    find_hotel_wrong_city,
    fix={"zh-CN": "请选择当晚所在城市的酒店。", "en": "Choose a hotel of the city of that night."},
)


def find_check_in(context: CheckContext) -> Iterator[Finding]:
    """First nights in a hotel that are reached before its check-in."""
    before: str | None = None
    for day, row in enumerate(context.itinerary.days, 1):
        stays = [(n, item) for n, item in enumerate(row.items) if isinstance(item, StayItem)]
        for number, stay in stays:
            hotel = context.snapshot.hotel(stay.hotel_id)
            there = _find_arrival(context, day)
            if stay.hotel_id == before or hotel is None or not hotel.check_in or there is None:
                continue
            if there < parse_minutes(hotel.check_in):
                times = {"there": show_time(there), "from": hotel.check_in}
                yield Finding(day, number, {"name": context.name(hotel), **times})
        before = stays[-1][1].hotel_id if stays else None


def _find_arrival(context: CheckContext, day: int) -> int | None:
    """When the last way or visit of the day ends; without one, when the last item does."""
    row = context.itinerary.days[day - 1]
    last = [item for item in row.items if isinstance(item, TransferItem | VisitItem)][-1:]
    spans = [span for item in last or row.items if (span := read_span(item)) is not None]
    return count_minutes(spans[-1][1], row.date) if spans else None


CHECK_IN = Constraint(
    "CHECK_IN",
    "warning",
    {
        "zh-CN": "“{name}” {from} 起办理入住，{there} 到达时还不能入住。",
        "en": "“{name}” lets guests in from {from}; one is there at {there}.",
    },
    find_check_in,
    fix={
        "zh-CN": "可以先寄存行李，或在途中多安排一处。",
        "en": "Leave the luggage there, or visit something on the way.",
    },
)


def find_rooms_too_few(context: CheckContext) -> Iterator[Finding]:
    """Nights with fewer rooms."""
    request = context.snapshot.request
    wanted = request.rooms or count_rooms(request.travellers, request.children)
    for day, number, item in context.items():
        if isinstance(item, StayItem) and item.rooms < wanted:
            values = {"day": day, "name": item.name, "rooms": item.rooms, "wanted": wanted}
            yield Finding(day, number, values)


ROOMS_TOO_FEW = Constraint(
    "ROOMS_TOO_FEW",
    "error",
    {
        "zh-CN": "第 {day} 晚在“{name}”只有 {rooms} 间房，需要 {wanted} 间。",
        "en": "“{name}” has {rooms} room(s) in the night of day {day}; the party needs {wanted}.",
    },
    find_rooms_too_few,
)
