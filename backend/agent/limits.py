"""Why a run's agent stops, and the stop limits that its snapshot's parameters set."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from backend.params.registry import ParamValue, default_values


class StopReason(StrEnum):
    """One word for each way in which the turn loop ends."""

    SUBMITTED = "submitted"
    MAX_TURNS = "max_turns"
    MAX_TOKENS = "max_tokens"
    MAX_TOOL_CALLS = "max_tool_calls"
    MAX_SECONDS = "max_seconds"
    CONTEXT_BUDGET = "context_budget"
    NO_PROGRESS = "no_progress"
    ANSWER_CUT = "answer_cut"
    MODEL_FAILED = "model_failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class StopLimits:
    """How much one run may use: model replies, calls, tokens in and out, seconds of wall time.

    `context` bounds the tokens of a single request.
    """

    turns: int
    tool_calls: int
    tokens: int
    seconds: int
    context: int


def read_stop_limits(params: Mapping[str, ParamValue]) -> StopLimits:
    """The stop limits of a snapshot's parameters; one it lacks has its default."""
    values = {**default_values(), **params}

    def read(key: str) -> int:
        value = values[key]
        assert isinstance(value, int)
        return value

    return StopLimits(
        turns=read("AGENT_MAX_TURNS"),
        tool_calls=read("AGENT_MAX_TOOL_CALLS"),
        tokens=read("AGENT_MAX_TOKENS"),
        seconds=read("AGENT_MAX_SECONDS"),
        context=read("CONTEXT_TOKEN_BUDGET"),
    )
