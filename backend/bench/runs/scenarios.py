"""The scenarios of the runs bench in one tuple, and the one in which processes are killed."""

import asyncio
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg

from backend.bench.runs.overhead import measure_overhead
from backend.bench.runs.processes import read_counts
from backend.bench.runs.readers import BrokenStreamError, measure_readers, read_events
from backend.bench.runs.script import TURNS
from backend.bench.runs.site import Demand, Report, Site, describe_shares, open_site

READERS_KILLS = 10
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
        reading = [asyncio.create_task(self._read(run_id)) for run_id in run_ids[:READERS_KILLS]]
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


DELAY_KILLS, WORKERS_KILLS, CONCURRENCY = 0.3, 2, 8
SECONDS_BETWEEN_KILLS = 3.0
STALLED_SECONDS = 6
RESTART_AT = 2
"""The restart comes after so many kills, in the middle of the work."""


async def measure_kills(runs: int, concurrency: int = CONCURRENCY, least_kills: int = 1) -> Report:
    """Kill a worker every three seconds until all runs have ended, at least so many times."""
    async with open_site(DELAY_KILLS, stalled_seconds=STALLED_SECONDS) as site:
        for _ in range(WORKERS_KILLS):
            site.fleet.start_worker(concurrency)
        await site.wait_for_workers(WORKERS_KILLS)
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


DELAY_SCENARIOS, WORKERS_SCENARIOS = 0.3, 2
MOST_OF_IDEAL = 1.25


async def measure_throughput(
    runs: int, concurrency: int, *, is_timed: bool = True, url: str | None = None
) -> Report:
    """`concurrency` is that of each of the two workers; `is_timed` demands the time too."""
    async with open_site(DELAY_SCENARIOS, url) as site:
        for _ in range(WORKERS_SCENARIOS):
            site.fleet.start_worker(concurrency)
        await site.wait_for_workers(WORKERS_SCENARIOS)
        before, began = site.measure(), time.perf_counter()
        await site.start_runs(runs)
        await site.wait_for_end()
        seconds = time.perf_counter() - began
        used = {name: value - before.get(name, 0.0) for name, value in site.measure().items()}
        found, asked = await read_findings(site), read_counts(site.model)["asked"]
    ideal = runs * TURNS * DELAY_SCENARIOS / (WORKERS_SCENARIOS * concurrency)
    limit = MOST_OF_IDEAL * ideal
    figures = {
        "runs": runs,
        "concurrency": concurrency,
        "seconds": round(seconds, 2),
        "ideal_seconds": round(ideal, 2),
        "runs_per_second": round(runs / seconds, 2),
        "processor_seconds": {name: round(value, 2) for name, value in used.items()},
        "model_calls": asked,
    }
    demands = (
        Demand("all runs succeeded with the model's plan", found.ended_well == found.runs == runs),
        Demand("each turn once in each log", found.exact == runs),
        Demand("no model call twice", asked == runs * TURNS),
        Demand(f"done within {limit:.1f} s", seconds <= limit if is_timed else None),
    )
    lines = (
        f"{runs} runs of {TURNS} turns, {WORKERS_SCENARIOS} workers with {concurrency} each,"
        f" model delay {DELAY_SCENARIOS * 1000:.0f} ms: {seconds:.1f} s, ideal {ideal:.1f} s,"
        f" {runs / seconds:.1f} runs a second",
        f"processor: {describe_shares(used)}",
    )
    return Report(f"throughput at concurrency {concurrency}", figures, demands, lines)


RUNS, WIDE_RUNS, KILLED_RUNS, READERS_SCENARIOS, CONVERSATIONS = 200, 400, 100, 500, 40


@dataclass(frozen=True)
class Scenario:
    """A name and what it measures at a scale; demands on time hold at full size only."""

    name: str
    measure: Callable[[float], Coroutine[Any, Any, Report]]


def scale_count(full: int, scale: float, least: int = 1) -> int:
    """A part of the full number, rounded, and at least so many."""
    return max(least, round(full * scale))


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "throughput",
        lambda scale: measure_throughput(scale_count(RUNS, scale), 8, is_timed=scale >= 1),
    ),
    Scenario(
        "wide", lambda scale: measure_throughput(scale_count(WIDE_RUNS, scale), 64, is_timed=False)
    ),
    Scenario("kills", lambda scale: measure_kills(scale_count(KILLED_RUNS, scale))),
    Scenario("readers", lambda scale: measure_readers(scale_count(READERS_SCENARIOS, scale))),
    Scenario("overhead", lambda scale: measure_overhead(scale_count(CONVERSATIONS, scale))),
)
