"""Reads the arguments that a model wrote: raw text in, a closed model out, or every fault named.

The text is often wrong: cut off, not JSON, megabytes long, or with half a character in it.

Types that arguments share. A blank text or null for an optional argument means: not given.

Models send `""`, `null` or a bare value where a list is asked for; those have one clear meaning.
"""

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from backend.clock import parse_minutes
from backend.errors import ToolError
from backend.text import UNSTORABLE, Locale, shorten
from backend.tools.faults import list_faults, refuse_arguments
from backend.tools.tool import ArgsT

MAX_BYTES = 64 * 1024

_TEXTS: dict[str, dict[Locale, str]] = {
    "too_large": {
        "zh-CN": "参数超过 64 KB，请缩短",
        "en": "the arguments are larger than 64 KB; shorten them",
    },
    "not_json": {
        "zh-CN": "参数不是合法的 JSON：{reason}",
        "en": "the arguments are not valid JSON: {reason}",
    },
    "too_deep": {
        "zh-CN": "参数嵌套过深",
        "en": "the arguments are nested too deeply",
    },
    "not_object": {
        "zh-CN": '参数必须是一个 JSON 对象，例如 {{"{key}": …}}',
        "en": 'the arguments must be a JSON object like {{"{key}": …}}',
    },
    "unstorable": {
        "zh-CN": "参数含有任何文本都不能有的字符（NUL 或残缺的代理对）",
        "en": "the arguments hold characters that no text may have (NUL, half a surrogate pair)",
    },
}


def read_arguments(model: type[ArgsT], raw: str, locale: Locale) -> ArgsT:
    """The arguments as the tool's model; a `ToolError` BAD_ARGUMENTS names all that is wrong.

    Some models send an empty text for a call without arguments: it counts as `{}`.
    """
    value = _parse(raw, locale) if raw.strip() else {}
    if not isinstance(value, dict):
        key = next(iter(model.model_fields), "…")
        raise _refuse("not_object", locale, key=key)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise refuse_arguments(list(list_faults(model, error, locale)), locale) from None


def _parse(raw: str, locale: Locale) -> Any:
    if len(raw) > MAX_BYTES or len(raw.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _refuse("too_large", locale)
    try:
        value = json.loads(raw, parse_constant=_refuse_constant)
        is_storable = _is_storable(value)
    except RecursionError:
        raise _refuse("too_deep", locale) from None
    except ValueError as error:
        raise _refuse("not_json", locale, reason=shorten(str(error))) from None
    if not is_storable:
        raise _refuse("unstorable", locale)
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return UNSTORABLE.search(value) is None
    if isinstance(value, dict):
        return all(_is_storable(key) and _is_storable(entry) for key, entry in value.items())
    return all(map(_is_storable, value)) if isinstance(value, list) else True


def _refuse(what: str, locale: Locale, **values: str) -> ToolError:
    return ToolError("BAD_ARGUMENTS", _TEXTS[what][locale].format(**values))


MAX_TEXT = 200
LATEST_ARRIVAL = "47:59"
LATEST_VISIT = "26:00"

_SHORT_HOUR = re.compile(r"\d:[0-5]\d")


def drop_blank(value: object) -> object:
    """None for a text of white space."""
    return None if isinstance(value, str) and not value.strip() else value


def _make_tuple(value: object) -> object:
    if isinstance(value, list):
        return tuple(value) or None
    is_single = isinstance(value, str | int) and not isinstance(value, bool)
    return (value,) if is_single else value


def _make_list_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def check_time(text: str, latest: str = LATEST_ARRIVAL) -> str:
    """`HH:MM` up to `latest`; hours past 24 are the next day's, `9:30` is read as `09:30`."""
    padded = f"0{text}" if _SHORT_HOUR.fullmatch(text) else text
    try:
        if parse_minutes(padded) <= parse_minutes(latest):
            return padded
    except ValueError:
        pass
    raise PydanticCustomError("bad_time", "must be HH:MM up to {latest}", {"latest": latest})


def check_visit_time(text: str) -> str:
    """A time at which a visit may begin."""
    return check_time(text, LATEST_VISIT)


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
OptionalText = Annotated[
    Annotated[str, Field(max_length=MAX_TEXT)] | None, BeforeValidator(drop_blank)
]
TextList = Annotated[
    tuple[Text, ...] | None,
    Field(max_length=50),
    BeforeValidator(_make_tuple),
    BeforeValidator(drop_blank),
]
NumberList = Annotated[tuple[int, ...] | None, Field(max_length=50), BeforeValidator(_make_tuple)]
IdList = Annotated[tuple[Text, ...], BeforeValidator(_make_list_tuple)]
Time = Annotated[Annotated[str, AfterValidator(check_time)] | None, BeforeValidator(drop_blank)]
VisitTime = Annotated[
    Annotated[str, AfterValidator(check_visit_time)] | None, BeforeValidator(drop_blank)
]
MaxPrice = Annotated[float, Field(ge=0)] | None
Limit = Annotated[int, Field(ge=1)] | None
Flag = bool | None
