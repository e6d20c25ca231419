"""The form of a part, and what an answer says about itself."""

from collections.abc import Iterator, Sequence
from typing import Any

from backend.results.path_grammar import Key
from backend.results.query_shape import Query
from backend.sources.choosing import Chosen
from backend.sources.tabling import ChangedError, Row


def list_shown(query: Query) -> Iterator[str]:
    """Columns that a query's answer shows, or adds up."""
    figures = [aggregate.field for aggregate in query.aggregate if aggregate.field]
    for field in (*query.select, *query.group_by, *figures):
        first = field.steps[0]
        assert isinstance(first, Key)
        yield first.name


def shape_rows(rows: list[Row], shape: str, name: str) -> Any:
    """Rows in the shape that a part wants; `name` is the part's."""
    if shape == "rows":
        return rows
    if shape == "map":
        return _make_map(rows, name)
    if len(rows) > 1:
        raise ChangedError(f"{name} has {len(rows)} rows instead of one")
    row = rows[0] if rows else None
    return next(iter(row.values())) if row is not None and len(row) == 1 else row


def _make_map(rows: list[Row], name: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for row in rows:
        (_, key), *rest = row.items()
        if str(key) in made:
            raise ChangedError(f"{name} has {key!r} twice")
        made[str(key)] = rest[0][1] if len(rest) == 1 else dict(rest)
    return made


def count_kept(chosen: Sequence[Chosen]) -> dict[str, Any]:
    """Rows that the answer rests upon, out of how many, and their range."""
    spans = [
        row[choice.table.range]
        for choice in chosen
        if choice.table.range is not None
        for row in choice.rows
        if row[choice.table.range] is not None
    ]
    return {
        "from": min(spans, default=None),
        "to": max(spans, default=None),
        "rows": sum(len(choice.rows) for choice in chosen),
        "of": sum(len(choice.read.rows) for choice in chosen),
    }
