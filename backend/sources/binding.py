"""Puts the arguments of a call into the queries of a projection, as values and never as query text.

Fields out of a text by a pattern like `{station} - {kind}: {value} {risk} - {at}`.

No regular expressions: literal pieces are looked for from left to right, each at its first place
after the one before, so the time is linear in the text whatever the pattern.

Texts made comparable for a topic: case, width and punctuation go, words keep their beginnings.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from backend.errors import ToolError
from backend.results.path_grammar import Key
from backend.results.query_shape import parse_query
from backend.results.values import parse_json, write_json

ARGUMENT = "arg"


def list_arguments(value: Any) -> list[str]:
    """Names of the arguments that a query speaks of, as `{"arg": name}`."""
    if isinstance(value, dict):
        if set(value) == {ARGUMENT}:
            return [str(value[ARGUMENT])]
        return [name for entry in value.values() for name in list_arguments(entry)]
    if isinstance(value, list):
        return [name for entry in value for name in list_arguments(entry)]
    return []


def bind_query(query: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The query with the arguments' values; conditions and limits on what was not given go."""
    bound = {key: value for key, value in query.items() if key != "where"}
    if list_arguments(bound.get("limit")):
        bound["limit"] = arguments.get(list_arguments(bound["limit"])[0])
    clauses = [_bind_clause(clause, arguments) for clause in query.get("where", ())]
    bound["where"] = [clause for clause in clauses if clause is not None]
    made = parse_json(write_json(bound))  # numbers as the engine reads them
    assert isinstance(made, dict)
    return made


def _bind_clause(clause: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
    names = list_arguments(clause.get("value"))
    if not names:
        return clause
    value = arguments.get(names[0])
    return None if value is None or value == [] else {**clause, "value": value}


def check_query(query: Mapping[str, Any], columns: Iterable[str]) -> None:
    """Refuse a query that could never be run, with stand-ins for the arguments."""
    stand_ins = _StandIns(query)
    try:
        shape = parse_query(bind_query(query, stand_ins))
    except ToolError as error:
        raise ValueError(error.message) from None
    for field in shape.list_fields():
        first = field.steps[0]
        if not isinstance(first, Key) or first.name not in columns:
            raise ValueError(f"the query names {field.text!r}, which is no column of the table")


class _StandIns(dict[str, Any]):
    """A value for each argument, only for a check: a list behind `in`, else a number."""

    def __init__(self, query: Mapping[str, Any]) -> None:
        super().__init__()
        for clause in query.get("where", ()):
            is_list = isinstance(clause, dict) and clause.get("op") == "in"
            for name in list_arguments(clause.get("value") if isinstance(clause, dict) else None):
                self[name] = [1] if is_list else 1
        for name in list_arguments(query.get("limit")):
            self[name] = 1


MAX_PATTERN = 400
MAX_FIELDS = 20
_FIELD = re.compile(r"\{([a-z][a-z0-9_]{0,47})\}")


@dataclass(frozen=True)
class Pattern:
    """Literals around fields: one more literal than fields, the first and last may be empty."""

    literals: tuple[str, ...]
    fields: tuple[str, ...]

    def read(self, text: str) -> dict[str, str] | None:
        """The fields of a text, without white space around; None where it does not fit."""
        head, *inner, tail = self.literals
        if not text.startswith(head) or not text.endswith(tail):
            return None
        at, end = len(head), len(text) - len(tail)
        found: dict[str, str] = {}
        for name, literal in zip(self.fields, inner, strict=False):
            stop = text.find(literal, at, end)
            if stop < 0:
                return None
            found[name] = text[at:stop].strip()
            at = stop + len(literal)
        found[self.fields[-1]] = text[at:end].strip()
        return found if at <= end else None


@cache
def compile_pattern(text: str) -> Pattern:
    """The pattern that a text says; `ValueError` where it is ambiguous or too long."""
    pieces = _FIELD.split(text)
    literals, fields = tuple(pieces[::2]), tuple(pieces[1::2])
    if len(text) > MAX_PATTERN or len(fields) > MAX_FIELDS:
        raise ValueError(f"a pattern has at most {MAX_PATTERN} characters and {MAX_FIELDS} fields")
    if not fields:
        raise ValueError(f"the pattern {text!r} has no {{field}}")
    if len(set(fields)) < len(fields):
        raise ValueError(f"the pattern {text!r} names a field twice")
    if "" in literals[1:-1]:
        raise ValueError(f"in the pattern {text!r} two fields stand side by side")
    return Pattern(literals, fields)


_NO_WORD = re.compile(r"[^\w]+")


def fold_text(text: str) -> str:
    """The words of a text between single spaces, with one at both ends."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return f" {_NO_WORD.sub(' ', folded).strip()} "


def fold_topic(text: str) -> str:
    """What is looked for in a folded text: Latin words from their beginning, Chinese anywhere."""
    words = fold_text(text).strip()
    return f" {words}" if words[:1].isascii() else words
