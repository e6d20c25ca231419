"""A small catalogue whose every name would be a script, if anything took it for more than text."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAME = "<img src=x onerror=alert(1)>"
CITY = "evil"

_PLACES, _HOTELS = 13, 3
_TRAINS = (("shanghai", "上海虹桥", CITY, NAME), (CITY, NAME, "shanghai", "上海虹桥"))


def write_catalogue(folder: Path) -> Path:
    """The folder, filled: a city, places, hotels, a station and trains from and to 上海."""
    _write(folder / "cities.csv", [_make_city()])
    _write(folder / "tags.csv", [{"id": CITY, "name": NAME, "name_en": NAME}])
    _write(folder / "pois.csv", [_make_place(n) for n in range(_PLACES)])
    _write(folder / "hotels.csv", [_make_hotel(n) for n in range(_HOTELS)])
    _write(folder / "stations.csv", [{"city": CITY, "name": NAME, "lat": 30.1, "lon": 120.1}])
    _write(folder / "trains.csv", [_make_train(n, *way) for n, way in enumerate(_TRAINS)])
    return folder


def _make_city() -> dict[str, Any]:
    place = {"country": "CN", "lat": 30, "lon": 120, "timezone": "Asia/Shanghai"}
    return {"id": CITY, "name": f"{NAME} 城", "name_en": f"{NAME} city", **place}


def _make_place(n: int) -> dict[str, Any]:
    return {
        "id": f"evil-{n}", "city": CITY, "name": f"{NAME} {n}", "name_en": f"{NAME} {n}",
        "type": "restaurant" if n % 3 == 2 else "museum", "area": NAME, "price": "20" if n < 12 else "500",
        "currency": "CNY", "duration_min": 60, "popularity": 90 - n, "tags": f"{CITY};history",
        "lat": 30 + n / 100, "lon": 120 + n / 90, "opening_hours": "09:00-21:00",
        "last_entry": "", "closed_season": "", "intro": NAME, "enabled": "true",
        "source": "authored",
    }  # fmt: skip


def _make_hotel(n: int) -> dict[str, Any]:
    return {
        "id": f"evil-h-{n}", "city": CITY, "name": f"{NAME} {n}", "name_en": f"{NAME} {n}",
        "stars": 3 + n % 2, "price_per_night": 300, "currency": "CNY", "area": NAME, "lat": 30,
        "lon": 120, "rating": 4.5, "tags": CITY, "intro": NAME, "enabled": "true",
        "source": "authored",
    }  # fmt: skip


def _make_train(n: int, from_city: str, start: str, to_city: str, end: str) -> dict[str, Any]:
    return {
        "id": f"evil-t-{n}", "number": f"{NAME}{n}", "from_city": from_city, "from_station": start,
        "to_city": to_city, "to_station": end, "depart": "08:00" if n == 0 else "18:00",
        "arrive": "09:30" if n == 0 else "19:30", "day_offset": 0, "price": 100,
        "currency": "CNY", "runs_on": "", "enabled": "true", "source": "authored",
    }  # fmt: skip


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
