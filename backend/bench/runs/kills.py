"""Workers killed again and again, and PostgreSQL restarted: every run ends, no finished reply is paid twice.

An API process serves all the time, to an app that asks and to readers of events.
"""

import asyncio
import time
from contextlib import suppress

import psycopg

from backend.bench.runs.logs import read_findings
from backend.bench.runs.onlooker import Onlooker
from backend.bench.runs.processes import read_counts
from backend.bench.runs.report import Demand, Report
from backend.bench.runs.script import TURNS
from backend.bench.runs.site import Site, open_site

DELAY, WORKERS, CONCURRENCY = 0.3, 2, 8
SECONDS_BETWEEN = 3.0
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
        await asyncio.wait({ended}, timeout=SECONDS_BETWEEN)
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
