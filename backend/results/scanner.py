"""A cursor over the text of a path; every refusal names the position, counted from 0."""

import unicodedata
from typing import Any

from backend.results.refusals import refuse_path
from backend.results.values import DECODER

Wanted = tuple[str, str]
"""What may stand somewhere, in English and in Chinese."""

_NAME: Wanted = (
    'a name was expected; other keys are written ["any key"]',
    '这里应是字段名；其他键写作 ["任意键"]',
)


class Scanner:
    """Reads tokens from left to right; white space between them is skipped."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def skip_space(self) -> int:
        """The position of the next token."""
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1
        return self.position

    def is_at_end(self) -> bool:
        """Whether nothing is left."""
        return self.skip_space() == len(self.text)

    def take(self, token: str) -> bool:
        """Whether the next token is this one, which is then read."""
        if not self.text.startswith(token, self.skip_space()):
            return False
        self.position += len(token)
        return True

    def need(self, token: str, wanted: Wanted) -> None:
        """Read this token, or refuse the path."""
        if not self.take(token):
            raise refuse_path(self.position, *wanted)

    def read_name(self) -> str:
        """Letters of any script with their marks, digits, `_`."""
        start = self.skip_space()
        while self.position < len(self.text) and _is_of_name(self.text[self.position]):
            self.position += 1
        if start == self.position:
            raise refuse_path(start, *_NAME)
        return self.text[start : self.position]

    def read_number(self) -> int | None:
        """A whole number, perhaps negative; None where none stands."""
        start = self.skip_space()
        is_negative = self.take("-")
        first = self.skip_space()
        while self.position < len(self.text) and self.text[self.position] in "0123456789":
            self.position += 1
        if first == self.position:
            self.position = start
            return None
        number = int(self.text[first : self.position])
        return -number if is_negative else number

    def read_json(self, wanted: Wanted) -> Any:
        """A JSON literal."""
        start = self.skip_space()
        try:
            value, self.position = DECODER.raw_decode(self.text, start)
        except (ValueError, RecursionError):
            raise refuse_path(start, *wanted) from None
        return value


def _is_of_name(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"
