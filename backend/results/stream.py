"""Reads JSON as it comes, value by value, so that a large list never stands in memory whole."""

import codecs
from collections.abc import Iterable
from typing import Any

from backend.errors import WaypoolError
from backend.results.values import MAX_DEPTH, SCAN, measure_depth

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
