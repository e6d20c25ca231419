"""Runs a model's call of a tool: reads the limits, checks the arguments, calls the handler.

The limits are read from the database at every call, so an admin's change holds from the next call
on. A `ToolError` is something the model can correct, and becomes an outcome; any other error ends
the run. A read call that repeats an earlier one gets a short answer.
"""

import asyncio
import hashlib
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from backend.canonical import dump_canonical
from backend.errors import ToolError
from backend.pool.snapshot import Snapshot
from backend.text import Locale, find_near, shorten
from backend.tools.arguments import echo, read_arguments
from backend.tools.call import SourceUse, ToldSource, ToolCall, ToolOutcome, ToolSchema
from backend.tools.context import Results, RunState, ToolContext, ToolLimit, put_away
from backend.tools.hints import make_repeat_hint
from backend.tools.list_answer import build_repeat_result
from backend.tools.registry import TOOLS, find_tool
from backend.tools.source_tools import Sources, ToldSources, list_source_tools, show_told
from backend.tools.tool import Answer, Tool, describe_tool

ReadLimits = Callable[[], Awaitable[Mapping[str, ToolLimit]]]

_UNKNOWN: dict[Locale, str] = {
    "zh-CN": "没有名为 {name} 的工具",
    "en": "there is no tool {name}",
}
_DISABLED: dict[Locale, str] = {
    "zh-CN": "工具 {name} 已停用，请改用其他工具",
    "en": "the tool {name} is switched off; go on with the others",
}

_LOCKED: dict[Locale, str] = {
    "zh-CN": "旅客要保留 {ids}，必须保持原样；这样改，它就没有位置了",
    "en": "the traveller keeps {ids}: it stays as it is, and this would leave it no room",
}
_TAKEN_OUT: dict[Locale, str] = {
    "zh-CN": "旅客已去掉 {ids}，不能再放回行程",
    "en": "the traveller has taken out {ids}: it may not come back",
}


class ToolRunner:
    """The tools over one snapshot; durability and replay wrap it."""

    def __init__(
        self,
        snapshot: Snapshot,
        read_limits: ReadLimits,
        results: Results | None = None,
        sources: Sources | ToldSources | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._read_limits = read_limits
        self._results = results
        self._sources = sources
        self._told: tuple[ToldSource, ...] = ()
        self._is_news = False

    async def offered(self) -> list[ToolSchema]:
        """The tools that are switched on now, as the model is told of them."""
        limits = await self._read_limits()
        enabled = _list_enabled(limits, await self._list_sources())
        return [describe_tool(t) for t in enabled if self._results or not t.needs_results]

    async def run(self, call: ToolCall, state: RunState) -> ToolOutcome:
        """What the call gives; `state.after(outcome)` is the state for the next one."""
        limits = await self._read_limits()
        is_source = False
        try:
            tool = await self._find(call.name, limits)
            is_source = tool.is_source
            answer = await self._answer(tool, call, state, limits.get(tool.name, ToolLimit()))
        except ToolError as error:
            is_failure = is_source and error.code.startswith("SOURCE_")
            return ToolOutcome(
                call_id=call.id,
                number=state.calls + 1,
                tool=shorten(call.name),
                content=error.as_json(),
                is_error=True,
                source=SourceUse(name=call.name, error=error.code) if is_failure else None,
            )
        return _make_outcome(tool, call, answer, state, self._locale)

    async def _find(self, name: str, limits: Mapping[str, ToolLimit]) -> Tool[Any]:
        """The tool that is called; sources are looked up only for a name that is no other's."""
        is_known = find_tool(name) is not None
        tools = [] if is_known else await self._list_sources()
        return _find_enabled(name, limits, self._locale, tools)

    async def _list_sources(self) -> list[Tool[Any]]:
        if isinstance(self._sources, ToldSources):
            tools = self._sources.list_tools()
        else:
            tools = await list_source_tools(self._sources, self._snapshot)
        told = show_told(tools)
        if told != self._told:
            self._told, self._is_news = told, True
        return tools

    def take_new_sources(self) -> tuple[ToldSource, ...] | None:
        """The sources as they were last looked up, for the run log; None where they are as before.

        A replay has to offer the same ones.
        """
        is_news, self._is_news = self._is_news, False
        return self._told if is_news else None

    @property
    def _locale(self) -> Locale:
        return self._snapshot.request.locale

    async def _answer(
        self, tool: Tool[Any], call: ToolCall, state: RunState, limit: ToolLimit
    ) -> Answer:
        max_rows = limit.max_return_rows or tool.default_rows or 0
        ctx = ToolContext(self._snapshot, state, max_rows, self._results)
        args = read_arguments(tool.args, call.arguments, self._locale)
        run = (
            asyncio.to_thread(tool.handler, args, ctx) if tool.is_slow else tool.handler(args, ctx)
        )
        answer = await run if inspect.isawaitable(run) else run
        assert isinstance(answer, Answer)
        _check_locks(state, answer, self._locale)
        if tool.is_bounded or self._results is None:
            return answer
        asked = args.model_dump(mode="json", exclude_none=True)
        content = await put_away(answer.content, tool.name, asked, limit, self._results)
        return replace(answer, content=content)


def _check_locks(state: RunState, answer: Answer, locale: Locale) -> None:
    """Refuse a write that takes out what the traveller keeps, or brings back what was taken out.

    A lock that was broken before this write is not held against it.
    """
    if answer.draft is None or not state.locks:
        return
    for text, find in ((_LOCKED, state.locks.list_broken), (_TAKEN_OUT, state.locks.list_back)):
        wrong = [row_id for row_id in find(answer.draft) if row_id not in find(state.draft)]
        if wrong:
            raise ToolError("LOCKED", text[locale].format(ids=", ".join(wrong[:10])))


def make_key(tool: str, answer: Answer, edits: int) -> str:
    """What two read calls share if the second is a repeat; empty for a write.

    The number of edits stands in it: after an edit, every read is a new call.
    """
    if answer.asked is None:
        return ""
    told = dump_canonical([tool, edits, dict(answer.asked), list(answer.ids)])
    return hashlib.sha256(told).hexdigest()


def _make_outcome(
    tool: Tool[Any], call: ToolCall, answer: Answer, state: RunState, locale: Locale
) -> ToolOutcome:
    key = make_key(tool.name, answer, state.edits)
    first = state.first_calls.get(key)
    if first is not None:
        answer = Answer(_repeat(tool, answer, first, locale), source=answer.source)
    return ToolOutcome(
        call_id=call.id,
        number=state.calls + 1,
        tool=tool.name,
        content=answer.content,
        key=key,
        kind=answer.kind,
        listed=answer.listed,
        opened=answer.opened,
        draft=answer.draft,
        is_submitted=answer.is_submitted,
        source=answer.source,
    )


def _repeat(tool: Tool[Any], answer: Answer, first: int, locale: Locale) -> dict[str, Any]:
    """The short answer; a detail or a view counts as one row of one, so all repeats look alike."""
    is_page = tool.effect == "list"
    total, limit = (answer.content[key] if is_page else 1 for key in ("total", "limit"))
    hint = make_repeat_hint(first, answer.onward, locale)
    return build_repeat_result(number=first, total=total, limit=limit, hint=hint)


def _list_enabled(limits: Mapping[str, ToolLimit], sources: Sequence[Tool[Any]]) -> list[Tool[Any]]:
    own = [tool for tool in TOOLS if limits.get(tool.name, ToolLimit()).enabled]
    return own + [tool for tool in sources if tool.is_enabled]


def _find_enabled(
    name: str, limits: Mapping[str, ToolLimit], locale: Locale, sources: Sequence[Tool[Any]]
) -> Tool[Any]:
    enabled = {tool.name: tool for tool in _list_enabled(limits, sources)}
    if name in enabled:
        return enabled[name]
    if find_tool(name) is None and all(tool.name != name for tool in sources):
        near = find_near(shorten(name), enabled, 10, 0)
        raise ToolError("UNKNOWN_TOOL", _UNKNOWN[locale].format(name=echo(name)), near)
    raise ToolError("TOOL_DISABLED", _DISABLED[locale].format(name=name))
