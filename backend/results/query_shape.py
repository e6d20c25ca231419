"""Reads a structured query: a closed JSON object, every fault named with what would be right."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from backend.results.handle import ResultError, refuse_query, shorten
from backend.results.path_grammar import Comparison, FieldStep, parse_field
from backend.results.values import Op, write_json
from backend.text import find_near

MAX_CLAUSES = 64
AGGREGATES = ("count", "sum", "avg", "min", "max")
_OPS = get_args(Op)
_CURSOR = re.compile("[0-9]{1,12}")
_KEYS = ("where", "select", "group_by", "aggregate", "order_by", "limit", "cursor")


@dataclass(frozen=True)
class Field:
    """A field as the query spells it, which is its name in the answer, and the way to it."""

    text: str
    steps: tuple[FieldStep, ...]


@dataclass(frozen=True)
class Aggregate:
    """One figure of each group; without a field it counts rows."""

    op: str
    field: Field | None

    @property
    def name(self) -> str:
        """Its key in the answer: `count`, `sum_amount`."""
        return f"{self.op}_{self.field.text}" if self.field else self.op


@dataclass(frozen=True)
class Order:
    """A field to sort by, from high to low where `is_descending`."""

    field: Field
    is_descending: bool


@dataclass(frozen=True)
class Query:
    """A structured query; `offset` is where its cursor stands, `limit` None is all rows."""

    where: tuple[Comparison, ...] = ()
    select: tuple[Field, ...] = ()
    group_by: tuple[Field, ...] = ()
    aggregate: tuple[Aggregate, ...] = ()
    order_by: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    conditions_on: tuple[Field, ...] = field(default=())

    @property
    def is_grouped(self) -> bool:
        """Whether it answers with groups instead of rows."""
        return bool(self.group_by or self.aggregate)

    def list_fields(self) -> list[Field]:
        """The fields of the data that it speaks of."""
        figures = [a.field for a in self.aggregate if a.field]
        orders = [] if self.is_grouped else [order.field for order in self.order_by]
        return [*self.conditions_on, *self.select, *self.group_by, *figures, *orders]


def parse_query(raw: Any) -> Query:
    """The query that a JSON value says; a `BAD_QUERY` names what is wrong."""
    if not isinstance(raw, dict):
        raise _refuse("a query", raw, "an object with where, select, group_by, aggregate, …")
    for key in raw:
        if key not in _KEYS:
            near = find_near(shorten(key), _KEYS, len(_KEYS), 0)
            error = _refuse("the query's keys", key, f"among {', '.join(_KEYS)}")
            error.allowed = near
            raise error
    where = _read_list(raw, "where", _read_where)
    query = Query(
        tuple(comparison for comparison, _ in where),
        tuple(_read_list(raw, "select", _read_field)),
        tuple(_read_list(raw, "group_by", _read_field)),
        tuple(_read_list(raw, "aggregate", _read_aggregate)),
        tuple(_read_list(raw, "order_by", _read_order)),
        _read_limit(raw.get("limit")),
        _read_cursor(raw.get("cursor")),
        tuple(named for _, named in where),
    )
    if query.select and query.is_grouped:
        raise _refuse("select", raw["select"], "left out where group_by or aggregate stand")
    return query


def _read_list(raw: dict[str, Any], key: str, read: Callable[[Any], Any]) -> list[Any]:
    value = raw.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > MAX_CLAUSES:
        raise _refuse(key, value, f"a list of at most {MAX_CLAUSES}")
    return [read(entry) for entry in value]


def _read_field(value: Any) -> Field:
    if not isinstance(value, str):
        raise _refuse("a field", value, "a text like amount or customer.name")
    return Field(value, parse_field(value))


def _read_where(value: Any) -> tuple[Comparison, Field]:
    example = '{"field": "amount", "op": ">=", "value": 100}'
    if not isinstance(value, dict) or set(value) != {"field", "op", "value"}:
        raise _refuse("an entry of where", value, f"like {example}")
    named, op, operand = _read_field(value["field"]), value["op"], value["value"]
    if op not in _OPS:
        raise _refuse("op", op, f"one of {' '.join(_OPS)}")
    if op == "in" and not isinstance(operand, list):
        raise _refuse("the value of in", operand, "a list")
    return Comparison(named.steps, cast("Op", op), operand), named


def _read_aggregate(value: Any) -> Aggregate:
    is_known = isinstance(value, dict) and set(value) <= {"op", "field"} and "op" in value
    if not is_known or value["op"] not in AGGREGATES:
        raise _refuse("an entry of aggregate", value, f'{{"op", "field"}}, op {list(AGGREGATES)}')
    named = value.get("field")
    if named is None and value["op"] != "count":
        raise _refuse(value["op"], value, "given a field")
    return Aggregate(value["op"], None if named is None else _read_field(named))


def _read_order(value: Any) -> Order:
    if not isinstance(value, str):
        raise _refuse("an entry of order_by", value, 'a field, with "-" before it from high to low')
    return Order(_read_field(value.removeprefix("-")), value.startswith("-"))


def _read_limit(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or value < 1:
        raise _refuse("limit", value, "a whole number from 1 on")
    return value


def _read_cursor(value: Any) -> int:
    if value is None:
        return 0
    if not isinstance(value, str) or _CURSOR.fullmatch(value) is None:
        raise _refuse("cursor", value, "the cursor of the answer before")
    return int(value)


def _refuse(what: str, value: Any, wanted: str) -> ResultError:
    shown = shorten(write_json(value))
    return refuse_query(
        f"{what} must be {wanted}, not {shown}", f"{what} 应为 {wanted}，而不是 {shown}"
    )
