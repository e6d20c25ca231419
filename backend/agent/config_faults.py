"""Faults of a document that somebody has written by hand, in words for that person: no library's types."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from backend.text import UNSTORABLE, cut, find_near, quote

_LONGEST_STEP = 200

_WORDS: Mapping[str, str] = {
    "missing": "is required",
    "too_short": "needs at least {min_length}",
    "too_long": "takes at most {max_length}",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "tuple_type": "must be a list",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_too_long": "takes at most {max_length} characters",
    "decimal_parsing": "must be a number",
    "decimal_type": "must be a number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "literal_error": "must be {expected}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "union_tag_invalid": "{discriminator} must be {expected_tags}",
    "union_tag_not_found": "needs the field {discriminator}",
}


def list_faults(error: ValidationError, known: Iterable[str]) -> Iterator[tuple[Any, str]]:
    """Each fault: pydantic's entry, and what to say of it; `known` are the fields that there are.

    A list of which an entry is wrong is not called too short as well.
    """
    names = list(known)
    entries = error.errors(include_url=False)
    places = [tuple(entry["loc"]) for entry in entries]
    for entry in entries:
        place = tuple(entry["loc"])
        is_echo = any(len(p) > len(place) and p[: len(place)] == place for p in places)
        if entry["type"] != "too_short" or not is_echo:
            yield entry, _describe(entry, names)


def point_at(steps: Sequence[Any]) -> str:
    """Where it is, as a JSON pointer."""
    texts = (cut(UNSTORABLE.sub("?", str(step)), _LONGEST_STEP) for step in steps)
    return "".join(f"/{text.replace('~', '~0').replace('/', '~1')}" for text in texts)


def _describe(entry: Any, names: Sequence[str]) -> str:
    if entry["type"] == "extra_forbidden":
        near = find_near(str(entry["loc"][-1]), names)
        return "is no field of it" + (f"; near: {', '.join(near)}" if near else "")
    words = _WORDS.get(entry["type"])
    if words is None:
        return str(entry["msg"]).removeprefix("Value error, ")
    said = words.format(**entry.get("ctx", {}))
    is_value = isinstance(entry.get("input"), str | int | float | None)
    return f"{said}, not {quote(entry['input'])}" if is_value and "must be" in said else said
