"""From a source's response to the facts that the model gets: values in, values out.

The whole response is read, or nothing of it is used. What is kept is told with what it was kept of,
what is left out is named, and the rows as a whole are there to be stored behind a handle.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backend.results.query_shape import parse_query
from backend.results.values import parse_json
from backend.sources.binding import bind_query
from backend.sources.choosing import Chooser, Chosen
from backend.sources.decoding import UnreadableTextError, decode
from backend.sources.formats import BadFormatError, parse
from backend.sources.refusals import refuse_change
from backend.sources.shaping import count_kept, list_shown, shape_rows
from backend.sources.spec import SMALL_BYTES, Part, Source
from backend.sources.tabling import ABSENT, ChangedError, read_root

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
