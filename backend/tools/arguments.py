"""Reads the arguments that a model wrote: raw text in, a closed model out, or every fault named.

The text comes from a machine that is often wrong: cut JSON, no JSON, megabytes, half a character.
"""

import json
from typing import Any

from pydantic import ValidationError

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
