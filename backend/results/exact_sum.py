"""Exact sums of scaled integers, in 64 bits where these cannot overflow."""

from decimal import Decimal

import numpy as np

from backend.results.column import Codes, Whole
from backend.results.number_column import NumberColumn

_SAFE = 2**62


def sum_scaled(numbers: NumberColumn) -> int | Decimal:
    """The sum of a column without gaps, with the places of its most precise value."""
    if not len(numbers):
        return 0
    scaled = numbers.scaled
    total = int(scaled.sum()) if is_safe(scaled) else int(sum(scaled.tolist()))
    return unscale(total, numbers.max_places, int(numbers.places.max()))


def is_safe(scaled: Whole) -> bool:
    """Whether no sum of these can leave 64 bits."""
    size = len(scaled)
    return not size or max(int(scaled.max()), -int(scaled.min())) * size < _SAFE


def sum_by_group(numbers: NumberColumn, groups: Codes, count: int) -> list[int | Decimal]:
    """The same for each of `count` groups; `groups` says to which a number belongs."""
    places = np.zeros(count, dtype=np.uint8)
    np.maximum.at(places, groups, numbers.places)
    dtype = np.int64 if is_safe(numbers.scaled) else np.object_
    totals = np.zeros(count, dtype=dtype)
    np.add.at(totals, groups, numbers.scaled.astype(dtype))
    pairs = zip(totals.tolist(), places.tolist(), strict=True)
    return [unscale(total, numbers.max_places, shown) for total, shown in pairs]


def unscale(total: int, places: int, shown: int) -> int | Decimal:
    """An integer of the scale `places` as a number with `shown` places, of which the rest are 0."""
    mantissa: int = total // 10 ** (places - shown)
    if not shown:
        return mantissa
    return Decimal((mantissa < 0, tuple(map(int, str(abs(mantissa)))), -shown))
