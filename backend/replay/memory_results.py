"""The results behind handles as an export holds them, asked without a database."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backend.agent.replies import dump_json
from backend.errors import ToolError
from backend.results.asking import answer
from backend.results.document import Document
from backend.results.handle import refuse_expired, refuse_handle, refuse_state
from backend.results.refusals import ResultError
from backend.results.run_results import make_plain_json
from backend.results.values import parse_json
from backend.runs.run_log import Step
from backend.text import Locale
from backend.tools.told_sources import NotRecordedError

_HANDLE = re.compile(r"\bres_[0-9a-z]{26}\b")

STATES = {
    "RESULT_EXPIRED": "expired",
    "RESULT_PENDING": "pending",
    "RESULT_FAILED": "failed",
    "NO_SUCH_HANDLE": "unknown",
}


class MemoryResults:
    """Answers questions about recorded results; `met` is the state that the next question meets."""

    def __init__(self, results: Mapping[str, Mapping[str, Any]], locale: Locale) -> None:
        self._results, self._locale = results, locale
        self.met: str | None = None

    def has(self, handle: str) -> bool:
        """Whether the content is at hand."""
        return (self._results.get(handle) or {}).get("content") is not None

    def pick(self, steps: Sequence[Step]) -> dict[str, Any]:
        """What an export of these steps holds of them."""
        return {h: dict(self._results[h]) for h in list_handles(steps) if h in self._results}

    async def put(self, content: Any, tool: str, filters: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing new can be stored in a recording."""
        raise NotRecordedError(f"{tool} gave a large result that was not recorded")

    async def ask(self, handle: str, path: str | None, query: Any) -> dict[str, Any]:
        """The answer as the run's own store gave it."""
        try:
            return self._answer(handle, path, query)
        except ResultError as error:
            raise error.say(self._locale) from None

    def _answer(self, handle: str, path: str | None, query: Any) -> dict[str, Any]:
        entry = self._results.get(handle)
        state = self.met or ("unknown" if entry is None else entry["state"])
        if state != "ready":
            raise _refuse(state)
        content = None if entry is None else entry["content"]
        if content is None:
            raise NotRecordedError(f"the content of {handle} is not in the recording")
        packed, _ = answer(Document.of(parse_json(content)), path, query, self._locale)
        return {key: make_plain_json(value) for key, value in packed.items()}


def list_handles(steps: Sequence[Step]) -> Iterator[str]:
    """The handles that a log speaks of, each once."""
    texts = (dump_json(step.payload) for step in steps if step.kind == "tool_called")
    yield from dict.fromkeys(handle for text in texts for handle in _HANDLE.findall(text))


def _refuse(state: str) -> ToolError:
    if state == "unknown":
        return refuse_handle()
    if state == "expired":
        return refuse_expired()
    return refuse_state("pending" if state == "pending" else "failed")
