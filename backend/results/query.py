"""Answers structured queries over a document's table."""

from typing import Any

from backend.results.aggregation import aggregate_rows
from backend.results.document import MAX_KEYS, Document
from backend.results.listing import Listing
from backend.results.ordering import Projected, sort_rows
from backend.results.path_grammar import All, Key
from backend.results.query_shape import Field, Order, Query, parse_query
from backend.results.refusals import refuse_field
from backend.results.rows import Rows

Page = dict[str, Any]


def run_query(document: Document, raw: Any) -> Page:
    """`{"rows", "total", "returned", "cursor"}`; the rows are a `Listing`, made when wanted."""
    query = parse_query(raw)
    for named in query.list_fields():
        _need_field(document, named)
    rows = document.table
    if query.where:
        rows = rows.filter(All(query.where))
    found = _list_groups(rows, query) if query.is_grouped else _list_rows(rows, query)
    return _make_page(found, query)


def _make_page(found: Listing, query: Query) -> Page:
    total = len(found)
    start = min(query.offset, total)
    end = total if query.limit is None else min(start + query.limit, total)
    cursor = str(end) if end < total else None
    return {
        "rows": found.slice(start, end),
        "total": total,
        "returned": end - start,
        "cursor": cursor,
    }


def _list_rows(rows: Rows, query: Query) -> Listing:
    ordered = sort_rows(rows, query.order_by)
    fields = tuple((named.text, named.steps) for named in query.select)
    return Projected(ordered, fields) if fields else ordered


def _list_groups(rows: Rows, query: Query) -> Listing:
    groups = aggregate_rows(rows, query)
    names = [named.text for named in query.group_by] + [a.name for a in query.aggregate]
    for order in query.order_by:
        if order.field.text not in names:
            raise refuse_field(order.field.text, names, "groups have only these")
    by_name = [
        Order(Field(order.field.text, (Key(order.field.text),)), order.is_descending)
        for order in query.order_by
    ]
    return sort_rows(Rows.of(groups), by_name)


def _need_field(document: Document, named: Field) -> None:
    """Refuse a field that no row has: it would look like an answer of nothing."""
    first = named.steps[0]
    assert isinstance(first, Key)
    is_known = first.name in document.keys or len(document.keys) >= MAX_KEYS
    if not len(document.table) or (is_known and len(named.steps) == 1):
        return
    has_it = is_known and any(
        part.column(named.steps).present().any() for part in document.table.parts
    )
    if not has_it:
        raise refuse_field(named.text, document.keys)
