"""From a source's response to the facts that the model gets: values in, values out.

Either the whole response can be read, or nothing of it is used. The facts say how many rows they
were made of and what was left out; all rows can be stored behind a handle.

The form of a part, and what an answer says about itself.

Bytes to text: byte-order mark, then what was configured or declared, then UTF-8, then a guess.

Chinese sources come in GBK and Big5, declared, undeclared, or declared as something else. The guess
counts characters that every Chinese text is full of; what fits no encoding is refused.

The arguments of a call as the projection and the address want them.
"""

import codecs
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from backend.results.path_grammar import Key
from backend.results.query_shape import Query, parse_query
from backend.results.values import parse_json
from backend.sources.binding import bind_query, fold_topic
from backend.sources.choosing import Chooser, Chosen, refuse_change
from backend.sources.formats import BadFormatError, parse
from backend.sources.spec import HOLE, SMALL_BYTES, Argument, Part, Source
from backend.sources.tabling import ABSENT, ChangedError, Row, read_root


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


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]{0,80}encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")

# What is declared by the name of a smaller set often holds characters of the larger one.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "iso8859-1": "cp1252",
    "ascii": "utf-8",
}
_GUESSES = ("gb18030", "big5hkscs", "cp1252")
_FREQUENT = frozenset(
    "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着"
    "著下自之年过過发發后後作里裡用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还"
    "還进進好小部其些主样樣理心她本前开開但因只从從想实實日月公司市区區站点點车車香港北京深圳天气氣星期新"
)
_SAMPLE = 64 * 1024


class UnreadableTextError(ValueError):
    """The bytes are text in no encoding that is known here."""


def decode(raw: bytes, configured: str | None = None, content_type: str | None = None) -> str:
    """The text; a byte-order mark is taken off."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            text = _try(raw[len(mark) :], encoding)
            if text is not None:
                return text
    for name in (configured, _read_charset(content_type), _read_xml_encoding(raw), "utf-8"):
        text = _try(raw, name)
        if text is not None:
            return text
    return _guess(raw)


def _read_charset(content_type: str | None) -> str | None:
    found = _CHARSET.search(content_type or "")
    return found[1] if found else None


def _read_xml_encoding(raw: bytes) -> str | None:
    found = _XML_ENCODING.match(raw.lstrip()[:200])
    return found[1].decode("ascii") if found else None


def _try(raw: bytes, name: str | None) -> str | None:
    try:
        known = codecs.lookup(name or "").name
    except LookupError:
        return None
    try:
        # A response of plain UTF-8 is often declared as Latin-1, which fits any bytes.
        if _SUPERSETS.get(known) == "cp1252":
            return None if _is_utf8(raw) else raw.decode("cp1252")
        return raw.decode(_SUPERSETS.get(known, known))
    except (UnicodeDecodeError, LookupError):
        return None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(raw: bytes) -> str:
    texts = [text for text in (_try(raw, name) for name in _GUESSES) if text is not None]
    if not texts:
        raise UnreadableTextError("its bytes are text in no known encoding")
    return max(texts, key=_rate)


def _rate(text: str) -> float:
    han = _HAN.findall(text[:_SAMPLE])
    return sum(character in _FREQUENT for character in han) / len(han) if han else 0.0


MAX_LEFT_OUT = 20
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Projection:
    """What a response says to the question.

    `kept` is `{"from", "to", "rows", "of"}`, None where a small response comes as it came;
    `shown` tells of parts that their limit cut; `stored` are the rows for the handle.
    """

    answer: dict[str, Any]
    kept: dict[str, Any] | None
    shown: dict[str, dict[str, int]]
    left_out: tuple[str, ...]
    stored: Any

    def as_sent(self, handle: str | None = None) -> dict[str, Any]:
        """The answer as the model reads it, with the handle of the rows where they are stored."""
        if self.kept is None:
            return self.answer
        sent = {**self.answer, "kept": self.kept}
        if self.shown:
            sent["shown"] = self.shown
        if self.left_out:
            sent["left_out"] = list(self.left_out)
        return sent if handle is None else sent | {"handle": handle}


def project(
    source: Source,
    raw: bytes,
    arguments: Mapping[str, Any],
    content_type: str | None = None,
) -> Projection:
    """The facts of a response; a `SourceError` where it is not as the projection expects it.

    `arguments` are checked ones, see `arguments.read`.
    """
    try:
        text = decode(raw, source.encoding, content_type)
        root = _clean(parse(text, source.format, source.delimiter), text)
        projection = _Reader(source, root, arguments).read()
    except (ChangedError, BadFormatError, UnreadableTextError) as error:
        raise refuse_change(source.name, str(error)) from None
    if len(raw) > SMALL_BYTES:
        return projection
    return Projection(_give_as_it_came(source, text), None, {}, (), projection.stored)


def _give_as_it_came(source: Source, text: str) -> dict[str, Any]:
    value = parse_json(text) if source.format == "json" else text.replace("\x00", "\ufffd")
    return _clean(value, text) if isinstance(value, dict) else {"response": value}


def _clean(value: Any, text: str) -> Any:
    r"""Without NUL and halves of surrogate pairs, which JSON can spell: `\u0000`, `\ud800`."""
    return _replace(value) if "\x00" in text or "\\u" in text else value


def _replace(value: Any) -> Any:
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_replace(key): _replace(entry) for key, entry in value.items()}
    return [_replace(entry) for entry in value] if isinstance(value, list) else value


class _Reader:
    """One response and the call's arguments."""

    def __init__(self, source: Source, root: dict[str, Any], arguments: Mapping[str, Any]) -> None:
        self._source, self._root = source, root
        self._chooser = Chooser(source, root, dict(arguments))
        self._shown: dict[str, dict[str, int]] = {}
        self._seen: defaultdict[str, set[str]] = defaultdict(set)

    def read(self) -> Projection:
        spec = self._source.projection
        chosen = {name: self._chooser.choose(table) for name, table in spec.tables.items()}
        answer = {name: self._answer(name, part, chosen) for name, part in spec.parts.items()}
        if self._chooser.not_found:
            answer["not_found"] = self._chooser.not_found
        return Projection(
            answer,
            count_kept(list(chosen.values())),
            self._shown,
            tuple(self._list_left_out(chosen))[:MAX_LEFT_OUT],
            self._make_stored(list(chosen.values())),
        )

    def _answer(self, name: str, part: Part, chosen: Mapping[str, Chosen]) -> Any:
        if part.path is not None:
            value = read_root(self._root, part.path, part.absent)
            return part.absent_as if value is ABSENT else value
        assert part.table is not None
        choice = chosen[part.table]
        query = bind_query(part.query, self._chooser.arguments)
        if not any(query.get(key) for key in ("select", "group_by", "aggregate")):
            query["select"] = [n for n, c in choice.table.columns.items() if not c.folds]
        page = self._chooser.query(choice.rows, choice.table, query)
        rows = list(page["rows"])
        if len(rows) < page["total"]:
            self._shown[name] = {"rows": len(rows), "of": page["total"]}
        self._seen[part.table].update(list_shown(parse_query(query)))
        return shape_rows(rows, part.shape, name)

    def _list_left_out(self, chosen: Mapping[str, Chosen]) -> Iterator[str]:
        names: dict[str, None] = {}
        for name, choice in chosen.items():
            declared = [n for n, c in choice.table.columns.items() if not c.folds]
            names.update(
                dict.fromkeys(n for n in declared if n not in self._seen[name] | choice.pinned)
            )
            names.update(dict.fromkeys(choice.read.list_extra_keys()))
        yield from names
        if self._source.format in {"json", "xml"} and not self._takes_root():
            yield from (key for key in self._root if key not in self._list_entered())

    def _takes_root(self) -> bool:
        return any(table.from_ is None for table in self._source.projection.tables.values())

    def _list_entered(self) -> set[str]:
        spec = self._source.projection
        paths = [table.from_ for table in spec.tables.values()]
        paths += [part.path for part in spec.parts.values()]
        return {re.split(r"[.\[]", path, maxsplit=1)[0] for path in paths if path}

    def _make_stored(self, chosen: list[Chosen]) -> Any:
        """The rows with their types where there is one table, else the response."""
        if len(chosen) != 1:
            return self._root
        table, read = chosen[0].table, chosen[0].read
        folded = {name for name, column in table.columns.items() if column.folds}
        return [
            {key: value for key, value in row.items() if key not in folded} | extra
            for row, extra in zip(read.rows, read.extras, strict=True)
        ]


def fill_arguments(source: Source, given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked arguments with defaults in place of what was not given, texts folded where wanted."""
    return {
        argument.name: _fill(argument, given.get(argument.name)) for argument in source.arguments
    }


def _fill(argument: Argument, value: Any) -> Any:
    if value is None or value in ([], ()):
        value = argument.default
    if argument.many and value is not None:
        values = list(value) if isinstance(value, list | tuple) else [value]
        return [_fold(argument, entry) for entry in values]
    return _fold(argument, value)


def _fold(argument: Argument, value: Any) -> Any:
    return fold_topic(value) if argument.fold and isinstance(value, str) else value


def build_address(source: Source, arguments: Mapping[str, Any]) -> str:
    """The address with the arguments percent-encoded: none can reach another host or path."""

    def write(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, list):
            return ",".join(map(write, value))
        return "" if value is None else str(value)

    return HOLE.sub(
        lambda hole: quote(write(arguments.get(hole[1])).strip(), safe=""), source.address
    )
