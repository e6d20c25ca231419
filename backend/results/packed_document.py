"""A document in parts: its root, and long lists in blocks; written as it streams in, read lazily.

Reads JSON as it comes, value by value, so that a large list never stands in memory whole.
"""

import codecs
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from backend.errors import WaypoolError
from backend.results.blocks import LoadPart, StoredBlock, StoredList, name_block
from backend.results.document import Document, find_table, make_document, make_root, thaw
from backend.results.rows import Rows
from backend.results.summary import Findings, build_summary, summarize
from backend.results.values import MAX_DEPTH, SCAN, measure_depth, parse_json, write_json

_SPACE = " \t\n\r"
_DEEP_BYTES = 2 * MAX_DEPTH  # a text nested so deep has more: each level opens and closes
_LONGEST_TAIL = 4  # of `1e+5` the scanner takes `1` as long as the 5 is not there


class BadContentError(WaypoolError):
    """What should be stored is no JSON that can be."""

    code = "BAD_JSON"


class JsonStream:
    """A cursor over JSON text that is read on when it is needed."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self.size = 0
        self._chunks = iter(chunks)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        self._text = ""
        self._at = 0
        self._passed = 0
        self._is_complete = False

    def _read_on(self) -> bool:
        """More text, at least as much again as is unread; False at the end."""
        wanted = max(len(self._text) - self._at, 1)
        parts = []
        while wanted > 0 and not self._is_complete:
            chunk = next(self._chunks, None)
            self._is_complete = chunk is None
            self.size += len(chunk or b"")
            try:
                part = self._decoder.decode(chunk or b"", final=self._is_complete)
            except UnicodeDecodeError:
                raise BadContentError("the content is not UTF-8") from None
            parts.append(part)
            wanted -= len(part)
        if any(parts):
            self._passed += self._at
            self._text, self._at = self._text[self._at :] + "".join(parts), 0
            return True
        return False

    def peek(self) -> str:
        """The next character that is no white space; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._read_on():
                return ""

    def take(self, character: str) -> bool:
        """Whether the next character is this one, which is then read."""
        if self.peek() != character:
            return False
        self._at += 1
        return True

    def need(self, character: str) -> None:
        """Read this character, or refuse the content."""
        if not self.take(character):
            raise self.refuse(f"{character!r} was expected")

    def refuse(self, what: str, at: int | None = None) -> BadContentError:
        """The content is wrong at the cursor, or at a place of the text at hand."""
        position = self._passed + (self._at if at is None else at)
        return BadContentError(f"at character {position}: {what}")

    def read(self) -> tuple[Any, str]:
        """The next value and its text."""
        self.peek()
        while True:
            try:
                value, end = SCAN(self._text, self._at)
            except StopIteration as stop:
                self._read_on_or_refuse("a value was expected", stop.value)
            except RecursionError:
                raise self._refuse_depth() from None
            except ValueError as error:
                what, position = getattr(error, "msg", str(error)), getattr(error, "pos", None)
                self._read_on_or_refuse(what, position)
            else:
                if self._is_whole(value, end) or not self._read_on():
                    return value, self._pass_over(value, end)

    def read_run(self, most: int) -> tuple[list[Any], list[str]]:
        """Elements of a list that are at hand with the comma behind them, and their texts.

        The tight loop for the many rows of a long list; what it stops at, `read` deals with.
        """
        values: list[Any] = []
        texts: list[str] = []
        self.peek()
        text, at, end = self._text, self._at, len(self._text)
        try:
            while len(values) < most:
                value, stop = SCAN(text, at)
                if stop + 2 > end or text[stop] != ",":
                    break
                found = text[at:stop]
                if stop - at > _DEEP_BYTES and found.count("[") + found.count("{") > MAX_DEPTH:
                    break
                values.append(value)
                texts.append(found)
                at = stop + 2 if text[stop + 1] == " " else stop + 1
        except (StopIteration, RecursionError, ValueError):
            pass  # cut off, or faulty, or after more white space
        self._at = at
        return values, texts

    def _is_whole(self, value: Any, end: int) -> bool:
        """Whether no more text could make it another value: a number might go on, as `1e` does."""
        if isinstance(value, str | list | dict):
            return True
        rest = self._text[end : end + _LONGEST_TAIL]
        return bool(rest) and (rest[0] not in ".eE" or len(rest) == _LONGEST_TAIL)

    def _read_on_or_refuse(self, what: str, position: int | None) -> None:
        error = self.refuse(what, position)
        if not self._read_on():
            raise error

    def _pass_over(self, value: Any, end: int) -> str:
        text = self._text[self._at : end]
        self._at = end
        if text.count("[") + text.count("{") > MAX_DEPTH and measure_depth(value) > MAX_DEPTH:
            raise self._refuse_depth()
        return text

    def _refuse_depth(self) -> BadContentError:
        return self.refuse(f"nested deeper than {MAX_DEPTH}")


HEAD = "head"
BLOCK_ROWS = 32_768
BLOCK_BYTES = 4 * 1024 * 1024

INLINE_BYTES = 64 * 1024
_DEEPEST = 8

Parts = Generator[tuple[str, bytes], None, Any]


class DocumentWriter:
    """Cuts a stream into parts to store; the summary is known when all parts are written."""

    def __init__(
        self,
        chunks: Iterable[bytes],
        *,
        block_rows: int = BLOCK_ROWS,
        inline_bytes: int = INLINE_BYTES,
    ) -> None:
        self._block_rows, self._inline_bytes = block_rows, inline_bytes
        self._stream = JsonStream(chunks)
        self._lists: list[StoredList] = []
        self._root: dict[str, Any] = {}

    @property
    def size(self) -> int:
        """Bytes read so far."""
        return self._stream.size

    def write(self) -> Generator[tuple[str, bytes], None, None]:
        """Name and content of each part; the head comes last."""
        is_list = self._stream.peek() == "["
        value = yield from self._write_value(("rows",) if is_list else ())
        if self._stream.peek():
            raise self._stream.refuse("there is more after the value")
        self._root = {"rows": value} if is_list else make_root(value)
        lists = [stored.as_json() for stored in self._lists]
        place = self._place
        table = None if place is None else list(place)
        head = {"root": self._root, "lists": lists, "table": table}
        yield HEAD, write_json(head).encode()

    @property
    def _main(self) -> StoredList | None:
        """The stored list that is the table, where it is a stored one."""
        tables = [s for s in self._lists if s.place == ("rows",) or isinstance(s.sample[0], dict)]
        longest = max(tables, key=lambda stored: stored.size, default=None)
        inline = find_table(self._root)
        is_longest = inline is None or (longest is not None and longest.size > len(inline[1]))
        return longest if is_longest else None

    @property
    def place(self) -> tuple[str, ...]:
        """The way to the table; empty where the root is the only row."""
        return self._place or ()

    @property
    def _place(self) -> tuple[str, ...] | None:
        main, inline = self._main, find_table(self._root)
        if main is not None:
            return main.place
        return inline[0] if inline else None

    def summarize(self, filters: Mapping[str, Any]) -> dict[str, Any]:
        """The summary of what was written."""
        main = self._main
        if main is None:
            root = thaw(self._root)
            for stored in self._lists:
                _put(root, stored.place, stored.sample)
            place = self._place
            return summarize(make_document(root, place), filters)
        return build_summary(
            Findings(main.size, main.profiles, len(main.keys), main.sample), filters
        )

    def _write_value(self, place: tuple[str, ...]) -> Parts:
        first = self._stream.peek()
        if first == "[":
            return (yield from self._write_list(place))
        if first == "{" and len(place) < _DEEPEST:
            return (yield from self._write_object(place))
        return self._stream.read()[0]

    def _write_object(self, place: tuple[str, ...]) -> Parts:
        stream = self._stream
        found: dict[str, Any] = {}
        stream.need("{")
        while not stream.take("}"):
            if found:
                stream.need(",")
            if stream.peek() != '"':
                raise stream.refuse("a key in double quotes was expected")
            key = stream.read()[0]
            stream.need(":")
            found[key] = yield from self._write_value((*place, key))
        return found

    def _write_list(self, place: tuple[str, ...]) -> Parts:
        stream, stored = self._stream, StoredList(len(self._lists), place)
        rows: list[Any] = []
        texts: list[str] = []
        size = 0
        stream.need("[")
        while not stream.take("]"):
            if rows or stored.blocks:
                stream.need(",")
            run, found = stream.read_run(self._block_rows - len(rows) - 1)
            row, text = stream.read()
            rows += [*run, row]
            texts += [*found, text]
            size += sum(map(len, found)) + len(text)
            if len(rows) == self._block_rows or size >= BLOCK_BYTES:
                yield from stored.pack_block(rows, texts)
                rows, texts, size = [], [], 0
        if not stored.blocks and size <= self._inline_bytes:
            return rows
        if rows:
            yield from stored.pack_block(rows, texts)
        self._lists.append(stored)
        return None


def open_document(load: LoadPart) -> Document:
    """The document over its parts; `load` gives them by name."""
    head = parse_json(load(HEAD).decode())
    root = head["root"]
    for number, stored in enumerate(head["lists"]):
        _put(root, stored["place"], _open_list(number, stored, load))
    place = None if head["table"] is None else tuple(head["table"])
    keys = next((s["keys"] for s in head["lists"] if tuple(s["place"]) == place), None)
    return make_document(root, place, keys)


def _open_list(number: int, stored: Mapping[str, Any], load: LoadPart) -> Rows:
    keys = {key: n for n, key in enumerate(stored["keys"])}
    return Rows.over(
        [
            StoredBlock(
                name_block(number, n),
                block["rows"],
                frozenset(block["kept"]),
                frozenset(block["text_only"]),
                keys,
                load,
            )
            for n, block in enumerate(stored["blocks"])
        ]
    )


def _put(root: dict[str, Any], place: Sequence[str], rows: Rows | list[Any]) -> None:
    for key in place[:-1]:
        root = root[key]
    root[place[-1]] = rows
