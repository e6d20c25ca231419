"""Workers killed again and again, and PostgreSQL restarted: every run ends, no finished reply is paid twice.

An API process serves all the time, to an app that asks and to readers of events.

An app that looks on while workers die and the database goes away: it asks, and it reads events.

The API itself is not killed, so it has to answer: what it cannot do for the moment is a 503.

What the run logs of a scenario say: how runs ended, and that no turn was answered twice.
"""

import asyncio
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import psycopg

from backend.bench.runs.processes import read_counts
from backend.bench.runs.readers import BrokenStreamError, read_events
from backend.bench.runs.script import TURNS
from backend.bench.runs.site import Demand, Report, Site, open_site

READERS = 10
SECONDS_BETWEEN_LOOKS = 0.3
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
            await asyncio.wait({ended}, timeout=SECONDS_BETWEEN_LOOKS)
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


_QUERY = """
select r.id, r.status, r.result ->> 'planner_used',
  count(*) filter (where l.kind = 'model_replied'),
  count(distinct l.payload ->> 'turn') filter (where l.kind = 'model_replied'),
  count(*) = max(l.seq),
  count(*) filter (where l.kind = 'run_resumed'),
  count(*) filter (where l.kind = 'run_finished')
from agent_run r join run_log l on l.run_id = r.id group by r.id
"""


@dataclass(frozen=True)
class Findings:
    """Numbers of runs, and of replies in all logs."""

    runs: int
    ended_well: int
    exact: int
    replies: int
    resumes: int


async def read_findings(site: Site) -> Findings:
    """`exact` counts the runs with each turn once, an end, and no gap between their steps."""
    rows = await site.ask(_QUERY)
    good = [row for row in rows if row[1] == "succeeded" and row[2] == "openai"]
    exact = [row for row in rows if row[3] == row[4] == TURNS and row[5] and row[7] == 1]
    return Findings(
        runs=len(rows),
        ended_well=len(good),
        exact=len(exact),
        replies=sum(row[3] for row in rows),
        resumes=sum(row[6] for row in rows),
    )


DELAY, WORKERS, CONCURRENCY = 0.3, 2, 8
SECONDS_BETWEEN_KILLS = 3.0
STALLED_SECONDS = 6
RESTART_AT = 2
"""The restart comes after so many kills, in the middle of the work."""


async def measure_kills(runs: int, concurrency: int = CONCURRENCY, least_kills: int = 1) -> Report:
    """Kill a worker every three seconds until all runs have ended, at least so many times."""
    async with open_site(DELAY, stalled_seconds=STALLED_SECONDS) as site:
        for _ in range(WORKERS):
            site.fleet.start_worker(concurrency)
        await site.wait_for_workers(WORKERS)
        onlooker = Onlooker(site.fleet.start_api(), await site.make_key())
        began = time.perf_counter()
        run_ids = await site.start_runs(runs)
        ended = asyncio.create_task(site.wait_for_end())
        onlooking = asyncio.create_task(onlooker.look_on(run_ids, ended))
        kills = await _kill_until(site, ended, concurrency, least_kills)
        await ended
        seconds = time.perf_counter() - began
        await onlooking
        seen = onlooker.judge(await site.count_steps())
        found, asked = await read_findings(site), read_counts(site.model)["asked"]
    extra = asked - runs * TURNS
    figures = {
        "runs": runs,
        "kills": kills,
        "restarts": 1,
        "seconds": round(seconds, 2),
        "taken_over": found.resumes,
        "model_calls": asked,
        "extra_model_calls": extra,
        "extra_allowed": kills * concurrency,
        "answers": {str(status): count for status, count in sorted(onlooker.answers.items())},
    }
    demands = (
        Demand("all runs succeeded with the model's plan", found.ended_well == found.runs == runs),
        Demand("each turn once in each log", found.exact == runs),
        Demand(f"at most {concurrency} more model calls a kill", extra <= kills * concurrency),
        *seen,
    )
    line = (
        f"{runs} runs, {kills} kills with -9 and a restart of PostgreSQL in {seconds:.1f} s:"
        f" {found.resumes} times taken over, {extra} model calls more than turns"
    )
    return Report("kills", figures, demands, (line,))


async def _kill_until(
    site: Site, ended: asyncio.Task[None], concurrency: int, least_kills: int
) -> int:
    """Kill every three seconds, but nobody before the one that replaces the last is at work."""
    kills, is_restarted = 0, False
    while not ended.done() or not is_restarted:
        await asyncio.wait({ended}, timeout=SECONDS_BETWEEN_KILLS)
        if not ended.done() or kills < least_kills:
            signed_on = await _count_signed_on(site)
            site.fleet.kill_worker()
            site.fleet.start_worker(concurrency)
            kills += 1
            while await _count_signed_on(site) <= signed_on:
                site.fleet.check()
                await asyncio.sleep(0.1)
        if not is_restarted and kills >= min(RESTART_AT, least_kills):
            await site.restart_database()
            is_restarted = True
    return kills


async def _count_signed_on(site: Site) -> int:
    """How often a worker has signed on; it does so again after the database was away."""
    while True:
        with suppress(psycopg.OperationalError):
            rows = await site.ask("select last_value from procrastinate_workers_id_seq")
            return int(rows[0][0])
        await asyncio.sleep(0.1)
