"""Puts the progress of a streamed reply into the run log, seldom enough to keep the log small."""

import time
from collections.abc import Callable

from backend.agent.llm import Progress
from backend.runs.durable import RunWriter

FIRST_PAUSE_SECONDS = 0.5
"""Quick replies show no progress; the pauses grow with the reply, to some 60 rows at most."""

_ROWS_OF_A_LONG_REPLY = 20


class ProgressFeed:
    """A `Hear` that writes `model_progressed`; `text` is what came since the row before.

    A new `attempt` (or `run_resumed`) begins the reply anew.
    """

    def __init__(
        self,
        writer: RunWriter,
        planner: str,
        read_turn: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer, self._planner, self._clock = writer, planner, clock
        self._read_turn = read_turn
        self._now = (0, 0)
        self._began = self._told_at = 0.0
        self._told = 0

    async def __call__(self, progress: Progress) -> None:
        """Tell, or leave it for later."""
        self._begin((self._read_turn(), progress.attempt))
        now = self._clock()
        pause = max(FIRST_PAUSE_SECONDS, (now - self._began) / _ROWS_OF_A_LONG_REPLY)
        if now - self._told_at < pause:
            return
        self._told_at = now
        payload = {
            "planner": self._planner,
            "turn": self._now[0],
            "attempt": progress.attempt,
            "text": progress.text[self._told :],
            "calls": [call.model_dump() for call in progress.calls],
        }
        self._told = len(progress.text)
        await self._writer.append("model_progressed", payload)

    def _begin(self, now: tuple[int, int]) -> None:
        if now != self._now:
            self._now, self._told = now, 0
            self._began = self._told_at = self._clock()
