"""Parameters refuse what is not of their type or out of bounds, and say what would be right."""

import pytest

from backend.errors import NotFoundError, OutOfBoundsError
from backend.params.registry import PARAMS, check_value, find_param, parse_value


def test_every_default_is_within_its_own_bounds() -> None:
    for param in PARAMS:
        assert check_value(param, param.default) == param.default


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("POOL_POI_SIZE", "40", 40),
        ("POI_PRICE_CAP_ECONOMY", "150.5", "150.50"),
        ("POI_PRICE_CAP_COMFORT", "none", None),
        ("HOTEL_STARS_QUALITY", "5,4", [4, 5]),
        ("POOL_ALLOW_SYNTHETIC", "on", True),
    ],
)
def test_values_from_the_command_line(key: str, text: str, value: object) -> None:
    assert parse_value(find_param(key), text) == value


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("POOL_POI_SIZE", "0"),
        ("POOL_POI_SIZE", "many"),
        ("POOL_POI_SIZE", "12.5"),
        ("POI_PRICE_CAP_ECONOMY", "-1"),
        ("POI_PRICE_CAP_ECONOMY", "1.005"),
        ("POI_PRICE_CAP_ECONOMY", "NaN"),
        ("HOTEL_STARS_QUALITY", "6"),
        ("HOTEL_STARS_QUALITY", ""),
        ("POOL_ALLOW_SYNTHETIC", "perhaps"),
    ],
)
def test_wrong_values_are_refused_by_name(key: str, text: str) -> None:
    with pytest.raises(OutOfBoundsError, match=key):
        parse_value(find_param(key), text)


def test_an_unknown_key_gets_near_ones() -> None:
    with pytest.raises(NotFoundError, match="POOL_POI_SIZE"):
        find_param("POOL_POI_SIZ")
