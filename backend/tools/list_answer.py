"""Turns a listing into the answer of a list tool: page, hint, what was shown, what was asked.

The answer of a list tool: the rows with their number, the number of all matches, and a hint.

The answer of a detail tool: one row whole, counted as opened.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from backend.money import format_money
from backend.pool.candidate import HotelCandidate, PoiCandidate, Row, TrainCandidate
from backend.pool.snapshot import Kind, Snapshot
from backend.tools.context import ToolContext
from backend.tools.hints import Advice, Listing, RowT, make_hint
from backend.tools.tool import Answer


def build_page_result(
    rows: Sequence[dict[str, Any]], *, total: int, limit: int, hint: str
) -> dict[str, Any]:
    """A list tool's answer, with exactly these keys; `total` counts all matches, not this page."""
    return {
        "total": total,
        "returned": len(rows),
        "hasMore": len(rows) < total,
        "limit": limit,
        "hint": hint,
        "rows": list(rows),
    }


def build_repeat_result(*, number: int, total: int, limit: int, hint: str) -> dict[str, Any]:
    """The answer to a repeated call: no rows, and `repeat_of` names the first call, `number`."""
    page = build_page_result([], total=total, limit=limit, hint=hint)
    return {**page, "repeat_of": number}


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


LONGEST_TEXT = 1000
"""Characters of an introduction that a model is shown: an import takes more."""

Candidate = PoiCandidate | HotelCandidate | TrainCandidate


def answer_detail(kind: Kind, row_id: str, content: dict[str, Any]) -> Answer:
    """One item in detail; asked for again, it is a repeat."""
    return Answer(content, asked={"id": row_id}, ids=(row_id,), kind=kind, opened=(row_id,))


def show_fields(row: Row) -> dict[str, Any]:
    """All fields as JSON values; unknown ones stand as null, endless texts are cut."""
    return {key: _show(value) for key, value in row.model_dump(mode="json").items()}


def _show(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return value[: LONGEST_TEXT - 1] + "…"
    return show_number(value) if isinstance(value, float) else value


def list_pool(snapshot: Snapshot, kind: Kind) -> Iterator[Candidate]:
    """The pool's rows of a kind, for telling near ones."""
    rows: dict[Kind, dict[str, Any]] = {
        "poi": snapshot.rows.pois,
        "hotel": snapshot.rows.hotels,
        "train": snapshot.rows.trains,
    }
    return (rows[kind][row_id] for row_id in sorted(snapshot.ids_by_kind[kind]))
