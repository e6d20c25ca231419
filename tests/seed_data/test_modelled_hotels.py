"""The committed modelled hotels, together with the authored ones of each city."""

import csv
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from backend.catalogue.importers.lines import HotelLine
from backend.catalogue.modelling.hotels import BASE_PRICE, load_hotel_areas
from backend.pool.candidate import measure_distance_m

FOLDER = Path(__file__).parents[2] / "seed_data" / "hotels"


@cache
def read_hotels() -> tuple[HotelLine, ...]:
    return tuple(
        HotelLine.model_validate(row)
        for path in sorted(FOLDER.glob("*.csv"))
        for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    )


def list_modelled() -> list[HotelLine]:
    return [hotel for hotel in read_hotels() if hotel.source == "modelled"]


def test_every_city_has_56_hotels_and_at_least_9_in_each_band() -> None:
    bands: dict[str, Counter[int | None]] = defaultdict(Counter)
    for hotel in read_hotels():
        bands[hotel.city][hotel.stars] += 1

    assert set(bands) == {area.city for area in load_hotel_areas()}
    for city, counts in bands.items():
        assert counts.total() == 56, city
        assert min(counts[stars] for stars in (2, 3, 4, 5)) >= 9, city


def test_nobody_can_take_one_for_a_real_hotel() -> None:
    for hotel in list_modelled():
        assert "典型酒店" in hotel.name
        assert f"typical {hotel.stars}-star hotel" in (hotel.name_en or "")
        assert "并非真实酒店" in hotel.intro
        assert hotel.id.startswith(f"{hotel.city}-hm-")


def test_ids_and_names_within_a_city_are_unique() -> None:
    assert len({hotel.id for hotel in read_hotels()}) == len(read_hotels())
    assert len({(hotel.city, hotel.name) for hotel in read_hotels()}) == len(read_hotels())


def test_hotels_stand_near_the_centre_of_their_district_and_apart() -> None:
    centres = {(area.city, area.area): (area.lat, area.lon) for area in load_hotel_areas()}
    positions = Counter((hotel.lat, hotel.lon) for hotel in list_modelled())

    assert set(positions.values()) == {1}
    for hotel in list_modelled():
        centre = centres[hotel.city, hotel.area]
        assert measure_distance_m(centre, (hotel.lat, hotel.lon)) < 1_500


def test_every_district_has_hotels_and_the_weightiest_the_most() -> None:
    counts = Counter((hotel.city, hotel.area) for hotel in list_modelled())
    weights: dict[str, dict[str, int]] = defaultdict(dict)
    for area in load_hotel_areas():
        weights[area.city][area.area] = area.hotel_weight

    for city, of_city in weights.items():
        first, last = max(of_city, key=of_city.__getitem__), min(of_city, key=of_city.__getitem__)
        assert counts[city, first] >= counts[city, last], city
        assert all(counts[city, area] for area in of_city), city


def test_more_stars_cost_more_in_each_district() -> None:
    prices: dict[tuple[str, str, int | None], list[float]] = defaultdict(list)
    for hotel in list_modelled():
        prices[hotel.city, hotel.area, hotel.stars].append(float(hotel.price_per_night or 0))

    levels = {area.city: area.price_level for area in load_hotel_areas()}
    for (city, area, stars), of_band in prices.items():
        assert stars is not None
        base = BASE_PRICE[stars] * levels[city]
        assert all(0.75 * base < price < 1.3 * base for price in of_band), (city, area, stars)
        if above := prices.get((city, area, stars + 1)):
            assert max(of_band) < min(above), (city, area, stars)
