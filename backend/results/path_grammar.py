"""The grammar of paths: `rows[?amount>=100 && city=="北京"].order_id`, read into steps.

Bounded: 4,096 characters, 64 steps, 64 parentheses deep. Only these may stand in a path, so nothing
in it can run for long or reach beyond the document.

A cursor over the text of a path; every refusal names the position, counted from 0.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from backend.results.handle import refuse_path
from backend.results.values import DECODER, Op

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


MAX_CHARACTERS = 4096
MAX_STEPS = 64
MAX_NESTING = 64


_STEPS: Wanted = (f"more than {MAX_STEPS} steps", f"超过 {MAX_STEPS} 步")
_LONG: Wanted = (f"more than {MAX_CHARACTERS} characters", f"超过 {MAX_CHARACTERS} 个字符")
_DEEP: Wanted = (f"nested deeper than {MAX_NESTING}", f"嵌套超过 {MAX_NESTING} 层")
_END: Wanted = ("the field should end here", "字段应在此结束")
_KEY: Wanted = (
    'a key in quotes was expected, like ["any key"]',
    '这里应是带引号的键，如 ["任意键"]',
)
_CLOSED: Wanted = ("']' was expected", "这里应是 ']'")
_STEP: Wanted = ("'.', '[' or the end was expected", "这里应是 '.'、'[' 或结尾")
_INSIDE: Wanted = (
    "a number, '*', '?' or a key in quotes was expected",
    "这里应是数字、'*'、'?' 或带引号的键",
)
_AFTER_NUMBER: Wanted = ("':' or ']' was expected", "这里应是 ':' 或 ']'")
_AFTER_COLON: Wanted = ("a number or ']' was expected", "这里应是数字或 ']'")
_AFTER_PART: Wanted = ("'&&', '||' or ']' was expected", "这里应是 '&&'、'||' 或 ']'")
_PARENTHESIS: Wanted = ("'&&', '||' or ')' was expected", "这里应是 '&&'、'||' 或 ')'")
_OPERATOR: Wanted = ("one of == != < <= > >= was expected", "这里应是 == != < <= > >= 之一")
_LITERAL: Wanted = (
    'a JSON literal was expected, like 12.5, "text", true or null',
    '这里应是 JSON 字面量，如 12.5、"文本"、true 或 null',
)
_FIELD: Wanted = ("a number or a key in quotes was expected", "这里应是数字或带引号的键")

_OPERATORS: tuple[Op, ...] = ("==", "!=", "<=", ">=", "<", ">")  # the longer ones first


@dataclass(frozen=True)
class Key:
    """A field by its name: `.name` or `["any key"]`."""

    name: str


@dataclass(frozen=True)
class Index:
    """One element, from the end where negative: `[i]`."""

    at: int


@dataclass(frozen=True)
class Slice:
    """Elements or characters from `start` to before `end`: `[a:b]`."""

    start: int | None
    end: int | None


@dataclass(frozen=True)
class Every:
    """All elements, over which names then map: `[*]`."""


@dataclass(frozen=True)
class Length:
    """The count of what stands before it: `.length`."""


FieldStep = Key | Index | Length


@dataclass(frozen=True)
class Comparison:
    """A field of the row against a literal."""

    field: tuple[FieldStep, ...]
    op: Op
    operand: Any


@dataclass(frozen=True)
class Not:
    """The contrary."""

    part: "Condition"


@dataclass(frozen=True)
class All:
    """Every part holds."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Either:
    """At least one part holds."""

    parts: tuple["Condition", ...]


Condition = Comparison | Not | All | Either


@dataclass(frozen=True)
class Filter:
    """The elements for which a condition holds: `[?cond]`."""

    condition: Condition


Step = Key | Index | Slice | Every | Filter | Length


@dataclass(frozen=True)
class Path:
    """A key of the document's root, and steps from there."""

    root: str
    steps: tuple[Step, ...]


def parse_path(text: str) -> Path:
    """The path that a text says; a `PathError` names the position where it says none."""
    scanner = _open(text)
    root = _read_first_key(scanner)
    steps: list[Step] = []
    while not scanner.is_at_end():
        if len(steps) == MAX_STEPS:
            raise refuse_path(scanner.position, *_STEPS)
        steps.append(_read_step(scanner))
    return Path(root.name, tuple(_join_filters(steps)))


def _join_filters(steps: Iterable[Step]) -> Iterator[Step]:
    """Filters in a row as one: the rows are looked at once, not once for each."""
    for is_filter, group in groupby(steps, lambda step: isinstance(step, Filter)):
        found = list(group)
        conditions = tuple(step.condition for step in found if isinstance(step, Filter))
        yield from [Filter(All(conditions))] if is_filter and len(found) > 1 else found


def parse_field(text: str) -> tuple[FieldStep, ...]:
    """A path within a row, as conditions and structured queries name fields."""
    scanner = _open(text)
    field = _read_field(scanner)
    if not scanner.is_at_end():
        raise refuse_path(scanner.position, *_END)
    return field


def _open(text: str) -> Scanner:
    if len(text) > MAX_CHARACTERS:
        raise refuse_path(MAX_CHARACTERS, *_LONG)
    return Scanner(text)


def _read_first_key(scanner: Scanner) -> Key:
    return _read_bracketed_key(scanner) if scanner.take("[") else Key(scanner.read_name())


def _read_bracketed_key(scanner: Scanner) -> Key:
    start = scanner.skip_space()
    key = scanner.read_json(_KEY)
    if not isinstance(key, str):
        raise refuse_path(start, *_KEY)
    scanner.need("]", _CLOSED)
    return Key(key)


def _read_step(scanner: Scanner) -> Step:
    if scanner.take("."):
        return _read_dotted(scanner)
    scanner.need("[", _STEP)
    if scanner.take("?"):
        condition = _read_any(scanner, 0)
        scanner.need("]", _AFTER_PART)
        return Filter(condition)
    if scanner.take("*"):
        scanner.need("]", _CLOSED)
        return Every()
    if scanner.text.startswith('"', scanner.skip_space()):
        return _read_bracketed_key(scanner)
    return _read_index_or_slice(scanner)


def _read_dotted(scanner: Scanner) -> Key | Length:
    name = scanner.read_name()
    return Length() if name == "length" else Key(name)


def _read_index_or_slice(scanner: Scanner) -> Index | Slice:
    start = scanner.read_number()
    if scanner.take(":"):
        end = scanner.read_number()
        scanner.need("]", _AFTER_COLON)
        return Slice(start, end)
    if start is None:
        raise refuse_path(scanner.position, *_INSIDE)
    scanner.need("]", _AFTER_NUMBER)
    return Index(start)


def _read_any(scanner: Scanner, depth: int) -> Condition:
    parts = [_read_all(scanner, depth)]
    while scanner.take("||"):
        parts.append(_read_all(scanner, depth))
    return parts[0] if len(parts) == 1 else Either(tuple(parts))


def _read_all(scanner: Scanner, depth: int) -> Condition:
    parts = [_read_one(scanner, depth)]
    while scanner.take("&&"):
        parts.append(_read_one(scanner, depth))
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _read_one(scanner: Scanner, depth: int) -> Condition:
    if depth > MAX_NESTING:
        raise refuse_path(scanner.position, *_DEEP)
    if scanner.take("!"):
        return Not(_read_one(scanner, depth + 1))
    if scanner.take("("):
        condition = _read_any(scanner, depth + 1)
        scanner.need(")", _PARENTHESIS)
        return condition
    return _read_comparison(scanner)


def _read_comparison(scanner: Scanner) -> Comparison:
    field = _read_field(scanner)
    op = next((op for op in _OPERATORS if scanner.take(op)), None)
    if op is None:
        raise refuse_path(scanner.position, *_OPERATOR)
    return Comparison(field, op, scanner.read_json(_LITERAL))


def _read_field(scanner: Scanner) -> tuple[FieldStep, ...]:
    steps: list[FieldStep] = [_read_first_key(scanner)]
    while True:
        if len(steps) > MAX_STEPS:
            raise refuse_path(scanner.position, *_STEPS)
        if scanner.take("."):
            steps.append(_read_dotted(scanner))
        elif scanner.take("["):
            steps.append(_read_field_bracket(scanner))
        else:
            return tuple(steps)


def _read_field_bracket(scanner: Scanner) -> Key | Index:
    if scanner.text.startswith('"', scanner.skip_space()):
        return _read_bracketed_key(scanner)
    at = scanner.read_number()
    if at is None:
        raise refuse_path(scanner.position, *_FIELD)
    scanner.need("]", _CLOSED)
    return Index(at)
