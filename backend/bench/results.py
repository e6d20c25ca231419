"""Large results: what it takes to store them, and how soon they answer from the stored form.

The same questions go to DuckDB and Polars, which have the rows in memory, and the answers must agree.
"""

import asyncio
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from backend.bench.checkout import find_part
from backend.bench.queries import make_empty_database
from backend.bench.timing import Stopwatch, write_orders
from backend.db.migrate import upgrade
from backend.db.session import Engine, make_engine
from backend.errors import ToolError
from backend.ids import make_id
from backend.results.asking import answer, write_whole
from backend.results.document import Document
from backend.results.handle import Owner, Reader
from backend.results.store import ResultStore
from backend.results.summary import summarize
from backend.results.values import parse_json, write_json

RUNS = 5
RIVALS = ("duckdb", "polars")
"""Engines that are asked the same, where they are installed."""
LEAST = "4999.50"

_TENANT = "bench"
_PATH = f'rows[?status=="paid" && amount>={LEAST}].order_id'
_GROUP = {
    "group_by": ["city"],
    "aggregate": [{"op": "count"}, {"op": "sum", "field": "amount"}],
}
_CHUNK = 1024 * 1024


class Rival(Protocol):
    """An engine with the rows loaded."""

    def load(self, path: Path) -> None:
        """Read the JSON."""
        ...

    def summarize(self) -> Any:
        """What a summary says of all seven columns."""
        ...

    def filter(self, least: str) -> list[str]:
        """Ids of the paid orders of at least this amount."""
        ...

    def group(self) -> list[tuple[str, int, Decimal]]:
        """Count and sum by city."""
        ...


async def run_results_bench(url: str, rows: int, reads: int, runs: int = RUNS) -> dict[str, Any]:
    """Make rows, store them, ask; the report as JSON values, times in milliseconds."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "orders.json"
        report: dict[str, Any] = {"rows": rows, "columns": 7, "bytes": write_orders(path, rows)}
        async with make_empty_database(url) as address:
            await asyncio.to_thread(upgrade, address)
            engine = make_engine(address)
            try:
                report |= await _measure_store(engine, path, reads, runs)
            finally:
                await engine.dispose()
        answers = report.pop("answers")
        report["rivals"] = {
            name: _measure_rival(rival, path, runs, answers) if rival else None
            for name, rival in _list_rivals()
        }
    return report


async def _measure_store(engine: Engine, path: Path, reads: int, runs: int) -> dict[str, Any]:
    store, reader = ResultStore(engine, None), Reader("bench", _TENANT)
    before = read_peak_memory()
    start = time.perf_counter()
    stored = await store.put(_read_chunks(path), Owner(_TENANT))
    put = {
        "seconds": round(time.perf_counter() - start, 2),
        "peak_mb": read_peak_memory(),
        "peak_mb_before": before,
    }
    watch = Stopwatch(warm_up=1)
    answers: dict[str, Any] = {}
    for _ in range(runs + 1):
        for name, ask in QUESTIONS.items():
            read = partial(store.read, stored.handle, reader, ask)
            answers[name] = await watch.time(name, read)
    times = {name: watch.summarise(name) for name in QUESTIONS}
    strangers = await _measure_strangers(store, stored.handle, reads)
    return {"put": put, "milliseconds": times, "strangers": strangers, "answers": answers}


def _read_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        yield from iter(lambda: stream.read(_CHUNK), b"")


def _ask_summary(document: Document) -> tuple[Any, int]:
    summary = summarize(document)
    return summary, len(write_json(summary))


def _ask_path(document: Document) -> tuple[Any, int]:
    text, size = write_whole(document, _PATH, None)
    return parse_json(text)["value"], size


def _ask_group(document: Document) -> tuple[Any, int]:
    found, size = answer(document, None, _GROUP, "en")
    return found["rows"], size


QUESTIONS: Mapping[str, Callable[[Document], tuple[Any, int]]] = {
    "summary": _ask_summary,
    "filter": _ask_path,
    "group": _ask_group,
}


async def _measure_strangers(store: ResultStore, handle: str, reads: int) -> dict[str, Any]:
    """Reads of somebody else's handle and of an unknown one, in turn: nobody should tell them apart."""
    watch = Stopwatch(warm_up=reads // 10)
    stranger, unknown = Reader("stranger", "somebody else"), make_id("res")
    pair = (("foreign", handle), ("unknown", unknown))
    bodies: dict[str, set[str]] = {name: set() for name, _ in pair}
    for n in range(reads + reads // 10):
        for name, wanted in pair if n % 2 else pair[::-1]:
            refuse = partial(_refuse, store, wanted, stranger)
            bodies[name].add(await watch.time(name, refuse))
    medians = {name: watch.summarise(name)["p50"] for name in bodies}
    apart = abs(medians["foreign"] - medians["unknown"]) / max(medians.values())
    return {
        "reads": reads,
        "milliseconds": medians,
        "apart_percent": round(apart * 100, 2),
        "same_body": bodies["foreign"] == bodies["unknown"] and len(bodies["foreign"]) == 1,
    }


async def _refuse(store: ResultStore, handle: str, reader: Reader) -> str:
    try:
        await store.read(handle, reader, _ask_path)
    except ToolError as error:
        return write_json(error.as_json())
    raise AssertionError("a stranger was answered")


def _list_rivals() -> list[tuple[str, Rival | None]]:
    """Each by name; None where this installation does not have it."""
    part = find_part("rivals")
    return [(name, part.make_rival(name) if part else None) for name in RIVALS]


def _measure_rival(
    rival: Rival, path: Path, runs: int, answers: Mapping[str, Any]
) -> dict[str, Any]:
    watch = Stopwatch(warm_up=1)
    start = time.perf_counter()
    rival.load(path)
    seconds = round(time.perf_counter() - start, 2)
    found: list[str] = []
    groups: list[Any] = []
    for _ in range(runs + 1):
        watch.time_now("summary", rival.summarize)
        found = watch.time_now("filter", lambda: rival.filter(LEAST))
        groups = watch.time_now("group", rival.group)
    expected = [tuple(row.values()) for row in answers["group"]]
    return {
        "load_seconds": seconds,
        "milliseconds": {name: watch.summarise(name) for name in QUESTIONS},
        "agrees": found == answers["filter"] and [tuple(row) for row in groups] == expected,
    }


def read_peak_memory() -> int:
    """The most memory that this process has had so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)


def describe_results(report: Mapping[str, Any]) -> Sequence[str]:
    """The report as Markdown."""
    put = report["put"]
    lines = [
        f"{report['rows']:,} rows x {report['columns']} columns, {report['bytes'] / 1_000_000:.0f} MB of JSON",
        "",
        "| engine | store or load | peak memory | summary | filtered path | group-by |",
        "| --- | --- | --- | --- | --- | --- |",
        _describe_row("Waypool, stored", put["seconds"], f"{put['peak_mb']} MB", report),
    ]
    for name, rival in report["rivals"].items():
        if rival is None:
            lines.append(f"| {name}: not installed (it comes with the extra 'dev') | | | | | |")
        else:
            agrees = "" if rival["agrees"] else ", OTHER ANSWERS"
            lines.append(
                _describe_row(f"{name}, in memory{agrees}", rival["load_seconds"], "", rival)
            )
    return [*lines, "", _describe_strangers(report["strangers"])]


def _describe_row(label: str, seconds: float, memory: str, found: Mapping[str, Any]) -> str:
    times = [f"{found['milliseconds'][name]['p50'] / 1000:.2f} s" for name in QUESTIONS]
    return f"| {' | '.join([label, f'{seconds:.1f} s', memory, *times])} |"


def _describe_strangers(strangers: Mapping[str, Any]) -> str:
    medians = strangers["milliseconds"]
    return (
        f"a foreign handle {medians['foreign']} ms, an unknown one {medians['unknown']} ms (medians of"
        f" {strangers['reads']}): {strangers['apart_percent']} % apart,"
        f" {'same' if strangers['same_body'] else 'OTHER'} body"
    )
