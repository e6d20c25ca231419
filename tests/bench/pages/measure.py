"""Times and weights of all pages, over HTTP, from a server process with runs of both planners."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx

from backend.access.queries import create_key
from backend.audit.queries import Author
from backend.bench.runs.script import REQUEST
from backend.bench.runs.site import TENANT, Demand, Report, Site, open_site
from backend.bench.timing import Stopwatch
from backend.clock import read_utc
from backend.db.session import transaction
from backend.results.handle import Owner
from backend.results.store import ResultStore
from backend.sources.queries import add_source, list_configured
from tests.bench.pages.page import Page
from tests.bench.pages.walk import Walk, go, list_missing, walk
from tests.bench.pages.weight import sum_up, weigh

MOST_MILLISECONDS, MOST_KB = 100, 200
WARM_UP = 3
SCOPES = ("user", "admin", "developer")

_OWN = {**REQUEST, "planner": "builtin"}
_LONG = {
    **_OWN,
    "destinations": [{"city": "北京"}, {"city": "西安"}, {"city": "成都"}],
    "days": 9,
    "must_see": [],
}


async def measure_pages(
    paths: Sequence[str], requests: int, runs: int, url: str | None = None
) -> Report:
    """`paths` are the console's routes: one that the walk does not reach is a miss."""
    async with open_site(0.0, url) as site, _sign_in(site, runs) as client:
        found = await walk(client, paths)
        rows = [await _measure(client, found, kind, requests) for kind in sorted(found.found)]
    return _report(rows, found, runs)


@asynccontextmanager
async def _sign_in(site: Site, runs: int) -> AsyncIterator[httpx.AsyncClient]:
    """A browser that has signed in, once all runs have ended: the last one is a long trip."""
    async with transaction(site.engine) as session:
        _, secret = await create_key(session, TENANT, SCOPES, "bench", read_utc())
        source = list_configured()[0].model_copy(update={"name": TENANT})
        await add_source(session, source, Author(read_utc()))
    await ResultStore(site.engine, None).put([_make_rows()], Owner(TENANT, None), tool="bench")
    site.fleet.start_worker(4)
    await site.start_runs(runs)
    async with httpx.AsyncClient(base_url=site.fleet.start_api(), timeout=60) as client:
        for request in (_OWN, _LONG):
            headers = {"Authorization": f"Bearer {secret}"}
            (await client.post("/v1/itineraries", json=request, headers=headers)).raise_for_status()
        await site.wait_for_end()
        form = Page("/console/sign-in", (await client.get("/console/sign-in")).text).forms[-1]
        answer = await client.post(form.action, data={**dict(form.fields), "key": secret})
        assert answer.is_redirect, answer.status_code
        yield client


def _make_rows() -> bytes:
    """A result as a source might give it."""
    rows = ({"n": n, "city": ("北京", "西安")[n % 2], "amount": n / 4} for n in range(1_000))
    return json.dumps(list(rows)).encode()


async def _measure(
    client: httpx.AsyncClient, found: Walk, kind: str, requests: int
) -> dict[str, Any]:
    """The figures of a kind are those of its slowest address, and of its heaviest."""
    watch = Stopwatch(WARM_UP)
    for step in found.found[kind]:
        for _ in range(WARM_UP + requests):
            answer = await watch.time(step.address, partial(go, client, step))
            assert answer.status_code == 200, (step.address, answer.status_code)
    slowest = max(watch.samples, key=lambda address: watch.summarise(address)["p50"])
    sums = [sum_up(await weigh(client, step)) for step in found.found[kind]]
    weight, library = max(sums)
    times = watch.summarise(slowest)
    return {
        "page": kind,
        "address": slowest,
        "median_ms": times["p50"],
        "p95_ms": times["p95"],
        "first_load_kb": round(weight / 1000, 1),
        "map_library_kb": round(library / 1000, 1),
    }


def _report(rows: list[dict[str, Any]], found: Walk, runs: int) -> Report:
    slow = [row["page"] for row in rows if row["median_ms"] > MOST_MILLISECONDS]
    heavy = [row["page"] for row in rows if row["first_load_kb"] > MOST_KB]
    missing = list_missing(found)
    demands = (
        _demand(f"each page's median at most {MOST_MILLISECONDS} ms", slow),
        _demand(f"each first load at most {MOST_KB} KB without the map's library", heavy),
        _demand("every page answers", found.broken),
    )
    figures = {"pages": rows, "not_measured": missing, "runs": runs + 2}
    return Report("pages", figures, demands, tuple(_list_lines(rows, missing)))


def _demand(text: str, faults: list[str]) -> Demand:
    return Demand(f"{text}: not {', '.join(faults)}" if faults else text, not faults)


def _list_lines(rows: list[dict[str, Any]], missing: list[str]) -> list[str]:
    head = f"{'page':<52}{'median ms':>10}{'p95 ms':>9}{'KB':>8}{'map KB':>8}"
    lines = [
        f"{row['page']:<52}{row['median_ms']:>10.1f}{row['p95_ms']:>9.1f}"
        f"{row['first_load_kb']:>8.1f}{row['map_library_kb']:>8.1f}"
        for row in rows
    ]
    left = [f"not measured, since no page leads there: {', '.join(missing)}"] if missing else []
    return [head, *lines, *left]
