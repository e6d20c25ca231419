"""`Prefer: wait=N` (RFC 7240): answer when a run has ended, or after so long."""

import asyncio
import re
from contextlib import aclosing

from backend.bootstrap import Services

MAX_WAIT_SECONDS = 60

_WAIT = re.compile(r"\s*wait\s*=\s*\"?([0-9]{1,9})[0-9]*\"?\s*", re.IGNORECASE)


def read_wait(prefer: str | None) -> float | None:
    """Seconds of `Prefer: wait=N` (RFC 7240), at most 60; None where it is not asked for."""
    for part in (prefer or "").split(","):
        if match := _WAIT.fullmatch(part):
            return min(float(match[1]), MAX_WAIT_SECONDS)
    return None


async def wait_for_end(services: Services, run_id: str, seconds: float) -> None:
    """Until the run's last step, or until the time is over."""

    async def follow() -> None:
        async with aclosing(services.feed.follow(run_id, 0)) as steps:
            async for _ in steps:
                pass

    try:
        await asyncio.wait_for(follow(), seconds)
    except TimeoutError:
        return
