"""Which failed requests are tried again, and after how long; the longest wait is bounded."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from backend.agent.llm import ModelError, ModelReply

LONGEST_WAIT_SECONDS = 30.0
"""A service that asks for more has a worker wait for nothing; the caller may come back later."""


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

    async def run(self, attempt: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """The first reply that comes; the last error where none does."""
        for number in range(self.attempts - 1):
            try:
                return await attempt()
            except AttemptError as failure:
                delay = self._choose_delay(number, failure)
                if delay is None:
                    raise failure.error from failure
            await self.pause(delay)
        try:
            return await attempt()
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
