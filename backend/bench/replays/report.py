"""Runs of both kinds made, exported and verified elsewhere; the database is gone by then."""

import asyncio
import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from backend.bench.quality import Bench, install
from backend.bench.queries import draw_requests, read_vocabulary
from backend.bench.replays.making import (
    MadeUpSources,
    add_made_up_source,
    make_export_of,
    script_planners,
    write_export,
)
from backend.bootstrap import make_fetcher
from backend.db.session import transaction
from backend.errors import WaypoolError
from backend.replay.export import RunExport
from backend.runs.log.steps import ToolCalled, select_payloads
from backend.runs.work.workflow import open_means
from backend.settings import Settings, find_data

NOWHERE = {
    "WAYPOOL_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    "WAYPOOL_HOME": "/nonexistent",
    "HOME": "/nonexistent",
}
PLACES = (
    ("UTC", "0"),
    ("Asia/Shanghai", "1"),
    ("America/New_York", "77"),
    ("Asia/Kolkata", "4242"),
)
"""Time zones and hash seeds, taken in turn."""

MEGABYTE = 1_000_000


class ReplayBenchError(WaypoolError):
    """A process that verifies has failed."""

    code = "BENCH_FAILED"


@dataclass(frozen=True)
class Wanted:
    """How many runs of the built-in planner and of scripted models, and who verifies them."""

    runs: int
    scripted: int
    seed: int
    pythons: tuple[str, ...] = ()


async def run_replay_bench(
    url: str, settings: Settings, wanted: Wanted, keep: Path | None
) -> dict[str, Any]:
    """Make, export, verify; the report as JSON values. `keep` is where the exports stay."""
    with tempfile.TemporaryDirectory() as folder:
        target = keep or Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        async with install(url, settings) as bench:
            made = [kind async for kind in _make(bench, settings, wanted, target)]
        files = sorted(str(path) for path in target.glob("[0-9]*.json"))
        found = await _verify_everywhere(files, wanted.pythons)
        return _report(made, found, _measure(files))


def _measure(files: Sequence[str]) -> int:
    return sum(Path(file).stat().st_size for file in files)


async def _make(
    bench: Bench, settings: Settings, wanted: Wanted, folder: Path
) -> AsyncIterator[Counter[str]]:
    """What was in each run, in numbers."""
    async with transaction(bench.engine) as session:
        vocabulary = await read_vocabulary(session)
    await add_made_up_source(bench.engine)
    drawn = draw_requests(vocabulary, wanted.runs + wanted.scripted, wanted.seed)
    async with open_means(bench.engine) as means:
        sources = MadeUpSources(means.statements, make_fetcher(settings, None))
        for n, raw in enumerate(drawn):
            asked, planners = raw, bench.planners
            if n >= wanted.runs:
                asked, planners = script_planners(bench, sources, raw, n)
            export = await make_export_of(bench, means, asked, planners)
            write_export(folder, n, export)
            yield count_run(export, is_scripted=n >= wanted.runs)


def count_run(export: RunExport, *, is_scripted: bool) -> Counter[str]:
    """What makes a recording hard to replay, in numbers."""
    calls = [*select_payloads(export.steps, ToolCalled)]
    contents = [called.outcome.content for called in calls]
    limits = [called.limits for called in calls]
    return Counter(
        {
            "scripted" if is_scripted else "builtin": 1,
            f"status {export.run['status']}": 1,
            "calls": len(calls),
            "faults": sum(called.outcome.is_error for called in calls),
            "repeats": sum("repeat_of" in content for content in contents),
            "handles": len(export.results),
            "limit_changes": sum(a != b for a, b in itertools.pairwise(limits)),
            "fallbacks": max(0, len(export.stages) - 1),
        }
    )


async def _verify_everywhere(files: Sequence[str], pythons: Sequence[str]) -> list[dict[str, Any]]:
    """All files by each Python, in parts that run at once, each under a zone and a hash seed."""
    places = itertools.cycle(PLACES)
    found: list[dict[str, Any]] = []
    for python in (sys.executable, *pythons):
        for shift in (0, 1):  # each file under two zones and seeds
            here = (next(places), next(places))
            parts = [files[(n + shift) % 2 :: 2] for n in range(2)]
            pairs = zip(parts, here, strict=True)
            told = await asyncio.gather(*(_verify(python, part, at) for part, at in pairs if part))
            found += [entry for part in told for entry in part]
    return found


async def _verify(
    python: str, files: Sequence[str], place: tuple[str, str]
) -> list[dict[str, Any]]:
    zone, seed = place
    source = str(find_data("migrations").parent)
    process = await asyncio.create_subprocess_exec(
        *(python, "-m", "backend.bench.replays.elsewhere", *files),
        env={**NOWHERE, "TZ": zone, "PYTHONHASHSEED": seed, "PYTHONPATH": source},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    if process.returncode:
        last = err.decode(errors="replace").strip().splitlines()[-1:]
        raise ReplayBenchError(f"{python}, {zone}: {' '.join(last)}")
    return [{**json.loads(line), "zone": zone, "seed": seed} for line in out.splitlines()]


def _report(
    made: Sequence[Counter[str]], found: Sequence[Mapping[str, Any]], size: int
) -> dict[str, Any]:
    total: Counter[str] = sum(made, Counter())
    statuses = {key.split()[1]: n for key, n in total.items() if key.startswith("status ")}
    counts = {key: n for key, n in total.items() if not key.startswith("status ")}
    return {
        "runs": len(made),
        **counts,
        "statuses": statuses,
        "megabytes": round(size / MEGABYTE, 1),
        "verifications": len(found),
        "same": sum(bool(entry["verified"]) for entry in found),
        "computed": sum(entry["calls_computed"] for entry in found),
        "recorded": sum(entry["calls_recorded"] for entry in found),
        "pythons": sorted({entry["python"] for entry in found}),
        "places": sorted({f"{entry['zone']}, seed {entry['seed']}" for entry in found}),
        "cpu_seconds": round(fmean(entry["seconds"] for entry in found), 2) if found else None,
        "differences": [_describe(entry) for entry in found if not entry["verified"]],
    }


def _describe(entry: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("file", "python", "zone", "seed", "run_id", "check", "difference")
    return {key: entry[key] for key in keys}


def describe_replays(report: Mapping[str, Any]) -> Iterator[str]:
    """The report as lines."""
    statuses = ", ".join(f"{n} {status}" for status, n in sorted(report["statuses"].items()))
    yield (
        f"{report.get('builtin', 0)} runs of the built-in planner and {report.get('scripted', 0)}"
        f" of a scripted model ({statuses}), {report['megabytes']} MB of exports"
    )
    yield (
        f"{report['calls']} calls, among them {report.get('faults', 0)} faults,"
        f" {report.get('repeats', 0)} repeats, {report.get('handles', 0)} handles,"
        f" {report.get('limit_changes', 0)} changes of limits in mid-run,"
        f" {report.get('fallbacks', 0)} fallbacks"
    )
    yield (
        f"{report['same']} of {report['verifications']} verifications without a database the same"
        f" byte for byte; {report['computed']} calls computed, {report['recorded']} recorded;"
        f" {report['cpu_seconds']} s each"
    )
    yield f"Python {', '.join(report['pythons'])}; {'; '.join(report['places'])}"
    for found in report["differences"]:
        yield f"differs: {json.dumps(found, ensure_ascii=False)[:500]}"
