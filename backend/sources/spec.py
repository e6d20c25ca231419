"""The description of a source, as its row holds it: address, typed arguments, and a projection.

The projection reads tables out of the response (columns with types), narrows them by arguments, and
names parts: structured queries over a table, or a path. Everything is checked when it is written.
"""

import codecs
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from backend.errors import ToolError
from backend.results.path_grammar import parse_field, parse_path
from backend.sources.binding import check_query, compile_pattern, list_arguments
from backend.sources.formats import Format

NAME = re.compile("[a-z][a-z0-9_]{2,47}")
HOLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
SMALL_BYTES = 400
"""A response of at most so many bytes comes as it came."""

Query = dict[str, JsonValue]


def _check_field(text: str) -> str:
    return _checked(text, parse_field)


def _check_path(text: str) -> str:
    return _checked(text, parse_path)


def _checked(text: str, parse: Any) -> str:
    try:
        parse(text)
    except ToolError as error:
        raise ValueError(error.message) from None
    return text


def _check_zone(text: str) -> str:
    if text not in available_timezones():
        raise ValueError(f"{text!r} is no time zone, such as Asia/Hong_Kong")
    return text


def _check_encoding(text: str) -> str:
    try:
        return codecs.lookup(text).name
    except LookupError:
        raise ValueError(f"{text!r} is no encoding that is known here") from None


Zone = Annotated[str, AfterValidator(_check_zone)]
Encoding = Annotated[str, AfterValidator(_check_encoding)]
Name = Annotated[str, Field(pattern=NAME.pattern.join("^$"))]
FieldPath = Annotated[str, AfterValidator(_check_field)]
RootPath = Annotated[str, AfterValidator(_check_path)]
ColumnName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,47}$")]


class Document(BaseModel):
    """A frozen piece of a source's row; unknown fields are a fault."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Argument(Document):
    """What the model may fill in; `choices` are checked before anything is fetched.

    `many` takes a list; `fold` prepares a text for a column that is folded too.
    """

    name: ColumnName
    type: Literal["text", "integer", "number", "date", "boolean"] = "text"
    description: str = Field(min_length=1, max_length=400)
    required: bool = True
    default: JsonValue = None
    choices: tuple[str, ...] = Field((), max_length=200)
    minimum: float | None = None
    maximum: float | None = None
    many: bool = False
    fold: bool = False

    @model_validator(mode="after")
    def _check(self) -> "Argument":
        if self.choices and self.type != "text":
            raise ValueError("choices are for arguments of type text")
        if self.required and self.default is not None:
            raise ValueError("an argument with a default is not required")
        return self


class Column(Document):
    """A field of a table's rows, from the response's key or path, with its type.

    `format` reads a date or time (strptime); ISO 8601 needs none, RFC 822 is `rfc822`. `none` are
    texts that mean no value, `allow` texts that stay beside numbers (`10+`), `rename` other
    spellings of one value. `fold` makes words comparable: `folds` are columns put together.
    """

    key: str | None = None
    path: FieldPath | None = None
    type: Literal["as_is", "text", "integer", "number", "date", "time"] = "as_is"
    format: str | None = Field(None, max_length=60)
    none: tuple[JsonValue, ...] = ()
    allow: tuple[str, ...] = ()
    rename: Mapping[str, str] = {}
    folds: tuple[ColumnName, ...] = ()
    optional: bool = False

    @model_validator(mode="after")
    def _check(self) -> "Column":
        if sum((self.key is not None, self.path is not None, bool(self.folds))) > 1:
            raise ValueError("give one of key, path, folds")
        if self.format and self.type not in {"date", "time"}:
            raise ValueError("a format is for columns of type date or time")
        return self


class Covers(Document):
    """What was asked must lie within a column's first and last day, or year: else nobody knows."""

    arg: ColumnName
    column: ColumnName
    unit: Literal["day", "year"] = "day"


class Expect(Document):
    """What is asked for must occur in the column, in whatever case; what does not is named."""

    arg: ColumnName
    column: ColumnName


class Extract(Document):
    """Fields out of a text: the first pattern that fits, like `{station}: {value} - {at}`."""

    key: str
    patterns: tuple[str, ...] = Field(min_length=1, max_length=10)

    @model_validator(mode="after")
    def _check(self) -> "Extract":
        for pattern in self.patterns:
            compile_pattern(pattern)
        return self


class Table(Document):
    """Rows out of the response, narrowed by `where`.

    `from_` leads to a list, or, with `entries`, to an object whose keys go into a field of that
    name. `absent` are values of the list, or of the response's key on the way to it, that mean none.
    """

    from_: RootPath | None = Field(None, alias="from")
    entries: str | None = None
    absent: tuple[JsonValue, ...] = ()
    extract: Extract | None = None
    columns: Mapping[ColumnName, Column] = Field(min_length=1, max_length=100)
    where: tuple[Query, ...] = ()
    range: ColumnName | None = None
    covers: Covers | None = None
    expect: Expect | None = None
    min_rows: int = Field(1, ge=0)
    may_select_none: bool = True

    @model_validator(mode="after")
    def _check(self) -> "Table":
        for place, name in (
            ("range", self.range),
            ("covers", self.covers and self.covers.column),
            ("expect", self.expect and self.expect.column),
            *(("folds", name) for column in self.columns.values() for name in column.folds),
        ):
            if name is not None and name not in self.columns:
                raise ValueError(f"{place} names {name!r}, which is no column of the table")
        if self.covers and self.columns[self.covers.column].type not in {"date", "time"}:
            raise ValueError("covers names a column that is no date or time")
        if self.range and self.columns[self.range].type in {"as_is", "text"}:
            raise ValueError("range names a column without order; give it a type")
        if self.range and self.columns[self.range].allow:
            raise ValueError("range names a column that allows texts beside its type")
        check_query({"where": list(self.where)}, self.columns)
        return self


class Part(Document):
    """A named piece of the answer: a query over a table, or a path into the response.

    `shape`: all rows; a `map` from the first column to the second (or to the others); `one` row
    or, of a single column, its value.
    """

    table: ColumnName | None = None
    query: Query = {}
    shape: Literal["rows", "map", "one"] = "rows"
    path: RootPath | None = None
    absent: tuple[JsonValue, ...] = ()
    absent_as: JsonValue = None

    @model_validator(mode="after")
    def _check(self) -> "Part":
        if (self.table is None) == (self.path is None):
            raise ValueError("a part has either a table or a path")
        return self


class ProjectionSpec(Document):
    """Tables, and the parts that the answer consists of."""

    tables: Mapping[ColumnName, Table] = {}
    parts: Mapping[ColumnName, Part] = Field(min_length=1, max_length=30)

    @model_validator(mode="after")
    def _check(self) -> "ProjectionSpec":
        for name, part in self.parts.items():
            if part.table is None:
                continue
            if part.table not in self.tables:
                raise ValueError(f"part {name} names table {part.table!r}, which there is not")
            check_query(part.query, self.tables[part.table].columns)
        return self


class Source(Document):
    """A source as its row says it; the name is that of the tool that it becomes."""

    name: Name
    description: str = Field(min_length=10, max_length=1000)
    question: str = Field("", max_length=300)
    address: str = Field(max_length=2000)
    arguments: tuple[Argument, ...] = Field((), max_length=20)
    format: Format
    delimiter: str = Field(",", pattern=r'^[^\r\n"\s\w]$|^\t$')
    encoding: Encoding | None = None
    timezone: Zone = "Asia/Hong_Kong"
    cities: tuple[str, ...] = ()
    max_bytes: int = Field(16_000_000, ge=1, le=256_000_000)
    timeout_seconds: float = Field(20, gt=0, le=300)
    retries: int = Field(2, ge=0, le=5)
    cache_seconds: int = Field(0, ge=0, le=86_400)
    handle_mode: Literal["auto", "never", "always"] = "auto"
    handle_threshold_tokens: int = Field(800, ge=1, le=100_000)
    projection: ProjectionSpec

    @model_validator(mode="after")
    def _check(self) -> "Source":
        parts = urlsplit(self.address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("the address must begin with http:// or https:// and name a host")
        if HOLE.search(parts.netloc):
            raise ValueError("the host cannot be an argument")
        if parts.username is not None or parts.password is not None:
            raise ValueError("the address must not hold a user or password")
        return self

    @model_validator(mode="after")
    def _check_arguments(self) -> "Source":
        names = [argument.name for argument in self.arguments]
        if len(set(names)) < len(names):
            raise ValueError("two arguments have one name")
        for name in self._list_used_arguments():
            if name not in names:
                raise ValueError(f"{name!r} is used, and is no argument")
        dates = {argument.name for argument in self.arguments if argument.type == "date"}
        for table in self.projection.tables.values():
            if table.covers and table.covers.arg not in dates:
                raise ValueError("covers names an argument that is no date")
        return self

    def _list_used_arguments(self) -> list[str]:
        used = HOLE.findall(self.address)
        for table in self.projection.tables.values():
            used += list_arguments(list(table.where))
            used += [place.arg for place in (table.covers, table.expect) if place]
        for part in self.projection.parts.values():
            used += list_arguments(part.query)
        return used
