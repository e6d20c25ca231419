"""An app that looks on while workers die and the database goes away: it asks, and it reads events.

The API itself is not killed, so it has to answer: what it cannot do for the moment is a 503.
"""

import asyncio
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.bench.runs.report import Demand
from backend.bench.runs.sse import BrokenStreamError, read_events

READERS = 10
SECONDS_BETWEEN = 0.3
PATIENCE_SECONDS = 60.0
"""An answer that takes longer hangs."""


@dataclass
class Onlooker:
    """Asks one API for the runs in turn, and reads the events of the first ones, without a pause."""

    address: str
    key: str
    answers: Counter[int] = field(default_factory=Counter)
    heard: dict[str, list[int]] = field(default_factory=dict)

    async def look_on(self, run_ids: Sequence[str], ended: asyncio.Task[None]) -> None:
        """Until the runs have ended, and once more for each."""
        reading = [asyncio.create_task(self._read(run_id)) for run_id in run_ids[:READERS]]
        number = 0
        while not ended.done():
            await self._ask(run_ids[number % len(run_ids)])
            await asyncio.wait({ended}, timeout=SECONDS_BETWEEN)
            number += 1
        await asyncio.gather(*reading)

    async def _ask(self, run_id: str) -> None:
        url = f"{self.address}/v1/itineraries/{run_id}"
        self.answers[await asyncio.to_thread(_get_status, url, self.key)] += 1

    async def _read(self, run_id: str) -> None:
        heard = self.heard[run_id] = []
        try:
            async for seq in read_events(self.address, self.key, run_id, 0):
                heard.append(seq)
        except (BrokenStreamError, OSError):
            return  # what was heard tells

    def judge(self, written: dict[str, int]) -> tuple[Demand, ...]:
        """What must hold; `written` are the last numbers of the runs' events."""
        right = sum(heard == list(range(1, written[run] + 1)) for run, heard in self.heard.items())
        told = ", ".join(f"{status}: {count}" for status, count in sorted(self.answers.items()))
        return (
            Demand(f"the API answers 200, or 503 for a while ({told})", self._is_sound),
            Demand(f"{right} readers hear every event once", right == len(self.heard)),
        )

    @property
    def _is_sound(self) -> bool:
        return self.answers[200] > 0 and set(self.answers) <= {200, 503}


def _get_status(url: str, key: str) -> int:
    """The status of an answer; 0 where there was none in time."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
