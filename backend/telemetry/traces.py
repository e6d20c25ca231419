"""Sends traces to an OTLP address; loaded only where one is configured, for it takes its time."""

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from backend import __version__


def send_traces(endpoint: str) -> None:
    """From now on in this process, in batches from a thread; what cannot be sent is dropped."""
    resource = Resource({"service.name": "waypool", "service.version": __version__})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
