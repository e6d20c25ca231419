"""Chooses the rows of a table that a call asks for, and refuses what the data cannot say.

The errors of sources, in both languages; the model reads one and goes on without the source.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from backend.errors import ToolError
from backend.results.document import Document, thaw
from backend.results.handle import ResultError, shorten
from backend.results.path_grammar import Comparison, FieldStep, Key
from backend.results.query import run_query
from backend.results.query_shape import Query, parse_query
from backend.sources.binding import bind_query, fold_text
from backend.sources.spec import Source, Table
from backend.sources.tabling import ChangedError, Row, TableRows, looks_like_date, read_table
from backend.text import find_near


class SourceError(ResultError):
    """A source that gives no answer; the run goes on without it."""


def refuse_change(source: str, what: str) -> SourceError:
    """The response has not the shape that the projection was written for; nothing of it is used."""
    return SourceError(
        "SOURCE_CHANGED",
        f"{source} answers in a changed shape ({shorten_reason(what)}); nothing of it is used,"
        " go on without it",
        translated=f"{source} 返回的格式已改变（{shorten_reason(what)}），未采用任何内容；请继续，不要依赖它",
    )


def refuse_gap(source: str, what: str, translated: str, allowed: Sequence[str] = ()) -> SourceError:
    """The source says nothing about what was asked, which is not the same as none."""
    return SourceError(
        "NOT_COVERED",
        f"{source} has no data for this: {what}",
        allowed,
        translated=f"{source} 没有相应的数据：{translated}",
    )


def refuse_untyped_date(source: str, column: str) -> SourceError:
    """As text, `02-01-2026` comes after `01-12-2026`: such an order would be wrong in silence."""
    shown = shorten(column)
    return SourceError(
        "UNTYPED_DATE",
        f"{source}: column {shown!r} holds dates as text and cannot be ordered or compared;"
        " give it a date format in the projection",
        translated=f"{source}：列 {shown!r} 是文本形式的日期，不能排序或比较；请在投影中给出日期格式",
    )


def shorten_reason(what: str) -> str:
    """A reason fit to be shown; what a response holds may be long."""
    line = " ".join(what.split())
    return line if len(line) <= 200 else line[:199] + "…"


def refuse_size(source: str, limit: int) -> SourceError:
    """More than may be read; a part of it would be an answer that nobody could trust."""
    return SourceError(
        "SOURCE_TOO_LARGE",
        f"{source} answers with more than {limit} bytes; nothing of it is used, go on without it",
        translated=f"{source} 的返回超过 {limit} 字节，未采用任何内容；请继续，不要依赖它",
    )


def refuse_time(source: str, seconds: float) -> SourceError:
    """Too slow."""
    return SourceError(
        "SOURCE_SLOW",
        f"{source} did not answer within {seconds:g} seconds; go on without it",
        translated=f"{source} 在 {seconds:g} 秒内没有返回；请继续，不要依赖它",
    )


def refuse_failure(source: str, what: str) -> SourceError:
    """Down, or not willing."""
    return SourceError(
        "SOURCE_DOWN",
        f"{source} cannot be reached or refuses ({shorten_reason(what)}); go on without it",
        translated=f"{source} 无法访问或拒绝请求（{shorten_reason(what)}）；请继续，不要依赖它",
    )


def refuse_type(source: str, what: str) -> SourceError:
    """Something else than data of the source's format."""
    return SourceError(
        "SOURCE_WRONG_TYPE",
        f"{source} answers with something else than its data ({shorten_reason(what)}); nothing"
        " of it is used, go on without it",
        translated=f"{source} 返回的类型不对（{shorten_reason(what)}），未采用任何内容；请继续，不要依赖它",
    )


def refuse_host(source: str, what: str) -> SourceError:
    """A place from which nothing is fetched."""
    return SourceError(
        "SOURCE_FORBIDDEN",
        f"{source} is at a place from which nothing is fetched ({shorten_reason(what)}); go on"
        " without it",
        translated=f"{source} 的地址不允许访问（{shorten_reason(what)}）；请继续，不要依赖它",
    )


_ORDERED = {"<", "<=", ">", ">="}


@dataclass(frozen=True)
class Chosen:
    """A table with the rows that the arguments ask for; `pinned` columns have one known value."""

    table: Table
    read: TableRows
    rows: list[Row]
    pinned: frozenset[str]


@dataclass
class Chooser:
    """One response's tables and the call's arguments, which take on the data's spelling."""

    source: Source
    root: Mapping[str, Any]
    arguments: dict[str, Any]
    not_found: list[Any] = field(default_factory=list)

    def choose(self, table: Table) -> Chosen:
        """The rows of a table that the arguments ask for."""
        read = read_table(self.root, table, ZoneInfo(self.source.timezone))
        self._check_covered(table, read.rows)
        self._spell(table, read.rows)
        query = bind_query({"where": list(table.where)}, self.arguments)
        rows = [thaw(row) for row in self.query(read.rows, table, query)["rows"]]
        if not rows and not table.may_select_none:
            raise refuse_gap(
                self.source.name, "no row fits these arguments", "没有符合这些参数的行"
            )
        pinned = frozenset(c["field"] for c in query["where"] if c["op"] == "==")
        return Chosen(table, read, rows, pinned)

    def query(self, rows: list[Row], table: Table, raw: dict[str, Any]) -> dict[str, Any]:
        """The page that a bound query gives over rows of a table."""
        query = parse_query(raw)
        for column in _list_ordered(query):
            spec = table.columns[column]
            is_typed = spec.type not in {"as_is", "text"} or spec.folds
            if not is_typed and any(looks_like_date(row[column]) for row in rows):
                raise refuse_untyped_date(self.source.name, column)
        try:
            return run_query(Document.of(rows), raw)
        except ToolError as error:
            raise ChangedError(error.message) from None

    def _check_covered(self, table: Table, rows: list[Row]) -> None:
        covers = table.covers
        wanted = self.arguments.get(covers.arg) if covers else None
        if covers is None or wanted is None:
            return
        days = [row[covers.column][:10] for row in rows if row[covers.column]]
        if not days:
            raise ChangedError(f"{covers.column} has no value")
        first, last = min(days), max(days)
        size = 10 if covers.unit == "day" else 4
        if not first[:size] <= wanted[:size] <= last[:size]:
            raise refuse_gap(
                self.source.name,
                f"it covers {first} to {last}, not {wanted}",
                f"只涵盖 {first} 至 {last}，不含 {wanted}",
                (first, last),
            )

    def _spell(self, table: Table, rows: list[Row]) -> None:
        """Give arguments the spelling of the data; refuse where none of them is known there."""
        expect = table.expect
        wanted = self.arguments.get(expect.arg) if expect else None
        if expect is None or wanted is None or wanted == []:
            return
        spellings = {fold_text(str(row[expect.column])): row[expect.column] for row in rows}
        values = wanted if isinstance(wanted, list) else [wanted]
        found = {value: spellings.get(fold_text(str(value))) for value in values}
        self.not_found += [value for value, spelling in found.items() if spelling is None]
        known = [spelling for spelling in found.values() if spelling is not None]
        if not known:
            near = find_near(str(values[0]), map(str, spellings.values()), 10, 0)
            text = ", ".join(map(str, values))
            raise refuse_gap(self.source.name, f"nothing is called {text}", f"没有 {text}", near)
        self.arguments[expect.arg] = known if isinstance(wanted, list) else known[0]


def _list_ordered(query: Query) -> Iterator[str]:
    """Columns that a query puts in order or compares by size."""
    groups = {field.text for field in query.group_by}
    orders = [order.field for order in query.order_by]
    steps: list[tuple[FieldStep, ...]] = [
        field.steps for field in orders if not query.is_grouped or field.text in groups
    ]
    steps += [a.field.steps for a in query.aggregate if a.field and a.op in {"min", "max"}]
    steps += [c.field for c in query.where if isinstance(c, Comparison) and c.op in _ORDERED]
    for first, *_ in steps:
        if isinstance(first, Key):
            yield first.name
