"""Spans for OpenTelemetry: the names, durations and failures of operations, never contents.

Without a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`) nothing is recorded, and the SDK is not imported.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache

from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer

from instep.platform.core.ids import REQUEST_ID_FIELD, present_request_id

# The verb of a statement, and the first table or function that it names.
VERB = re.compile(r"\s*(\w+)")
TARGET = re.compile(r"\b(?:from|into|update|join)\s+([a-z_]+)")
MAX_STATEMENT_NAMES = 2_000
NO_SPAN: AbstractContextManager[None] = nullcontext()


# Whether the current work sends spans, which would never end if it were recorded itself.
is_exporting: ContextVar[bool] = ContextVar("is_exporting", default=False)


class Recorder:
    """The tracer of this process, if a collector is set."""

    tracer: Tracer | None = None


def span(
    name: str, kind: SpanKind = SpanKind.INTERNAL, **attributes: str | int
) -> AbstractContextManager[Span | None]:
    """Record the block under a name with few possible values, as a child of the current span."""
    if Recorder.tracer is None or is_exporting.get():
        return NO_SPAN
    return recorded(Recorder.tracer, name, kind, attributes)


def statement_span(sql: str) -> AbstractContextManager[Span | None]:
    """Record a statement by its verb and its table, such as `select articles`."""
    if Recorder.tracer is None:
        return NO_SPAN
    attributes: dict[str, str | int] = {"db.system.name": "postgresql"}
    return recorded(Recorder.tracer, statement_name(sql), SpanKind.CLIENT, attributes)


@contextmanager
def recorded(tracer: Tracer, name: str, kind: SpanKind, attributes: dict[str, str | int]) -> Iterator[Span]:
    if request_id := present_request_id():
        attributes = {**attributes, f"instep.{REQUEST_ID_FIELD}": request_id}
    with tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:
            # The message of an error may quote a customer's text, so only its class is recorded.
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise


@lru_cache(MAX_STATEMENT_NAMES)
def statement_name(sql: str) -> str:
    verb, target = VERB.match(sql), TARGET.search(sql)
    return " ".join(match[1].lower() for match in (verb, target) if match) or "statement"
