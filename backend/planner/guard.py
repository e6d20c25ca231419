"""The clock as a guard: it ends a search that a slow machine draws out, and the outcome says so.

Otherwise searches end by numbers of steps, so that one input has one outcome on every machine.
"""

import time
from collections.abc import Callable

GUARD_SECONDS = 8.0
"""Many times what a search takes."""


class Guard:
    """Asked between steps; `was_hit` once it has said yes."""

    def __init__(
        self, seconds: float = GUARD_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._end = clock() + seconds
        self.was_hit = False

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._end - self._clock())

    def is_over(self) -> bool:
        """Whether the time is used up."""
        self.was_hit = self.was_hit or self._clock() >= self._end
        return self.was_hit
