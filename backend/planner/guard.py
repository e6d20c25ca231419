"""A time limit for searches that would take too long on a slow machine.

A search normally ends after a fixed number of steps, so that the same input gives the same result
on every machine. If the time limit ends it first, the result says so.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

GUARD_SECONDS = 8.0
"""Many times as long as a search takes on a usual machine."""

_SECONDS: ContextVar[float] = ContextVar("guard_seconds", default=GUARD_SECONDS)


@contextmanager
def without_clock() -> Iterator[None]:
    """Switch the limit off inside: a replay on a slow machine must find what a fast one has found."""
    token = _SECONDS.set(math.inf)
    try:
        yield
    finally:
        _SECONDS.reset(token)


class Guard:
    """Asked between steps; `was_hit` once it has said yes."""

    def __init__(
        self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Without `seconds` the usual ones, or none at all `without_clock`."""
        self._clock = clock
        self._end = clock() + (_SECONDS.get() if seconds is None else seconds)
        self.was_hit = False

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._end - self._clock())

    def is_over(self) -> bool:
        """Whether the time is used up."""
        self.was_hit = self.was_hit or self._clock() >= self._end
        return self.was_hit
