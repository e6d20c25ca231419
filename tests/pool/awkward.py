"""Random small catalogues and requests, made of values that rules tend to stumble over.

Rows come from a seed that hypothesis draws: drawing every cell would leave the cities all but empty.
"""

import datetime as dt
from decimal import Decimal
from random import Random
from typing import Any

from hypothesis import strategies as st

from backend.clock import format_minutes
from backend.params.registry import ParamValue, default_values
from backend.pool.candidate import CityRow, HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.plan_request import PlanRequest, count_rooms, share_nights
from backend.pool.rules import Entry
from tests.pool.memory_catalogue import MemoryCatalogue

# Code points decide: capitals before small letters, '-' before '_', beyond ASCII last.
ALPHABET = "aAbB1-_.é京"
TAGS = ("museum", "Museum", "food", "night-life", "a", "景")
CITIES = {
    "c1": ("CN", "Asia/Shanghai"),
    "C1": ("CN", "Asia/Urumqi"),
    "c-2": ("JP", "Asia/Tokyo"),
    "é": ("DE", "Europe/Berlin"),  # clocks change, and another side of the world
}
HOURS = (
    "",
    "24/7",
    "09:00-17:00",
    "Tu-Su 08:30-17:00",
    "Tu-Su 08:30-17:00; PH 08:30-17:00",
    "Mo-Su 09:00-17:00; PH off",
    "Mo-Fr 10:00-18:00; PH off",
    "PH 10:00-12:00",
    "Sa 22:00-06:00",
    "Fr 19:00-02:00",
    "Su unknown",
    "off",
)
SEASONS = ("", "", "", "12-20/01-10", "05-01/05-03", "02-29/03-01", "01-01/12-31")
PRICES = (None, "0", "149.99", "150", "150.01", "300", "300.01", "999")
SOURCES = ("authored", "modelled", "imported:x", "synthetic")
STARTS = ("2026-04-29", "2026-12-28", "2026-03-28", "2026-10-24", "2031-05-01", "2000-01-01")


@st.composite
def catalogues(draw: st.DrawFn) -> MemoryCatalogue:
    """A catalogue of four cities, most of it in the first."""
    random = Random(draw(st.integers(0, 2**32)))
    uncovered = {tuple(random.sample(tuple(CITIES), 2)) for _ in range(5)}
    trains = [_make_train(random, train_id) for train_id in _make_ids(random, 70)]
    return MemoryCatalogue(
        cities=tuple(
            CityRow(
                id=city,
                name=city,
                name_en=city,
                country=country,
                lat=30.0,
                lon=110.0,
                timezone=zone,
                modes=("walk",),
            )
            for city, (country, zone) in CITIES.items()
        ),
        tags=tuple(draw(st.permutations(TAGS))),
        pois=tuple(_make_poi(random, poi_id) for poi_id in _make_ids(random, 50)),
        hotels=tuple(_make_hotel(random, hotel_id) for hotel_id in _make_ids(random, 30)),
        trains=tuple(t for t in trains if (t.row.from_city, t.row.to_city) not in uncovered),
    )


def _make_ids(random: Random, most: int) -> list[str]:
    ids = {"".join(random.choices(ALPHABET, k=random.randint(1, 3))) for _ in range(most)}
    return random.sample(sorted(ids), len(ids))


def _make_price(random: Random) -> Decimal | None:
    price = random.choice(PRICES)
    return None if price is None else Decimal(price)


def _make_common(random: Random) -> dict[str, Any]:
    return {
        "city": random.choices(tuple(CITIES), weights=(5, 2, 2, 2))[0],
        "tags": tuple(random.sample(TAGS, random.randint(0, 3))),
        "area": "",
        "lat": 30.0,
        "lon": 110.0,
        "intro": "",
        "source": random.choices(SOURCES, weights=(6, 1, 1, 1))[0],
        "as_of": None,
    }


def _enter(random: Random, row: Any) -> Entry[Any]:
    return Entry(row, random.random() > 0.1, row.source == "synthetic")


def _make_poi(random: Random, poi_id: str) -> Entry[PoiCandidate]:
    row = PoiCandidate(
        id=poi_id,
        name="名",
        name_en="Name",
        type=random.choice(("museum", "park", "restaurant", "teahouse")),
        price=_make_price(random),
        duration_min=60,
        popularity=random.choice((None, 0.0, 50.0, 50.0, 50.5, 100.0)),
        opening_hours=random.choice(HOURS),
        last_entry=None,
        closed_season=random.choice(SEASONS),
        booking="none",
        book_days_ahead=0,
        part_of=random.choice((None, None, "whole")),
        best_time=random.choice(((), (), ("dusk", "night"))),
        reach_fare=random.choice((None, Decimal("17.5"))),
        **_make_common(random),
    )
    return _enter(random, row)


def _make_hotel(random: Random, hotel_id: str) -> Entry[HotelCandidate]:
    row = HotelCandidate(
        id=hotel_id,
        name="店",
        name_en="Inn",
        stars=random.choice((None, 1, 2, 2, 3, 5, 6)),
        price_per_night=_make_price(random),
        rating=random.choice((None, 0.0, 4.5, 4.5, 4.7)),
        check_in=None,
        check_out=None,
        **_make_common(random),
    )
    return _enter(random, row)


def _make_train(random: Random, train_id: str) -> Entry[TrainCandidate]:
    start, end = random.sample(tuple(CITIES), 2)
    depart = random.choice((0, 299, 600, 600, 660, 1200, 1395, random.randint(0, 1439)))
    arrive = depart + random.choice((1, 20, 45, 90, 400, 1440, 1500))
    row = TrainCandidate(
        id=train_id,
        number="G1",
        from_city=start,
        from_station=random.choice(("North", "South")),
        to_city=end,
        to_station=random.choice(("North", "South")),
        depart=format_minutes(depart),
        arrive=format_minutes(arrive % 1440),
        day_offset=arrive // 1440,
        price=_make_price(random),
        runs_on=random.choice(("", "", "", "Mo-Fr", "Sa,Su", "Fr-Mo", "We")),
        source=random.choices(SOURCES, weights=(6, 1, 1, 1))[0],
        as_of=None,
    )
    return _enter(random, row)


@st.composite
def requests(draw: st.DrawFn, catalogue: MemoryCatalogue) -> PlanRequest:
    """A resolved request; what is avoided may be anything, what must be seen is a destination's."""
    cities = draw(st.permutations(tuple(CITIES)))[: draw(st.integers(1, 3))]
    days = draw(st.integers(1, 6))
    nights = share_nights(days, len(cities))
    here = [entry.row.id for entry in catalogue.pois if entry.row.city in cities] or ["none"]
    pois, hotels = (e.row.id for e in catalogue.pois), (e.row.id for e in catalogue.hotels)
    anything = [*TAGS, *pois, *hotels]
    travellers = draw(st.integers(1, 3))
    children = draw(st.sampled_from(((), (7,)) if travellers > 1 else ((),)))
    return PlanRequest.model_validate(
        {
            "origin": draw(st.sampled_from((None, *CITIES))),
            "destinations": [
                {"city": city, "nights": n} for city, n in zip(cities, nights, strict=True)
            ],
            "start_date": dt.date.fromisoformat(draw(st.sampled_from(STARTS))),
            "days": days,
            "travellers": travellers,
            "children": children,
            "rooms": count_rooms(travellers, children),
            "budget_tier": draw(st.sampled_from(("economy", "comfort", "quality"))),
            "interests": draw(st.lists(st.sampled_from(TAGS), max_size=4, unique=True)),
            "must_see": draw(st.lists(st.sampled_from(here), max_size=5, unique=True)),
            "avoid": draw(st.lists(st.sampled_from(anything), max_size=2, unique=True)),
            "wishes": draw(st.lists(_wishes(here), max_size=3)) if draw(st.booleans()) else [],
        }
    )


def _wishes(here: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Wishes that a pool must heed; what they name is in a city of the trip."""
    places, weights = st.sampled_from(here), st.sampled_from(("must", "rather"))
    types = st.sampled_from(("museum", "park", "restaurant"))
    counts, truths = st.integers(1, 3), st.booleans()
    shapes: tuple[dict[str, Any], ...] = (
        {"kind": st.just("visit"), "type": st.tuples(types), "at_least": counts, "none": truths},
        {"kind": st.just("visit"), "tag": st.tuples(st.sampled_from(TAGS)), "not": truths},
        {"kind": st.just("visit"), "any_of": st.lists(places, min_size=1, max_size=2)},
        {"kind": st.just("eat"), "place": places},
        {"kind": st.just("hotel"), "near": places},
        {"kind": st.just("hotel"), "stars": st.integers(1, 5)},
        {"kind": st.just("hotel"), "features": st.tuples(st.sampled_from(TAGS)), "not": truths},
        {"kind": st.just("price"), "of": st.just("night"), "at_most": st.integers(0, 300)},
        {"kind": st.just("spend"), "on": st.just("hotels"), "at_most": st.integers(0, 900)},
        {"kind": st.just("intercity"), "types": st.tuples(st.sampled_from("GDK"))},
        {"kind": st.just("intercity"), "depart_after": st.just("12:00"), "not": truths},
        {"kind": st.just("intercity"), "mode": st.sampled_from(("train", "flight"))},
    )
    return st.one_of(*(st.fixed_dictionaries({**shape, "weight": weights}) for shape in shapes))


@st.composite
def parameters(draw: st.DrawFn) -> dict[str, ParamValue]:
    """Small sizes, so that ranks, reserves and spreads cut."""
    return default_values() | {
        "POOL_POI_SIZE": draw(st.integers(1, 6)),
        "POOL_KNOWN_SIZE": draw(st.integers(0, 4)),
        "POOL_FOOD_SIZE": draw(st.sampled_from((0, 1, 2, 500))),
        "POOL_HOTEL_SIZE": draw(st.integers(1, 3)),
        "POOL_TRAIN_SIZE": draw(st.integers(1, 5)),
        "POOL_RESERVE_SIZE": draw(st.integers(0, 5)),
        "POOL_ALLOW_SYNTHETIC": draw(st.booleans()),
        "HOTEL_STARS_COMFORT": draw(st.sampled_from(([3, 4], [4], [2, 5]))),
    }
