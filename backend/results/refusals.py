"""The errors of questions about a result, in both languages; the caller picks the language."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from backend.errors import ToolError
from backend.text import Locale, find_near

MAX_NAMES = 10
_LONGEST_NAME = 60
_MOST_NAMES = 20_000


@dataclass
class ResultError(ToolError):
    """An error that the model can correct; `position` is where in the path it is, counted from 0."""

    translated: str = ""
    position: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def say(self, locale: Locale) -> "ResultError":
        """The same refusal in the reader's language."""
        if locale == "zh-CN" and self.translated:
            self.message = self.translated
        return self

    def as_json(self) -> dict[str, Any]:
        """The error, with the position as a number of its own where there is one."""
        document = super().as_json()
        if self.position is not None:
            document["error"]["position"] = self.position
        return document


def refuse_path(position: int, wanted: str, translated: str) -> ResultError:
    """The error for a path that cannot be read at `position`."""
    return ResultError(
        "BAD_PATH",
        f"at position {position}: {wanted}",
        translated=f"位置 {position}：{translated}",
        position=position,
    )


def refuse_field(name: str, known: Iterable[str], what: str = "") -> ResultError:
    """The error for a field that no row has, with the nearest names that exist."""
    shown = shorten(name)
    near = rank_names(name, known)
    return ResultError(
        "NO_SUCH_FIELD",
        f"there is no field {shown!r}{what and f': {what}'}",
        near,
        translated=f"没有名为 {shown!r} 的字段",
    )


def refuse_index(index: int, size: int) -> ResultError:
    """The error for an index beyond the end of a list."""
    bounds = f"-{size} … {size - 1}" if size else ""
    return ResultError(
        "INDEX_OUT_OF_RANGE",
        f"there is no element {index}: "
        + (f"the list has {size}, so {bounds} would do" if size else "the list is empty"),
        translated=f"没有第 {index} 个元素："
        + (f"列表共 {size} 项，可用 {bounds}" if size else "列表为空"),
    )


def refuse_kind(step: str, kind: str) -> ResultError:
    """The error for a step that needs a list and meets another value."""
    return ResultError(
        "NOT_A_LIST",
        f"{step} needs a list, and before it stands a value of type {kind}",
        translated=f"{step} 只能用于列表，而它前面是 {kind}",
    )


def refuse_number(column: str) -> ResultError:
    """The error for a sum or an average of values that are not numbers."""
    shown = shorten(column)
    return ResultError(
        "NOT_A_NUMBER",
        f"column {shown!r} holds other values than numbers; count, min and max would do",
        translated=f"列 {shown!r} 含有非数字的值；可以用 count、min、max",
    )


def refuse_query(what: str, translated: str) -> ResultError:
    """The error for a malformed structured query."""
    return ResultError("BAD_QUERY", what, translated=translated)


def rank_names(wanted: str, known: Iterable[str]) -> list[str]:
    """At most 10 of the known names, nearest first; long ones are cut."""
    names = []
    for name in known:
        names.append(shorten(name))
        if len(names) == _MOST_NAMES:
            break
    return find_near(shorten(wanted), names, MAX_NAMES, 0)


def shorten(name: str) -> str:
    """A name that is fit to be shown."""
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
