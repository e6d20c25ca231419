"""A handle is the name of a stored result; a model gets it, with a summary, instead of the result.

The errors of questions about a result, in both languages; the caller picks the language.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from backend.errors import ToolError
from backend.ids import make_id
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


HandleState = Literal["pending", "ready", "failed"]

OPERATOR = "(operator)"
"""The tenant of what the command line stores without a run; no key has it."""

_HINTS: dict[Locale, str] = {
    "zh-CN": "完整结果已保存。用 result_query 提问：path 如 {path}[0:5]、{path}[?字段>=100].字段、"
    "{path}.length；统计用 query，如 group_by 与 aggregate",
    "en": "The whole result is stored. Ask result_query: a path like {path}[0:5],"
    " {path}[?field>=100].field or {path}.length; a query with group_by and aggregate for figures",
}


@dataclass(frozen=True)
class Owner:
    """To whom a result belongs; `run_id` None is the operator's own."""

    tenant: str
    run_id: str | None = None


@dataclass(frozen=True)
class Reader:
    """Who reads: `tenant` None is the operator, `runs` None is every run of the tenant.

    A run passes its own id and those of the runs it descends from. `who` is for the audit.
    """

    who: str
    tenant: str | None
    runs: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Stored:
    """A result that is stored completely; its handle is not given out before."""

    handle: str
    state: HandleState
    summary: dict[str, Any]
    hint: str

    def as_json(self) -> dict[str, Any]:
        """What a model gets instead of the result."""
        return {
            "handle": self.handle,
            "state": self.state,
            "summary": self.summary,
            "hint": self.hint,
        }


def make_handle() -> str:
    """A new handle."""
    return make_id("res")


def make_hint(place: Sequence[str], locale: Locale) -> str:
    """How to go on; `place` is the way to the table."""
    path = ".".join(key for key in place if len(key) < 60) or "key"
    return _HINTS[locale].format(path=path)


def refuse_handle() -> ResultError:
    """The error for an unknown handle; the same for another tenant's, so that nobody learns that it exists."""
    return ResultError(
        "NO_SUCH_HANDLE", "there is no result with this handle", translated="没有这个句柄对应的结果"
    )


def refuse_state(state: HandleState) -> ToolError:
    """The error for a result that is still being stored, or could not be stored."""
    if state == "pending":
        return ResultError(
            "RESULT_PENDING",
            "the result is still being stored; ask again later",
            translated="结果仍在保存，请稍后再问",
        )
    return ResultError(
        "RESULT_FAILED",
        "the result could not be stored; call the tool again",
        translated="结果保存失败，请重新调用该工具",
    )


def refuse_expired() -> ToolError:
    """The error for a result that has expired."""
    return ResultError(
        "RESULT_EXPIRED",
        "the result is no longer kept; call the tool again",
        translated="结果已过期，请重新调用该工具",
    )


def refuse_quota(scope: str, limit: int) -> ToolError:
    """The error where a quota is full and nothing can be dropped."""
    return ResultError(
        "RESULT_QUOTA",
        f"the results of this {scope} may take {limit} bytes; ask for less, or unpin some",
        translated=f"结果存储空间已满（上限 {limit} 字节），请缩小查询范围",
    )
