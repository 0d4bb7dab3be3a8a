"""The client for all outgoing requests: it vets addresses, and bounds the size and time of responses."""

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache

import httpcore2
from httpcore2 import (
    URL,
    AsyncHTTP11Connection,
    NetworkError,
    RemoteProtocolError,
    Request,
    default_ssl_context,
)
from opentelemetry.trace import SpanKind

from instep.platform.core import limits
from instep.platform.core.config import SettingsError
from instep.platform.core.outbound.allowed import AllowList, refuse_url
from instep.platform.core.outbound.happy_eyeballs import ConnectError, connect
from instep.platform.core.outbound.lookup import Lookup, NoAddress, Resolver
from instep.platform.core.outbound.networks import Address
from instep.platform.core.outbound.streams import CappedStream, ReadLimitExceeded
from instep.platform.core.outbound.urls import Url, parse_url
from instep.platform.core.tracing import span

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

# The message is the same for hosts that are forbidden, missing or refusing, so it reveals no internal hosts.
UNREACHABLE = "Its host can't be reached."
NO_RESPONSE = f"There was no answer within {limits.OUTBOUND_SECONDS} seconds."
INCOMPLETE = "The connection was closed before the answer was complete."
NOT_HTTP = "The answer is not valid HTTP/1.1."
TOO_LARGE = "The answer's headers are too large."
NO_TLS = "The TLS handshake failed."


class RequestFailed(Exception):
    """The request got no valid response; `message` is a sentence for a log."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotConnected(RequestFailed):
    """There was no connection, so nothing was sent."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response with any status; `excerpt` is the start of its body."""

    status: int
    excerpt: bytes


class OutboundClient:
    """Calls public addresses and addresses of the operator's allow-list.

    It trusts the certificates in `trust`, by default the system's or the file of `SSL_CERT_FILE`.
    """

    def __init__(
        self, allow: AllowList, lookup: Lookup | None = None, trust: ssl.SSLContext | None = None
    ) -> None:
        self.allow = allow
        self.resolver = Resolver()
        self.lookup = lookup or self.resolver.find_addresses
        self.trust = trust or trusted_certificates()
        self.trust.set_alpn_protocols(["http/1.1"])

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Post to a URL and read the start of the response; raises `RequestFailed`.

        Everything together ends after `limits.OUTBOUND_SECONDS`; a response whose headers arrived in time is
        returned even if its body did not. Redirects are not followed, bodies not decoded, connections not
        reused.
        """
        with span("POST", SpanKind.CLIENT) as recorded_span:
            response = await self.post_in_time(url, body, headers)
            if recorded_span:
                recorded_span.set_attribute("http.response.status_code", response.status)
            return response

    async def post_in_time(self, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
        response, excerpt = None, bytearray()
        try:
            async with asyncio.timeout(limits.OUTBOUND_SECONDS):
                target = read_url(url)
                streams = await self.open(target, self.trust if target.scheme == "https" else None)
                async with aclosing(CappedStream(*streams, limits.MAX_RESPONSE_WIRE_BYTES)) as stream:
                    response = await send(stream, request_of(target, url, body, headers))
                    await read_excerpt(stream, response, excerpt)
        except TimeoutError:
            pass
        if response is None:
            raise RequestFailed(NO_RESPONSE)
        return Response(response.status, bytes(excerpt))

    async def open(self, url: Url, tls: ssl.SSLContext | None) -> Streams:
        connection = await self.reach(url)
        try:
            return await asyncio.open_connection(
                sock=connection,
                limit=limits.MAX_RESPONSE_BYTES,
                ssl=tls,
                server_hostname=url.host if tls else None,
            )
        except ssl.SSLCertVerificationError as error:
            raise NotConnected(f"Its certificate was refused: {error.verify_message.rstrip('.')}.") from None
        except OSError:
            raise NotConnected(NO_TLS) from None

    async def reach(self, url: Url) -> socket.socket:
        """A socket connected to one of the host's vetted addresses; raises `NotConnected`."""
        try:
            return await connect(await self.vet(url), url.port)
        except ConnectError:
            raise NotConnected(UNREACHABLE) from None

    async def vet(self, url: Url) -> Sequence[Address]:
        """All addresses of the host, by one lookup; raises `NotConnected` if one of them is not allowed.

        Programs with their own HTTP client, such as git, connect to these addresses and look up nothing.
        """
        refuse(url, self.allow)
        try:
            addresses = [url.address] if url.address else await self.lookup(url.host)
        except NoAddress:
            raise NotConnected(UNREACHABLE) from None
        if not all(self.allow.permits(address, url.host) for address in addresses):
            raise NotConnected(UNREACHABLE)
        return addresses

    async def aclose(self) -> None:
        await self.resolver.aclose()


def trusted_certificates() -> ssl.SSLContext:
    """The system's certificates, or those of `SSL_CERT_FILE`; raises `SettingsError`."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    try:
        return read_certificates(file, folder, os.stat(file).st_mtime_ns if file else 0)
    except OSError as error:
        raise SettingsError(f"SSL_CERT_FILE: the certificates can't be read: {error}") from None


# Reading them takes some 30 ms, and jobs and choices of a model open clients of their own.
@lru_cache(maxsize=1)
def read_certificates(file: str | None, folder: str | None, changed_ns: int) -> ssl.SSLContext:
    return default_ssl_context()


def read_url(text: str) -> Url:
    try:
        return parse_url(text)
    except ValueError:
        raise NotConnected(UNREACHABLE) from None


def refuse(url: Url, allow: AllowList) -> None:
    try:
        refuse_url(url, allow)
    except ValueError:
        raise NotConnected(UNREACHABLE) from None


def request_of(
    target: Url, url: str, body: bytes, headers: Mapping[str, str], method: str = "POST"
) -> Request:
    without_scheme = url.partition("://")[2]
    authority = re.split(r"[/?]", without_scheme, maxsplit=1)[0]
    path = without_scheme.removeprefix(authority)
    default_headers = {
        "Host": authority.lower(),
        **({"Content-Length": str(len(body))} if method != "GET" else {}),
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    request_url = URL(
        scheme=target.scheme,
        host=target.host,
        port=target.port,
        target=path if path.startswith("/") else f"/{path}",
    )
    return Request(method, request_url, headers=[*default_headers.items(), *headers.items()], content=body)


async def send(stream: CappedStream, request: Request) -> httpcore2.Response:
    """Send the request and read the response's headers."""
    with failures(stream):
        try:
            return await AsyncHTTP11Connection(request.url.origin, stream).handle_async_request(request)
        except ReadLimitExceeded:
            raise RequestFailed(TOO_LARGE) from None


async def read_excerpt(stream: CappedStream, response: httpcore2.Response, excerpt: bytearray) -> None:
    """Read the body up to its limit, and keep its start in `excerpt`."""
    length = 0
    with failures(stream), suppress(ReadLimitExceeded):
        async with aclosing(response.aiter_stream()) as chunks:
            async for chunk in chunks:
                excerpt += chunk[: limits.RESPONSE_EXCERPT_BYTES - len(excerpt)]
                length += len(chunk)
                if length >= limits.MAX_RESPONSE_BYTES:
                    break


@contextmanager
def failures(stream: CappedStream) -> Iterator[None]:
    try:
        yield
    except NetworkError:
        raise RequestFailed(INCOMPLETE) from None
    except RemoteProtocolError:
        raise RequestFailed(INCOMPLETE if stream.is_at_end else NOT_HTTP) from None
