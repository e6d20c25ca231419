"""A handle is the name of a stored result; a model gets it, with a summary, instead of the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from backend.errors import ToolError
from backend.ids import make_id
from backend.results.refusals import ResultError
from backend.text import Locale

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
