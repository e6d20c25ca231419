"""Rows for tests, made by name: a maker fills in everything that a test does not care about."""

import datetime as dt
from decimal import Decimal
from typing import Any

from backend.pool.candidate import (
    CityRow,
    HotelCandidate,
    PoiCandidate,
    StationRow,
    TagRow,
    TrainCandidate,
)

AS_OF = dt.date(2026, 10, 1)


def _city(city_id: str, name: str, name_en: str, position: tuple[float, float]) -> CityRow:
    return CityRow(
        id=city_id,
        name=name,
        name_en=name_en,
        country="CN",
        lat=position[0],
        lon=position[1],
        timezone="Asia/Shanghai",
        modes=("walk", "metro", "taxi"),
    )


CITIES = (
    _city("beijing", "北京", "Beijing", (39.9042, 116.4074)),
    _city("shanghai", "上海", "Shanghai", (31.2304, 121.4737)),
    _city("xian", "西安", "Xi'an", (34.2610, 108.9423)),
    _city("luoyang", "洛阳", "Luoyang", (34.6197, 112.4540)),
    _city("zhengzhou", "郑州", "Zhengzhou", (34.7466, 113.6254)),
)

STATIONS = (
    StationRow(city="beijing", name="北京南站", lat=39.8652, lon=116.3786),
    StationRow(city="beijing", name="北京西站", lat=39.8949, lon=116.3217),
    StationRow(city="shanghai", name="上海虹桥站", lat=31.1940, lon=121.3204),
    StationRow(city="xian", name="西安北站", lat=34.3766, lon=108.9391),
    StationRow(city="luoyang", name="洛阳龙门站", lat=34.5932, lon=112.4633),
    StationRow(city="zhengzhou", name="郑州东站", lat=34.7590, lon=113.7800),
)

TAGS = tuple(
    TagRow(id=tag, name=name, name_en=tag.capitalize())
    for tag, name in (
        ("history", "历史"),
        ("museum", "博物馆"),
        ("park", "公园"),
        ("art", "艺术"),
        ("food", "美食"),
        ("night_view", "夜景"),
        ("market", "市集"),
    )
)


def find_city(city_id: str) -> CityRow:
    """The row of one of the cities here."""
    return next(city for city in CITIES if city.id == city_id)


def make_poi(poi_id: str, name: str = "", *, city: str = "beijing", **changes: Any) -> PoiCandidate:
    """A place; without changes a free all-day sight of 90 minutes at the city's centre."""
    row: dict[str, Any] = {
        "id": poi_id,
        "city": city,
        "name": name or poi_id,
        "name_en": poi_id,
        "type": "historic_site",
        "area": "东城区",
        "price": Decimal(0),
        "duration_min": 90,
        "popularity": 50.0,
        "tags": ("history",),
        "lat": 39.9042 if city == "beijing" else find_city(city).lat,
        "lon": 116.4074 if city == "beijing" else find_city(city).lon,
        "opening_hours": "24/7",
        "last_entry": None,
        "closed_season": "",
        "intro": "",
        "source": "authored",
        "booking": "none",
        "book_days_ahead": 0,
        "as_of": AS_OF,
    }
    return PoiCandidate(**{**row, **changes})


def make_hotel(
    hotel_id: str, name: str = "", *, city: str = "beijing", **changes: Any
) -> HotelCandidate:
    """A hotel of three stars near the centre, 400 a night."""
    centre = find_city(city)
    row: dict[str, Any] = {
        "id": hotel_id,
        "city": city,
        "name": name or hotel_id,
        "name_en": hotel_id,
        "stars": 3,
        "price_per_night": Decimal(400),
        "area": "",
        "lat": centre.lat + 0.004,
        "lon": centre.lon + 0.004,
        "rating": 4.5,
        "tags": (),
        "intro": "",
        "source": "authored",
        "check_in": "14:00",
        "check_out": "12:00",
        "as_of": AS_OF,
    }
    return HotelCandidate(**{**row, **changes})


def make_train(
    number: str,
    start: tuple[str, str, str],
    end: tuple[str, str, str],
    *,
    day_offset: int = 0,
    price: Decimal | None = Decimal(500),
) -> TrainCandidate:
    """A train; both ends are (city, station, HH:MM) and its id is the number in lower case."""
    return TrainCandidate(
        id=number.lower(),
        number=number,
        from_city=start[0],
        from_station=start[1],
        to_city=end[0],
        to_station=end[1],
        depart=start[2],
        arrive=end[2],
        day_offset=day_offset,
        price=price,
        runs_on="",
        source="modelled",
        as_of=AS_OF,
    )
