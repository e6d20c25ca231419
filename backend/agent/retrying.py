"""Which failed requests are tried again, and after how long; the longest wait is bounded."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from backend.agent.llm import ModelError, ModelReply

LONGEST_WAIT_SECONDS = 30.0
"""A service that asks for more has a worker wait for nothing; the caller may come back later."""


PATIENCE_SECONDS = 150.0
"""No attempt begins later than this after the first: the step would hold its worker for too long."""


@dataclass
class AttemptError(Exception):
    """One request failed; `may_pass` says that the same one may succeed after `wait` seconds.

    Without `wait` the service named no time.
    """

    error: ModelError
    may_pass: bool = False
    wait: float | None = None


@dataclass(frozen=True)
class Retries:
    """How often and how patiently; the delay doubles, and half of it is chance (jitter)."""

    attempts: int = 4
    first_delay: float = 0.5
    longest_delay: float = 8.0
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random
    patience: float = PATIENCE_SECONDS
    clock: Callable[[], float] = time.monotonic

    async def run(self, attempt: Callable[[int], Awaitable[ModelReply]]) -> ModelReply:
        """The first reply that comes; the last error where none does. Attempts count from 1."""
        began = self.clock()
        for number in range(1, self.attempts):
            try:
                return await attempt(number)
            except AttemptError as failure:
                delay = self._choose_delay(number - 1, failure)
                if delay is None or self.clock() + delay > began + self.patience:
                    raise failure.error from failure
            await self.pause(delay)
        try:
            return await attempt(self.attempts)
        except AttemptError as failure:
            raise failure.error from failure

    def _choose_delay(self, number: int, failure: AttemptError) -> float | None:
        """Seconds before the next attempt, None where there should be none.

        A time that the service names is a lower bound: jitter only adds to it.
        """
        if not failure.may_pass or (failure.wait or 0) > LONGEST_WAIT_SECONDS:
            return None
        delay = min(self.longest_delay, self.first_delay * (1 << number))
        jittered = delay / 2 * (1 + self.draw())
        return jittered if failure.wait is None else failure.wait + jittered / 2
