"""The hotel rules, one by one."""

from collections import Counter
from pathlib import Path

import pytest

from backend.catalogue.modelling.hotels import (
    HotelArea,
    ModelFactsError,
    choose_area,
    count_authored,
    model_city,
)

AREAS = [
    HotelArea(
        city="x", area=name, area_en=name, lat=30, lon=110, hotel_weight=weight, price_level=1
    )
    for name, weight in (("heavy", 4), ("light", 1))
]


def test_authored_hotels_leave_less_to_model() -> None:
    authored = Counter({2: 4, 3: 5, 4: 4, 5: 5})
    rows = list(model_city("x", AREAS, authored))
    bands = authored + Counter(int(row["stars"]) for row in rows)

    assert len(rows) == 56 - 18
    assert bands == {2: 14, 3: 17, 4: 14, 5: 11}


def test_a_band_with_many_authored_hotels_gets_none() -> None:
    rows = list(model_city("x", AREAS, Counter({5: 20})))

    assert "5" not in {row["stars"] for row in rows}
    assert min(Counter(row["stars"] for row in rows).values()) >= 9


def test_more_authored_hotels_than_wanted_are_refused() -> None:
    with pytest.raises(ModelFactsError, match="x: 57 authored"):
        list(model_city("x", AREAS, Counter({3: 57})))


def test_weight_decides_the_district() -> None:
    so_far: Counter[tuple[str, int]] = Counter()
    for _ in range(10):
        so_far[choose_area(AREAS, 3, so_far).area, 3] += 1

    assert so_far == {("heavy", 3): 8, ("light", 3): 2}


def test_the_modelled_file_itself_does_not_count_as_authored(tmp_path: Path) -> None:
    for name in ("x.csv", "modelled.csv"):
        (tmp_path / name).write_text("city,stars\nx,3\n")

    assert count_authored(tmp_path) == {"x": Counter({3: 1})}
