"""What an operator sees of the processes, never with a request's or result's content.

Logs are one line an event on standard error, with the run and the tenant it is about; traces go to
an OTLP address where one is configured.
"""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from backend import __version__
from backend.settings import LogFormat

_RUN: ContextVar[tuple[str, str] | None] = ContextVar("run", default=None)


@contextmanager
def logged_as(run_id: str, tenant: str) -> Iterator[None]:
    """Inside the block, and in tasks begun there, what is logged names this run and tenant."""
    token = _RUN.set((run_id, tenant))
    try:
        yield
    finally:
        _RUN.reset(token)


def set_up_logging(level: str, log_format: LogFormat = "text") -> None:
    """Log Waypool's own events from `level` on; libraries only from warnings on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter() if log_format == "json" else _TextFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("backend").setLevel(level.upper())


class _TextFormatter(logging.Formatter):
    """A line to read, the run and its tenant at its end."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        line, run = super().formatMessage(record), _RUN.get()
        return line if run is None else f"{line} run={run[0]} tenant={run[1]}"


class _JsonFormatter(logging.Formatter):
    """A JSON object a line, for programs that gather logs."""

    def format(self, record: logging.LogRecord) -> str:
        run = _RUN.get()
        values = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "run_id": run[0] if run else None,
            "tenant": run[1] if run else None,
            "error": self.formatException(record.exc_info) if record.exc_info else None,
        }
        kept = {name: value for name, value in values.items() if value is not None}
        return json.dumps(kept, ensure_ascii=False)


def send_traces(endpoint: str) -> None:
    """From now on in this process, in batches from a thread; what cannot be sent is dropped."""
    # The library takes a while to load, and most never need it.
    from opentelemetry import trace  # noqa: PLC0415
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    resource = Resource({"service.name": "waypool", "service.version": __version__})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
