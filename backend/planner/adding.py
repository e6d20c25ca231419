"""Adds numbers one after the other: `sum` of floats rounds otherwise from Python 3.12 on.

The last bit decides between equals, and a plan must be the same under every Python.
"""

from collections.abc import Iterable
from functools import reduce
from operator import add


def add_up(values: Iterable[float]) -> float:
    """The sum, from left to right; 0 of nothing."""
    return reduce(add, values, 0)
