"""Health for load balancers: alive, and ready to serve.

`/metrics` for Prometheus: what all runs of the installation add up to, whichever process is asked.

The sums stand in the database and grow in the transaction that ends a run, so workers need no port,
and a kill neither loses nor doubles a run. Scrape one process, or take the maximum over several.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from fastapi import APIRouter, Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from backend.api.deps import ServicesDep
from backend.clock import read_utc
from backend.db.migrate import head_revision
from backend.db.revision import read_revision_async
from backend.db.session import transaction
from backend.document import Document
from backend.errors import UnavailableError
from backend.runs.life.ending import read_counts
from backend.runs.life.open_runs import count_open_runs

router = APIRouter(tags=["health"])


class HealthDocument(Document):
    """Alive or ready."""

    status: Literal["ok", "ready"]
    revision: str | None = None


@router.get("/healthz", response_model_exclude_none=True, summary="The process is alive")
async def healthz() -> HealthDocument:
    """Always `ok`: it touches nothing."""
    return HealthDocument(status="ok")


@router.get(
    "/readyz",
    summary="The database answers and this version can work on it",
)
async def readyz(services: ServicesDep) -> HealthDocument:
    """503 where the database is away, not upgraded, or changed by a newer version so that it matters.

    A newer revision that only adds things leaves an older process ready.
    """
    revision = await read_revision_async(services.engine)
    if revision.current is None or not revision.serves(head_revision()):
        raise UnavailableError(f"the database is at {revision.current}, this version needs another")
    return HealthDocument(status="ready", revision=revision.current)


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Samples = Sequence[tuple[Mapping[str, str], float]]
Counts = Mapping[str, Samples]

_COUNTERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("runs", "Ended runs by status; reason is the code of a failure.", ("status", "reason")),
    ("steps", "Steps of ended runs by kind.", ("kind",)),
    ("tool_calls", "Tool calls of ended runs.", ("tool", "outcome")),
    ("tokens", "Tokens of ended runs: input (cached ones among them), cached, output.", ("kind",)),
    ("planner_failures", "Planners of ended runs that met an error, by its code.", ("reason",)),
)
_HISTOGRAMS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("run_seconds", "From the request of a run to its end, waiting included.", ()),
    ("model_seconds", "Of one reply, by planner; the built-in one asks no model.", ("planner",)),
)


class _Families:
    """What was read of the database, as the library collects it."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        return self._families


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def get_metrics(services: ServicesDep) -> Response:
    """Runs waiting and at work, and what the ended ones add up to."""
    async with transaction(services.engine) as session:
        waiting = await count_open_runs(session, read_utc())
        counts = await read_counts(session)
    registry = CollectorRegistry()
    readers = GaugeMetricFamily(
        "waypool_event_readers", "Readers of events in this process.", services.feed.readers
    )
    registry.register(_Families([*_show_waiting(waiting), readers, *_show_counts(counts)]))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE)


def _show_waiting(waiting: Mapping[str, tuple[int, float]]) -> Iterable[Metric]:
    count = GaugeMetricFamily("waypool_runs_open", "Runs that have not ended.", labels=["status"])
    age = GaugeMetricFamily(
        "waypool_oldest_run_seconds", "Age of the oldest of them.", labels=["status"]
    )
    for status in ("queued", "running"):
        number, seconds = waiting.get(status, (0, 0.0))
        count.add_metric([status], number)
        age.add_metric([status], seconds)
    depth = waiting.get("queued", (0, 0.0))[0]
    yield from (count, age, GaugeMetricFamily("waypool_queue_depth", "Runs that wait.", depth))


def _show_counts(counts: Counts) -> Iterable[Metric]:
    for name, text, labels in _COUNTERS:
        counter = CounterMetricFamily(f"waypool_{name}", text, labels=labels)
        for found, value in counts.get(name, ()):
            counter.add_metric([found.get(label, "") for label in labels], value)
        yield counter
    for name, text, labels in _HISTOGRAMS:
        yield _show_histogram(name, text, labels, counts)


def _show_histogram(name: str, text: str, labels: tuple[str, ...], counts: Counts) -> Metric:
    family = HistogramMetricFamily(f"waypool_{name}", text, labels=labels)
    for found, total in counts.get(f"{name}_sum", ()):
        mine = [
            (bucket["le"], value)
            for bucket, value in counts.get(f"{name}_bucket", ())
            if all(bucket.get(label) == found.get(label) for label in labels)
        ]
        buckets = sorted(mine, key=lambda bucket: float(bucket[0]))
        family.add_metric([found.get(label, "") for label in labels], buckets, total)
    return family
