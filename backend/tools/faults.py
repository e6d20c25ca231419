"""What is said about wrong arguments, in both languages, by pydantic's type of error."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from backend.errors import ToolError
from backend.text import Locale, find_near, shorten

MAX_FAULTS = 10

_MORE: dict[Locale, str] = {"zh-CN": "另有 {n} 处错误", "en": "{n} more faults"}

_TEXTS: dict[str, dict[Locale, str]] = {
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
        if texts := _TEXTS.get(entry["type"]):
            message = texts[locale].format(got=echo(entry["input"]), **entry.get("ctx", {}))
        is_unknown = entry["type"] == "extra_forbidden"
        near = find_near(name, model.model_fields, 10, 0) if is_unknown else ()
        yield ArgumentFault(name, message, tuple(near))


def echo(value: Any) -> str:
    """A short piece of what was sent, as JSON."""
    return shorten(json.dumps(value, ensure_ascii=False))
