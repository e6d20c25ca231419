"""Money is a decimal with two places inside, and a decimal string outside."""

from decimal import Decimal
from typing import Annotated

from pydantic import PlainSerializer

CENT = Decimal("0.01")


def format_money(amount: Decimal) -> str:
    """`Decimal("553")` as `"553.00"`; amounts are never rounded silently below a cent."""
    return str(amount.quantize(CENT))


Money = Annotated[Decimal, PlainSerializer(format_money, return_type=str, when_used="json")]
"""A field that reads numbers or strings and writes a decimal string with two places."""
