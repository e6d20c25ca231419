"""Money is a `Decimal` in the code, and a string with two decimal places in JSON."""

from decimal import Decimal
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
