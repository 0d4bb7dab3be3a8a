"""Requests whose whole response is read, for URLs of the operator and for metadata documents."""

import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from httpcore2 import Request, Response
from opentelemetry.trace import SpanKind

from instep.platform.core.clock import utc_now
from instep.platform.core.outbound.client import (
    OutboundClient,
    RequestFailed,
    failures,
    read_url,
    request_of,
    send,
)
from instep.platform.core.outbound.streams import CappedStream, ReadLimitExceeded
from instep.platform.core.outbound.urls import Url
from instep.platform.core.tracing import span

TOO_LARGE = "The answer is too large."
SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")

# Gets the status of a response and each next part of its body.
OnChunk = Callable[[int, bytes], None]


@dataclass(frozen=True, slots=True)
class RawResponse:
    """A response with any status; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def retry_after(self) -> float | None:
        """The seconds that `Retry-After` asks to wait, by a number or a date (RFC 9110 section 10.2.3)."""
        text = self.headers.get("retry-after", "")
        if SECONDS.fullmatch(text):
            return float(text)
        try:
            return max(0.0, (parsedate_to_datetime(text) - utc_now()).total_seconds())
        except (OverflowError, TypeError, ValueError):
            return None


async def send_request(
    client: OutboundClient,
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    max_bytes: int,
    on_chunk: OnChunk | None = None,
    method: str = "POST",
) -> RawResponse:
    """Send a body to a URL and read a response of at most `max_bytes`; raises `RequestFailed`.

    The URL is vetted as in `OutboundClient.post`. Redirects are not followed, bodies not decoded, connections
    not reused, and proxies of the environment not used. The caller limits the time. `on_chunk` gets the parts
    of the body as they arrive.
    """
    target = read_url(url)
    request = request_of(target, url, body, headers, method)
    return await exchange(client, target, request, max_bytes, on_chunk)


async def fetch(client: OutboundClient, url: str, headers: Mapping[str, str], max_bytes: int) -> RawResponse:
    """Get a URL under the same rules as `send_request`."""
    target = read_url(url)
    return await exchange(client, target, request_of(target, url, b"", headers, "GET"), max_bytes)


async def exchange(
    client: OutboundClient,
    target: Url,
    request: Request,
    max_bytes: int,
    on_chunk: OnChunk | None = None,
) -> RawResponse:
    with span(request.method.decode(), SpanKind.CLIENT) as recorded_span:
        streams = await client.open(target, client.trust if target.scheme == "https" else None)
        async with aclosing(CappedStream(*streams, max_bytes)) as stream:
            response = await send(stream, request)
            if recorded_span:
                recorded_span.set_attribute("http.response.status_code", response.status)
            body = await read_body(stream, response, on_chunk)
            return RawResponse(response.status, headers_of(response), body)


def headers_of(response: Response) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}


async def read_body(stream: CappedStream, response: Response, on_chunk: OnChunk | None = None) -> bytes:
    body = bytearray()
    with failures(stream):
        try:
            async with aclosing(response.aiter_stream()) as chunks:
                async for chunk in chunks:
                    body += chunk
                    if on_chunk is not None:
                        on_chunk(response.status, chunk)
        except ReadLimitExceeded:
            raise RequestFailed(TOO_LARGE) from None
    return bytes(body)
