"""A run's states: queued, running, then one of the final ones, which nothing leaves."""

from typing import Literal

RunStatus = Literal["queued", "running", "succeeded", "infeasible", "failed", "cancelled"]

EXECUTOR = "queue"
INLINE = "command"
"""Who carries a run: the workers of the queue, or the command that began it."""

FINAL: frozenset[str] = frozenset({"succeeded", "infeasible", "failed", "cancelled"})
STATUSES: tuple[RunStatus, ...] = (
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
