"""Sends spans to the operator's OpenTelemetry collector by OTLP/HTTP, through the guard of outgoing calls."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import structlog

from instep import __version__
from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import send_request
from instep.platform.core.settings import Settings
from instep.platform.core.tracing import Recorder, is_exporting
from instep.platform.llm.factory import allow_only

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter

log = structlog.get_logger("instep.traces")

HEADERS = {"Content-Type": "application/x-protobuf"}


@asynccontextmanager
async def exporting_traces(settings: Settings) -> AsyncIterator[None]:
    """Record spans while the process runs if a collector is set; remaining ones are sent at the end."""
    endpoint = settings.otel_exporter_otlp_endpoint
    if endpoint is None:
        yield
        return
    if find_spec("opentelemetry.sdk") is None:
        # Platforms set this variable for all programs, so it must not keep Instep from starting.
        log.warning("no traces are sent: install Instep with its extra telemetry for them")
        yield
        return
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource({"service.name": "instep", "service.version": __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter_to(f"{endpoint.rstrip('/')}/v1/traces")))
    Recorder.tracer = provider.get_tracer("instep", __version__)
    try:
        yield
    finally:
        Recorder.tracer = None
        await asyncio.to_thread(provider.shutdown)


def exporter_to(url: str) -> "SpanExporter":
    """An exporter that posts batches to a URL; the SDK calls it in its own thread."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Exporter(SpanExporter):
        def export(self, spans: "Sequence[ReadableSpan]") -> SpanExportResult:
            try:
                status = asyncio.run(send_spans(url, encode_spans(spans).SerializeToString()))
            except (RequestFailed, TimeoutError) as error:
                log.warning("spans could not be sent", reason=getattr(error, "message", "It took too long."))
                return SpanExportResult.FAILURE
            if status == 200:
                return SpanExportResult.SUCCESS
            log.warning("spans were refused", status=status)
            return SpanExportResult.FAILURE

    return Exporter()


async def send_spans(url: str, body: bytes) -> int:
    """Post encoded spans; return the status. The operator set the address, so it may be private."""
    is_exporting.set(True)
    async with aclosing(OutboundClient(allow_only(url))) as client, asyncio.timeout(limits.OUTBOUND_SECONDS):
        return (await send_request(client, url, body, HEADERS, limits.MAX_RESPONSE_BYTES)).status
