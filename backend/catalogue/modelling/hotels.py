"""Fills each city up to 56 hotels by rule; a modelled hotel's name says that it is typical, not real.

Stars: the next hotel goes to the band that is furthest behind its share. District: by weight, and
away from those that have the band. Price: by band, weight of the district and price level of the
city, with three steps around it; rating: by band, with the same steps. Position: on a spiral around
the district's centre.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from backend.catalogue.importers.lines import HotelLine
from backend.catalogue.modelling.facts import AS_OF, HotelArea, ModelFactsError, load_hotel_areas

COLUMNS = [name for name in HotelLine.model_fields if name not in {"beds", "brand"}]
"""What a rule can tell of a hotel: not its beds, and it has no brand."""
MODELLED_FILE = "modelled.csv"

HOTELS_PER_CITY = 56
STARS_SHARE = {2: 14, 3: 17, 4: 14, 5: 11}
BASE_PRICE = {2: 220, 3: 380, 4: 620, 5: 1250}
"""Yuan a night where the city's price level is 1 (Beijing) and the district's weight 3."""

BASE_RATING = {2: 4.2, 3: 4.4, 4: 4.5, 5: 4.7}
STEPS = ((0.90, -0.1), (1.0, 0.0), (1.12, 0.1))
"""Factor on the price and addition to the rating, in turn."""

STARS_ZH = {2: "二星", 3: "三星", 4: "四星", 5: "五星"}
GOLDEN_ANGLE = math.radians(137.5)
METRES_PER_DEGREE = 111_195


def model_hotels(seed_data: Path) -> list[dict[str, str]]:
    """All modelled hotels as rows of `hotels.csv`, beside the authored ones of each city."""
    authored = count_authored(seed_data / "hotels")
    areas: dict[str, list[HotelArea]] = {}
    for area in load_hotel_areas():
        areas.setdefault(area.city, []).append(area)
    return [
        row
        for city, of_city in areas.items()
        for row in model_city(city, of_city, authored.get(city, Counter()))
    ]


def count_authored(folder: Path) -> dict[str, Counter[int]]:
    """Authored hotels by city and star band."""
    counts: dict[str, Counter[int]] = {}
    for path in sorted(folder.glob("*.csv")):
        if path.name == MODELLED_FILE:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                counts.setdefault(row["city"], Counter())[int(row["stars"])] += 1
    return counts


def model_city(
    city: str, areas: list[HotelArea], authored: Counter[int]
) -> Iterator[dict[str, str]]:
    """The hotels that a city lacks, in the order in which the rule adds them."""
    if authored.total() > HOTELS_PER_CITY:
        raise ModelFactsError(f"{city}: {authored.total()} authored hotels, more than wanted")
    so_far: Counter[tuple[str, int]] = Counter()
    in_area: Counter[str] = Counter()
    bands = authored.copy()
    for number in range(1, HOTELS_PER_CITY - authored.total() + 1):
        stars = choose_stars(bands)
        area = choose_area(areas, stars, so_far)
        bands[stars] += 1
        so_far[area.area, stars] += 1
        in_area[area.area] += 1
        nth = (in_area[area.area], so_far[area.area, stars])
        yield write_hotel(number, area, stars, nth)


def choose_stars(so_far: Counter[int]) -> int:
    """The band furthest behind its share; the lower one where two are level."""
    return min(STARS_SHARE, key=lambda stars: (so_far[stars] / STARS_SHARE[stars], stars))


def choose_area(areas: list[HotelArea], stars: int, so_far: Counter[tuple[str, int]]) -> HotelArea:
    """The district with most weight a hotel so far (Sainte-Lague); same stars count twice."""
    return max(
        areas,
        key=lambda a: a.hotel_weight / (2 * count_in(a, so_far) + 2 * so_far[a.area, stars] + 1),
    )


def count_in(area: HotelArea, so_far: Counter[tuple[str, int]]) -> int:
    """Hotels modelled in a district, all bands."""
    return sum(so_far[area.area, stars] for stars in STARS_SHARE)


def write_hotel(number: int, area: HotelArea, stars: int, nth: tuple[int, int]) -> dict[str, str]:
    """One row of `hotels.csv`; `nth` counts the district's hotels, and those of its band."""
    factor, plus = STEPS[number % len(STEPS)]
    lat, lon = place_on_spiral(area, nth[0])
    district = 0.85 + 0.05 * area.hotel_weight
    price = BASE_PRICE[stars] * area.price_level * district * factor
    return {
        "id": f"{area.city}-hm-{number}",
        "city": area.city,
        "name": f"{area.area} {STARS_ZH[stars]}典型酒店 {nth[1]}",
        "name_en": f"{area.area_en} typical {stars}-star hotel {nth[1]}",
        "stars": str(stars),
        "price_per_night": str(round(price / 10) * 10),
        "currency": "CNY",
        "area": area.area,
        "lat": f"{lat:.4f}",
        "lon": f"{lon:.4f}",
        "rating": f"{BASE_RATING[stars] + plus:.1f}",
        "tags": "",
        "intro": f"按规则推算的{area.area}{STARS_ZH[stars]}酒店，代表当地常见价位，并非真实酒店。",
        "enabled": "true",
        "source": "modelled",
        "check_in": "14:00",
        "check_out": "12:00",
        "as_of": AS_OF,
    }


def place_on_spiral(area: HotelArea, nth: int) -> tuple[float, float]:
    """Even spread around the centre: about 300 m for the first, 1.2 km for the twentieth."""
    radius, angle = 270 * math.sqrt(nth), nth * GOLDEN_ANGLE
    north = radius * math.sin(angle) / METRES_PER_DEGREE
    east = radius * math.cos(angle) / METRES_PER_DEGREE / math.cos(math.radians(area.lat))
    return area.lat + north, area.lon + east
