"""Reads the arguments that a model wrote: raw text in, a closed model out, or every fault named.

The text is often wrong: cut off, not JSON, megabytes long, or with half a character in it.

Types that arguments share. A blank text or null for an optional argument means: not given.

Models send `""`, `null` or a bare value where a list is asked for; those have one clear meaning.

What is said about wrong arguments, in both languages, by pydantic's type of error.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from backend.clock import parse_minutes
from backend.errors import ToolError
from backend.text import UNSTORABLE, Locale, find_near, shorten
from backend.tools.tool import ArgsT

MAX_FAULTS = 10

_MORE: dict[Locale, str] = {"zh-CN": "另有 {n} 处错误", "en": "{n} more faults"}

_TEXTS_FAULTS: dict[str, dict[Locale, str]] = {
    "missing": {"zh-CN": "缺少这个参数", "en": "is missing"},
    "extra_forbidden": {"zh-CN": "没有这个参数", "en": "is no argument of this tool"},
    "string_type": {"zh-CN": "必须是文本，而不是 {got}", "en": "must be text, not {got}"},
    "int_type": {"zh-CN": "必须是整数，而不是 {got}", "en": "must be a whole number, not {got}"},
    "float_type": {"zh-CN": "必须是数字，而不是 {got}", "en": "must be a number, not {got}"},
    "finite_number": {"zh-CN": "必须是有限的数字", "en": "must be a finite number"},
    "bool_type": {
        "zh-CN": "必须是 true 或 false，而不是 {got}",
        "en": "must be true or false, not {got}",
    },
    "tuple_type": {"zh-CN": "必须是列表，而不是 {got}", "en": "must be a list, not {got}"},
    "bad_time": {
        "zh-CN": "必须是 00:00 到 {latest} 的 HH:MM，而不是 {got}",
        "en": "must be HH:MM from 00:00 to {latest}, not {got}",
    },
    "bad_date": {
        "zh-CN": "必须是 YYYY-MM-DD 形式的日期，而不是 {got}",
        "en": "must be a date, YYYY-MM-DD, not {got}",
    },
    "literal_error": {
        "zh-CN": "必须是 {expected} 之一，而不是 {got}",
        "en": "must be {expected}, not {got}",
    },
    "greater_than_equal": {"zh-CN": "不能小于 {ge}", "en": "must be at least {ge}"},
    "less_than_equal": {"zh-CN": "不能大于 {le}", "en": "must be at most {le}"},
    "string_too_short": {"zh-CN": "不能为空", "en": "must not be empty"},
    "string_too_long": {
        "zh-CN": "不能超过 {max_length} 个字符",
        "en": "must not be longer than {max_length} characters",
    },
    "too_short": {
        "zh-CN": "至少要有 {min_length} 项",
        "en": "must have at least {min_length} entries",
    },
    "too_long": {
        "zh-CN": "最多 {max_length} 项",
        "en": "must have at most {max_length} entries",
    },
}


@dataclass(frozen=True)
class ArgumentFault:
    """One thing wrong with an argument, and what would be right, nearest first."""

    argument: str
    message: str
    allowed: tuple[str, ...] = ()


def refuse_arguments(faults: Sequence[ArgumentFault], locale: Locale) -> ToolError:
    """One error that names every fault; `allowed` belongs to the first fault that has any."""
    shown = [f"{fault.argument}: {fault.message}" for fault in faults[:MAX_FAULTS]]
    if len(faults) > MAX_FAULTS:
        shown.append(_MORE[locale].format(n=len(faults) - MAX_FAULTS))
    allowed = next((fault.allowed for fault in faults if fault.allowed), ())
    return ToolError("BAD_ARGUMENTS", "; ".join(shown), allowed)


def list_faults(
    model: type[BaseModel], error: ValidationError, locale: Locale
) -> Iterator[ArgumentFault]:
    """The faults that pydantic found, in the traveller's language."""
    for entry in error.errors(include_url=False):
        name = shorten(".".join(str(step) for step in entry["loc"]))
        message = entry["msg"]
        if texts := _TEXTS_FAULTS.get(entry["type"]):
            message = texts[locale].format(got=echo(entry["input"]), **entry.get("ctx", {}))
        is_unknown = entry["type"] == "extra_forbidden"
        near = find_near(name, model.model_fields, 10, 0) if is_unknown else ()
        yield ArgumentFault(name, message, tuple(near))


def echo(value: Any) -> str:
    """A short piece of what was sent, as JSON."""
    return shorten(json.dumps(value, ensure_ascii=False))


MAX_BYTES = 64 * 1024

_TEXTS_ARGUMENTS: dict[str, dict[Locale, str]] = {
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
    return ToolError("BAD_ARGUMENTS", _TEXTS_ARGUMENTS[what][locale].format(**values))


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
