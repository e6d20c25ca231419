"""Money is a `Decimal` in the code, and a string with two decimal places in JSON.

Adds floats from left to right, with the same result under every version of Python.

The built-in `sum` rounds in another way from Python 3.12 on, and a difference in the last bit could
decide between two plans of equal worth.
"""

from collections.abc import Iterable
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Annotated

from pydantic import PlainSerializer

CENT = Decimal("0.01")


def format_money(amount: Decimal) -> str:
    """`Decimal("553")` as `"553.00"`.

    Prices and budgets come in with two places at most. What has more is rounded to the nearest
    cent, and half a cent to the even one.
    """
    return str(amount.quantize(CENT))


Money = Annotated[Decimal, PlainSerializer(format_money, return_type=str, when_used="json")]
"""A field that reads a number or a string; its JSON is a string with two decimal places."""


def add_up(values: Iterable[float]) -> float:
    """The sum, from left to right; 0 of nothing."""
    return reduce(add, values, 0)
