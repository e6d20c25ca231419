"""Adds floats from left to right, with the same result under every version of Python.

The built-in `sum` rounds in another way from Python 3.12 on, and a difference in the last bit could
decide between two plans of equal worth.
"""

from collections.abc import Iterable
from functools import reduce
from operator import add


def add_up(values: Iterable[float]) -> float:
    """The sum, from left to right; 0 of nothing."""
    return reduce(add, values, 0)
