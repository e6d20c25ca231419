"""Recorded outcomes, paired with calls by tool and canonical arguments, never by order alone."""

import json
from collections import defaultdict, deque
from collections.abc import Iterable

import rfc8785

from backend.tools.call import ToolCall, ToolOutcome
from backend.tools.registry import find_tool

_OUTSIDE = frozenset({"UNKNOWN_TOOL"})


class Recording:
    """What the calls of a run gave; the same question asked again gets its answers in turn."""

    def __init__(self, pairs: Iterable[tuple[ToolCall, ToolOutcome]]) -> None:
        self._answers: dict[str, deque[ToolOutcome]] = defaultdict(deque)
        for call, outcome in pairs:
            self._answers[make_pair_key(call)].append(outcome)

    def has(self, call: ToolCall) -> bool:
        """Whether this was asked."""
        return make_pair_key(call) in self._answers

    def take(self, call: ToolCall) -> ToolOutcome | None:
        """The next answer to this question, the last one for ever; None where it was never asked."""
        answers = self._answers.get(make_pair_key(call))
        if not answers:
            return None
        return answers.popleft() if len(answers) > 1 else answers[0]


def make_pair_key(call: ToolCall) -> str:
    """Tool and arguments in one spelling, whatever the order of keys and the white space."""
    try:
        arguments = rfc8785.dumps(json.loads(call.arguments or "{}")).decode()
    except (ValueError, RecursionError):  # no JSON, or numbers that canonical JSON has not
        arguments = call.arguments
    return f"{call.name} {arguments}"


def is_computable(call: ToolCall, outcome: ToolOutcome | None = None) -> bool:
    """Whether the snapshot alone decides what a call gives.

    A tool that is none of Waypool's own is a source: what it answers is not in the snapshot. A name
    that a model has made up is no source either, and is refused again.
    """
    if find_tool(call.name) is not None:
        return True
    if outcome is None:
        return False
    code = outcome.content.get("error", {}).get("code") if outcome.is_error else None
    return code in _OUTSIDE
