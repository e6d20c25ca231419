"""The authored catalogue: complete, well formed, plausible; what a first-time user can check."""

import csv
import datetime as dt
import itertools
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from backend.catalogue.importers.catalogue_csv import read_folder
from backend.catalogue.importers.lines import CityLine, HotelLine, PoiLine, TagLine
from backend.catalogue.opening_hours import is_open_on
from backend.params.registry import default_values
from backend.pool.candidate import measure_distance_m

FOLDER = Path(__file__).parents[2] / "seed_data"
REQUIRED = frozenset(
    [
        "beijing",
        "shanghai",
        "nanjing",
        "suzhou",
        "hangzhou",
        "xian",
        "chengdu",
        "chongqing",
        "guangzhou",
        "shenzhen",
        "wuhan",
        "guilin",
    ]
)
RADIUS_KM = {
    "luoyang": 160,
    "tianjin": 135,
    "chongqing": 420,
    "chengdu": 145,
    "hangzhou": 175,
    "beijing": 120,
    "guilin": 130,
}
"""How far from its centre a city's own area reaches; 110 km where nothing is named."""


@cache
def pois() -> tuple[PoiLine, ...]:
    return tuple(read_folder(FOLDER)[0].pois)


@cache
def hotels() -> tuple[HotelLine, ...]:
    return tuple(read_folder(FOLDER)[0].hotels)


@cache
def cities() -> dict[str, CityLine]:
    return {city.id: city for city in read_folder(FOLDER)[0].cities}


@cache
def by_city() -> dict[str, list[PoiLine]]:
    found: dict[str, list[PoiLine]] = defaultdict(list)
    for poi in pois():
        found[poi.city].append(poi)
    return found


def test_every_line_of_every_file_is_well_formed() -> None:
    _, faults = read_folder(FOLDER)
    assert [str(fault) for fault in faults] == []


def test_sixteen_cities_with_enough_places_and_hotels() -> None:
    assert len(cities()) == 16
    assert set(cities()) >= REQUIRED
    assert len(pois()) >= 1828
    assert min(len(by_city()[city]) for city in cities()) >= 90
    stars = Counter((hotel.city, hotel.stars) for hotel in hotels())
    assert len(hotels()) >= 850
    assert min(Counter(hotel.city for hotel in hotels()).values()) >= 40
    assert min(stars[city, band] for city in cities() for band in (2, 3, 4, 5)) >= 8


def test_at_least_fifteen_hotels_a_city_are_authored() -> None:
    authored = Counter(hotel.city for hotel in hotels() if hotel.source == "authored")
    assert min(authored[city] for city in cities()) >= 15


def test_nothing_synthetic_is_in_the_seed() -> None:
    assert {poi.source for poi in pois()} == {"authored"}
    assert {hotel.source for hotel in hotels()} == {"authored", "modelled"}


def test_ids_are_unique_and_begin_with_their_city() -> None:
    ids = Counter([poi.id for poi in pois()] + [hotel.id for hotel in hotels()])
    assert [i for i, n in ids.items() if n > 1] == []
    assert [poi.id for poi in pois() if not poi.id.startswith(f"{poi.city}-")] == []


def test_every_tag_is_known_and_every_one_used() -> None:
    with (FOLDER / "tags.csv").open(encoding="utf-8") as file:
        known = {TagLine.model_validate(row).id for row in csv.DictReader(file)}
    used = {tag for poi in pois() for tag in poi.tags}
    assert 28 <= len(known) <= 40
    assert used == known
    assert {tag for hotel in hotels() for tag in hotel.tags} <= known


@pytest.mark.parametrize("year", [2026])
def test_every_place_is_open_on_some_day_and_no_place_on_none(year: int) -> None:
    days = [dt.date(year, 1, 1) + dt.timedelta(n) for n in range(0, 365, 3)]
    closed = [
        poi.id
        for poi in pois()
        if not any(is_open_on(poi.opening_hours, poi.closed_season, day, ()) for day in days)
    ]
    assert closed == []


def test_opening_hours_are_known_nearly_everywhere() -> None:
    unknown = Counter(poi.city for poi in pois() if not poi.opening_hours)
    assert all(unknown[city] <= 5 for city in cities())


def test_most_museums_close_on_a_weekday() -> None:
    day = dt.date(2026, 11, 2)
    week = [day + dt.timedelta(n) for n in range(7)]
    museums = [poi for poi in pois() if poi.type == "museum" and poi.opening_hours]
    closing = [
        poi for poi in museums if not all(is_open_on(poi.opening_hours, "", d, ()) for d in week)
    ]
    assert len(closing) >= 0.6 * len(museums)


@pytest.mark.parametrize(
    ("poi_name", "is_open"), [("故宫博物院", False), ("天坛公园", True), ("秦始皇帝陵博物院", True)]
)
def test_well_known_places_on_a_monday(poi_name: str, is_open: bool) -> None:
    monday = dt.date(2026, 11, 2)
    found = [poi for poi in pois() if poi.name == poi_name]
    assert len(found) == 1
    assert is_open_on(found[0].opening_hours, "", monday, ()) is is_open


def test_positions_lie_in_the_municipality() -> None:
    rows: list[PoiLine | HotelLine] = [*pois(), *hotels()]
    far = [
        row.id
        for row in rows
        if measure_distance_m((row.lat, row.lon), (cities()[row.city].lat, cities()[row.city].lon))
        > 1000 * RADIUS_KM.get(row.city, 110)
    ]
    assert far == []


def test_no_two_places_are_the_same() -> None:
    for city, rows in by_city().items():
        names = Counter(poi.name for poi in rows)
        assert [name for name, n in names.items() if n > 1] == [], city
        near = [
            (a.id, b.id)
            for a, b in itertools.combinations(rows, 2)
            if abs(a.lat - b.lat) < 0.0005
            and measure_distance_m((a.lat, a.lon), (b.lat, b.lon)) < 30
            and fuzz.ratio(a.name, b.name) > 50
        ]
        assert near == [], city


def test_prices_durations_and_intros_are_within_bounds() -> None:
    for poi in pois():
        assert poi.price is not None, poi.id
        assert 0 <= poi.price <= 1500, poi.id
        assert 15 <= poi.duration_min <= 720, poi.id
        assert poi.popularity is not None, poi.id
        assert 10 <= len(poi.intro) <= 90, poi.id
    for hotel in hotels():
        assert hotel.price_per_night is not None, hotel.id
        assert 60 <= hotel.price_per_night <= 6000, hotel.id


def test_popularity_spreads_with_the_best_known_at_the_top() -> None:
    for city, rows in by_city().items():
        values = sorted((poi.popularity or 0 for poi in rows), reverse=True)
        assert values[0] >= 95, city
        assert values[len(values) // 2] <= 70, city
        assert values[-1] <= 40, city


def test_the_awkward_ones_are_there() -> None:
    assert sum(bool(poi.closed_season) for poi in pois()) >= 10
    assert sum(poi.booking == "required" for poi in pois()) >= 30
    assert sum(poi.booking == "required" and poi.price == 0 for poi in pois()) >= 10
    assert sum(poi.duration_min >= 360 for poi in pois()) >= 10
    late = [
        poi
        for poi in pois()
        if poi.opening_hours not in {"", "24/7"}
        and any(part in poi.opening_hours for part in ("-01:", "-02:", "-03:", "-04:", "-05:"))
    ]
    assert len(late) >= 10


def test_every_tier_of_every_city_has_a_pool_worth_its_name() -> None:
    params = default_values()
    for city, rows in by_city().items():
        for tier in ("ECONOMY", "COMFORT", "QUALITY"):
            cap, stars = params[f"POI_PRICE_CAP_{tier}"], params[f"HOTEL_STARS_{tier}"]
            assert isinstance(stars, list)
            places = [p for p in rows if cap is None or (p.price or 0) <= float(str(cap))]
            beds = [h for h in hotels() if h.city == city and h.stars in stars]
            assert len(places) >= 40, (city, tier)
            assert len(beds) >= 8, (city, tier)


def test_many_types_are_used_in_every_city() -> None:
    for city, rows in by_city().items():
        assert len({poi.type for poi in rows}) >= 15, city
        assert sum(poi.type == "restaurant" for poi in rows) >= 6, city
