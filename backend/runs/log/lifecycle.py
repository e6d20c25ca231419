"""A run's states: queued, running, then one of the final ones, which nothing leaves.

A request with open questions waits as `needs_input` until they are answered.

Why a planner stopped short, in a sentence for whoever reads a run's error; codes are for programs.

What the model's service itself said is in the trace: it is not for a traveller's eyes.
"""

from collections.abc import Mapping
from typing import Literal

from backend.agent.ledger import StopReason

RunStatus = Literal[
    "needs_input", "queued", "running", "succeeded", "infeasible", "failed", "cancelled"
]

EXECUTOR = "queue"
INLINE = "command"
"""Who carries a run: the workers of the queue, or the command that began it."""

FINAL: frozenset[str] = frozenset({"succeeded", "infeasible", "failed", "cancelled"})
STATUSES: tuple[RunStatus, ...] = (
    "needs_input",
    "queued",
    "running",
    "succeeded",
    "infeasible",
    "failed",
    "cancelled",
)


def is_final(status: str) -> bool:
    """Whether the run has ended."""
    return status in FINAL


_MODEL: Mapping[str, str] = {
    "MODEL_QUOTA": "the account at the language model's service has no credit or quota left",
    "MODEL_AUTH": "the language model's service does not accept the key",
    "MODEL_BAD_REQUEST": "the language model's service refuses the request",
    "MODEL_RATE_LIMITED": "the language model's service lets no more requests through now",
    "MODEL_UNAVAILABLE": "the language model's service cannot be reached, or fails",
    "MODEL_TIMEOUT": "the language model's service did not answer in time",
    "MODEL_BAD_REPLY": "the language model's service sent answers that cannot be read",
}

_PLAN: Mapping[str, str] = {
    "EMPTY_PLAN": "the language model handed in a plan that left days empty for which there are "
    "places, and came no further",
}

_STOPS: Mapping[str, str] = {
    StopReason.NO_PROGRESS: "the language model came no further: it repeated itself, was refused "
    "again and again, or talked without a call",
    StopReason.ANSWER_CUT: "the language model's answers ended at the token limit, also when it was "
    "asked for shorter ones",
    StopReason.CONTEXT_BUDGET: "the next request would have exceeded CONTEXT_TOKEN_BUDGET",
    StopReason.MAX_TURNS: "the planner used all turns it may take (AGENT_MAX_TURNS)",
    StopReason.MAX_TOOL_CALLS: "the planner used all calls it may make (AGENT_MAX_TOOL_CALLS)",
    StopReason.MAX_TOKENS: "the planner used all tokens it may use (AGENT_MAX_TOKENS)",
    StopReason.MAX_SECONDS: "the planner's time was over (AGENT_MAX_SECONDS)",
}


def explain_stop(stop: str | None, error: str | None) -> str:
    """One sentence, whatever the reason."""
    known = {**_MODEL, **_PLAN}.get(error or "") or _STOPS.get(stop or "")
    return f"{known or f'the planner stopped ({error or stop})'} before the plan was sound"
