"""Tells a conversation that gets somewhere from one that turns in circles.

A turn is useful if it led to a draft that was not there before, or to an answer that was not
given before. Repeats, cycles of writes, and calls that always fail are all the same thing here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from backend.agent.replies import dump_json
from backend.planner.draft import Draft
from backend.tools.call import ToolOutcome

MAX_USELESS_TURNS = 5
"""A model gets this many turns in a row to find out of errors and repeats."""

MAX_CUT_TURNS = 3
"""An answer that ended at the token limit is asked for again, shorter, as often but once."""


@dataclass(frozen=True)
class Progress:
    """What was seen so far; `useless` counts turns in a row, `is_nudged` since the last useful.

    `cuts` counts answers in a row that ended at the token limit.
    """

    seen: frozenset[str]
    useless: int = 0
    cuts: int = 0
    is_nudged: bool = False

    @property
    def is_stuck(self) -> bool:
        """Whether the conversation has had its chances."""
        return self.useless >= MAX_USELESS_TURNS

    @property
    def is_cut_off(self) -> bool:
        """Whether no answer will ever be short enough."""
        return self.cuts >= MAX_CUT_TURNS

    def after_calls(self, outcomes: Sequence[ToolOutcome]) -> "Progress":
        """After a turn with these outcomes."""
        new = frozenset(map(_describe, filter(_may_help, outcomes))) - self.seen
        if new:
            return Progress(self.seen | new)
        return replace(self, useless=self.useless + 1, cuts=0)

    def after_talk(self) -> "Progress":
        """After a turn without a call: the first is answered with a nudge, the second is the end."""
        if self.is_nudged:
            return replace(self, useless=MAX_USELESS_TURNS)
        return replace(self, useless=self.useless + 1, cuts=0, is_nudged=True)

    def after_cut(self) -> "Progress":
        """After an answer that the token limit cut off: nobody was talking, nothing was called."""
        return replace(self, cuts=self.cuts + 1)


def start_progress(draft: Draft) -> Progress:
    """Nothing seen but the draft that a run starts from."""
    return Progress(frozenset([_describe_draft(draft)]))


def _may_help(outcome: ToolOutcome) -> bool:
    return not outcome.is_error and "repeat_of" not in outcome.content


def _describe(outcome: ToolOutcome) -> str:
    if outcome.draft is not None:
        return _describe_draft(outcome.draft)
    return f"{outcome.tool} {dump_json(outcome.content)}"


def _describe_draft(draft: Draft) -> str:
    return "draft " + json.dumps(draft.model_dump(mode="json"), sort_keys=True)
