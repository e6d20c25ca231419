"""The clock as a guard: it ends a search that a slow machine draws out, and the outcome says so.

Otherwise searches end by numbers of steps, so that one input has one outcome on every machine.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

GUARD_SECONDS = 8.0
"""Many times what a search takes."""

_SECONDS: ContextVar[float] = ContextVar("guard_seconds", default=GUARD_SECONDS)


@contextmanager
def without_clock() -> Iterator[None]:
    """No guard within: a replay on a slow machine must come to what a quick one has found."""
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
