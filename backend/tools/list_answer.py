"""Turns a listing into the answer of a list tool: page, hint, what was shown, what was asked."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from backend.money import format_money
from backend.pool.snapshot import Kind
from backend.tools.context import ToolContext
from backend.tools.hints import Advice, make_hint
from backend.tools.listing import Listing, RowT
from backend.tools.page import build_page_result
from backend.tools.tool import Answer


def answer_list(
    listing: Listing[RowT],
    ctx: ToolContext,
    kind: Kind,
    scope: Mapping[str, str],
    show: Callable[[RowT], dict[str, Any]],
    advice: Advice,
) -> Answer:
    """The answer; `scope` is the argument that says whose rows are listed, in one spelling."""
    hint = make_hint(listing, advice, ctx.locale)
    ids: tuple[str, ...] = listing.page_ids
    rows = list(map(show, listing.page))
    total = len(listing.matches)
    asked = {**scope, **listing.asked, "unseen_only": listing.unseen_only, "limit": listing.limit}
    return Answer(
        build_page_result(rows, total=total, limit=listing.limit, hint=hint.text),
        asked=asked,
        ids=ids,
        onward=hint.onward,
        kind=kind,
        listed=(*ids, *advice.names),
    )


def keep_asked(values: Mapping[str, str | Iterable[str] | None]) -> dict[str, tuple[str, ...]]:
    """Filters in use, each with its values sorted; those that were not given are left out."""
    return {
        key: (value,) if isinstance(value, str) else tuple(sorted(value or ()))
        for key, value in values.items()
        if value
    }


def write_number(value: float | None) -> str | None:
    """A number argument in one spelling: 60, 60.0 and 6e1 are the same."""
    return None if value is None else str(Decimal(str(value)).normalize())


def show_price(price: Decimal | None) -> str | None:
    """A price as the model reads it; null where unknown."""
    return None if price is None else format_money(price)


def show_number(number: float | None) -> float | int | None:
    """A number without a needless `.0`."""
    return int(number) if number is not None and number == int(number) else number


def is_affordable(price: Decimal | None, most: str) -> bool:
    """Not above the limit; an unknown price is not, as in the pool's own rule."""
    return price is None or price <= Decimal(most)
