"""A hotel lets its guests in from a time of the day; a plan that comes earlier gets a warning."""

from collections.abc import Iterator

from backend.clock import parse_minutes
from backend.planner.check_context import CheckContext, show_time
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import StayItem, TransferItem, VisitItem
from backend.planner.moves import count_minutes
from backend.planner.timed import read_span


def find(context: CheckContext) -> Iterator[Finding]:
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
    find,
    fix={
        "zh-CN": "可以先寄存行李，或在途中多安排一处。",
        "en": "Leave the luggage there, or visit something on the way.",
    },
)
