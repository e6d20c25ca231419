"""Random trips: cities, places with all kinds of hours, bookings, own transport, chosen trains."""

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st

from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot
from tests.factories import START_DATE, make_snapshot
from tests.random_inputs import count_examples
from tests.row_makers import find_city, make_poi

checked = settings(
    max_examples=count_examples(20), phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
"""Without shrinking: a trip of thirty rows does not shrink in useful time."""

HOURS = (
    "24/7",
    "09:00-17:00",
    "Tu-Su 09:00-17:00; PH 09:00-17:00",
    "We,Sa 10:00-12:00",
    "11:00-14:00,17:00-21:00",
    "17:00-02:00",
    "06:00-22:00",
    "Mo-Fr 08:30-16:30",
    "",
)
TYPES = ("museum", "park", "restaurant", "food_street", "old_street")
DESTINATIONS = (("beijing",), ("xian",), ("beijing", "xian"), ("beijing", "luoyang", "xian"))


@st.composite
def pois(draw: st.DrawFn, number: int, city: str) -> PoiCandidate:
    """A place within some 25 km of the city's centre."""
    centre = find_city(city)
    kind = draw(st.sampled_from(TYPES))
    last = draw(st.sampled_from((None, None, "16:00", "21:30", "01:00")))
    return make_poi(
        f"{city}-{number}",
        city=city,
        type=kind,
        tags=("food",) if kind in {"restaurant", "food_street"} else ("history",),
        price=draw(st.sampled_from((None, Decimal(0), Decimal(60), Decimal("33.50")))),
        duration_min=draw(st.sampled_from((30, 60, 90, 150, 240, 420))),
        lat=centre.lat + draw(st.integers(-20, 20)) / 100,
        lon=centre.lon + draw(st.integers(-20, 20)) / 100,
        opening_hours=draw(st.sampled_from(HOURS)),
        last_entry=last,
        closed_season=draw(st.sampled_from(("", "", "", "10-14/03-01"))),
        booking=draw(st.sampled_from(("none", "required"))),
        book_days_ahead=3,
    )


@st.composite
def bookings(draw: st.DrawFn, days: int, cities: Sequence[str]) -> list[dict[str, Any]]:
    """Bookings of the traveller's own, at any hour, with or without a position.

    They begin before the day does or end after it, run over midnight, touch or overlap each other,
    or lie in another city than the one in which the traveller is then.
    """
    found: list[dict[str, Any]] = []
    for _ in range(draw(st.sampled_from((0, 1, 1, 2, 3)))):
        booked = draw(st.booleans()) and found
        start = draw(st.sampled_from(found))["end"] if booked else draw(moments(days))
        start += dt.timedelta(minutes=draw(st.sampled_from((0, 0, -30, 20))) if booked else 0)
        start = max(start, dt.datetime.combine(START_DATE, dt.time()))
        if start.date() > START_DATE + dt.timedelta(days - 1):
            continue
        booking: dict[str, Any] = {"title": f"booking at {start:%H:%M}", "start": start}
        minutes = draw(st.one_of(st.integers(15, 300), st.integers(300, 1500)))
        booking["end"] = start + dt.timedelta(minutes=minutes)
        if draw(st.booleans()):
            centre = find_city(draw(st.sampled_from(cities)))
            booking |= {"lat": centre.lat + draw(st.integers(-5, 5)) / 100, "lon": centre.lon}
        found.append(booking)
    return found


def moments(days: int) -> st.SearchStrategy[dt.datetime]:
    """Any minute of the trip, most of them by day."""
    midnight = dt.datetime.combine(START_DATE, dt.time())
    minutes = st.one_of(st.integers(5 * 60, 23 * 60), st.integers(0, 24 * 60 - 1))
    return st.builds(
        lambda day, minute: midnight + dt.timedelta(days=day, minutes=minute),
        st.integers(0, days - 1),
        minutes,
    )


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """A trip with up to eight places a city."""
    cities = draw(st.sampled_from(DESTINATIONS))
    days = draw(st.integers(1, 5))
    rows = [
        draw(pois(number, city)) for city in cities for number in range(draw(st.integers(0, 8)))
    ]
    ids = [row.id for row in rows]
    request: dict[str, Any] = {
        "days": days,
        "pace": draw(st.sampled_from(("relaxed", "standard", "packed"))),
        "travellers": draw(st.integers(1, 6)),
        "day_start": draw(st.sampled_from(("07:00", "09:00", "11:30"))),
        "day_end": draw(st.sampled_from(("17:00", "21:00", "26:00"))),
        "fixed": draw(bookings(days, cities)),
        "origin": draw(st.sampled_from((None, "shanghai", "beijing"))),
        "must_see": draw(st.lists(st.sampled_from(ids), unique=True, max_size=4)) if ids else [],
        "budget_total": draw(st.sampled_from((None, None, Decimal(3000), Decimal(6000)))),
        "locale": draw(st.sampled_from(("zh-CN", "en"))),
    }
    if draw(st.booleans()):
        request["arrival"] = {"time": draw(st.sampled_from(("06:10", "13:40", "22:15")))}
        centre = find_city(cities[0])
        airport = {"lat": centre.lat + 0.2, "lon": centre.lon - 0.1, "name": "airport"}
        request["arrival"]["place"] = airport
    if draw(st.booleans()):
        request["departure"] = {"time": draw(st.sampled_from(("09:00", "18:30"))), "place": "西站"}
    return make_snapshot(cities, pois=rows, **request)
