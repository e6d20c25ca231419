"""Money has two places: what comes with more is rounded to the nearest cent, half a cent to the even one."""

from decimal import Decimal

import pytest
from pydantic import BaseModel

from backend.money import Money, format_money


class Bill(BaseModel):
    """A document with an amount."""

    amount: Money


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0", "0.00"), ("553", "553.00"), ("0.1", "0.10"), ("-3.5", "-3.50"), ("1E+3", "1000.00"),
        ("0.004", "0.00"), ("0.006", "0.01"), ("1.994", "1.99"), ("1.996", "2.00"),
        ("0.005", "0.00"), ("0.015", "0.02"), ("0.025", "0.02"), ("-1.006", "-1.01"),
    ],
)  # fmt: skip
def test_an_amount_is_shown_with_two_places(amount: str, shown: str) -> None:
    assert format_money(Decimal(amount)) == shown
    assert Bill(amount=Decimal(amount)).model_dump(mode="json") == {"amount": shown}


def test_inside_an_amount_stays_as_exact_as_it_is() -> None:
    bill = Bill.model_validate({"amount": "0.005"})
    assert bill.model_dump() == {"amount": Decimal("0.005")}
    assert bill.model_dump_json() == '{"amount":"0.00"}'
