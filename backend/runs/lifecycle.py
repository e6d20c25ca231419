"""A run's states and which may follow which; nothing leaves a final state."""

from typing import Literal

RunStatus = Literal["queued", "running", "succeeded", "infeasible", "failed", "cancelled"]

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


def may_follow(before: RunStatus, after: RunStatus) -> bool:
    """Whether a run may go from `before` to `after`: queued, running, then one of the final ones."""
    if is_final(before):
        return False
    if before == "queued":
        return after in {"running", "failed", "cancelled"}
    return is_final(after)
