"""The one way to call out: an address that was vetted, and an answer that is small and in time."""

import asyncio
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass

import httpcore2
from httpcore2 import (
    URL,
    AsyncHTTP11Connection,
    NetworkError,
    RemoteProtocolError,
    Request,
    default_ssl_context,
)

from instep.core import limits
from instep.core.config import SettingsError
from instep.core.outbound.allowed import AllowList, refuse_url
from instep.core.outbound.happy_eyeballs import ConnectError, connect
from instep.core.outbound.lookup import Lookup, NoAddress, Resolver
from instep.core.outbound.streams import CappedStream, TooMuch
from instep.core.outbound.urls import Url, parse_url

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

# The same for what may not be called, does not exist or refuses: nobody learns from it what is inside.
OUT_OF_REACH = "Its host can't be reached."
LATE = f"There was no answer within {limits.OUTBOUND_SECONDS} seconds."
CUT = "The connection was closed before the answer was whole."
NOT_HTTP = "The answer is not valid HTTP/1.1."
TOO_LARGE = "The answer's headers are too large."
NO_TLS = "No encrypted connection came about."


class RequestFailed(Exception):
    """There is no answer; `message` is a sentence for a log."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Response:
    """What a receiver answered, whichever its status; `excerpt` is the beginning of the body as it came."""

    status: int
    excerpt: bytes


class OutboundClient:
    """Calls public addresses, and what the operator's allow-list names besides.

    The system's certificates are trusted, or those of `SSL_CERT_FILE`, unless `trust` says whose are.
    """

    def __init__(
        self, allow: AllowList, lookup: Lookup | None = None, trust: ssl.SSLContext | None = None
    ) -> None:
        self.allow = allow
        self.resolver = Resolver()
        self.lookup = lookup or self.resolver.find_addresses
        self.trust = trust or trusted()
        self.trust.set_alpn_protocols(["http/1.1"])

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Post to an address and read the beginning of the answer, or raise `RequestFailed`.

        All of it together ends after `limits.OUTBOUND_SECONDS`. An answer whose headers came in time counts,
        however long its body takes. No redirect is followed, nothing decoded, no connection kept.
        """
        response, excerpt = None, bytearray()
        try:
            async with asyncio.timeout(limits.OUTBOUND_SECONDS):
                target = read_url(url)
                streams = await self.open(target, self.trust if target.scheme == "https" else None)
                async with aclosing(CappedStream(*streams, limits.MAX_RESPONSE_WIRE_BYTES)) as stream:
                    response = await begin(stream, request_of(target, url, body, headers))
                    await read_beginning(stream, response, excerpt)
        except TimeoutError:
            pass
        if response is None:
            raise RequestFailed(LATE)
        return Response(response.status, bytes(excerpt))

    async def connect(self, url: Url) -> Streams:
        """A connection to a vetted address of the host, without TLS, as a tunnel needs it.

        The host is refused, looked up, vetted and reached in time as in `post`. Who asked for the connection
        closes its writer, and bounds what goes through.
        """
        try:
            async with asyncio.timeout(limits.OUTBOUND_SECONDS):
                return await self.open(url, None)
        except TimeoutError:
            raise RequestFailed(LATE) from None

    async def open(self, url: Url, tls: ssl.SSLContext | None) -> Streams:
        connected = await self.reach(url)
        try:
            return await asyncio.open_connection(
                sock=connected,
                limit=limits.MAX_RESPONSE_BYTES,
                ssl=tls,
                server_hostname=url.host if tls else None,
            )
        except ssl.SSLCertVerificationError as error:
            raise RequestFailed(f"Its certificate was refused: {error.verify_message}.") from None
        except OSError:
            raise RequestFailed(NO_TLS) from None

    async def reach(self, url: Url) -> socket.socket:
        """A socket connected to one of the host's addresses: one look-up, and all of them were vetted."""
        refuse(url, self.allow)
        try:
            addresses = [url.address] if url.address else await self.lookup(url.host)
            if all(self.allow.permits(address, url.host) for address in addresses):
                return await connect(addresses, url.port)
        except (NoAddress, ConnectError):
            pass
        raise RequestFailed(OUT_OF_REACH)

    async def aclose(self) -> None:
        await self.resolver.aclose()


def trusted() -> ssl.SSLContext:
    """The system's certificates, or those of `SSL_CERT_FILE`; `SettingsError` where they can't be read."""
    try:
        return default_ssl_context()
    except OSError as error:
        raise SettingsError(f"SSL_CERT_FILE: the certificates can't be read: {error}") from None


def read_url(text: str) -> Url:
    try:
        return parse_url(text)
    except ValueError:
        raise RequestFailed(OUT_OF_REACH) from None


def refuse(url: Url, allow: AllowList) -> None:
    try:
        refuse_url(url, allow)
    except ValueError:
        raise RequestFailed(OUT_OF_REACH) from None


def request_of(
    target: Url, url: str, body: bytes, headers: Mapping[str, str], method: str = "POST"
) -> Request:
    behind_scheme = url.partition("://")[2]
    authority = re.split(r"[/?]", behind_scheme, maxsplit=1)[0]
    path = behind_scheme.removeprefix(authority)
    default_headers = {
        "Host": authority.lower(),
        **({"Content-Length": str(len(body))} if method == "POST" else {}),
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    where = URL(
        scheme=target.scheme,
        host=target.host,
        port=target.port,
        target=path if path.startswith("/") else f"/{path}",
    )
    return Request(method, where, headers=[*default_headers.items(), *headers.items()], content=body)


async def begin(stream: CappedStream, request: Request) -> httpcore2.Response:
    """Send the request and read the answer's headers."""
    with failures(stream):
        try:
            return await AsyncHTTP11Connection(request.url.origin, stream).handle_async_request(request)
        except TooMuch:
            raise RequestFailed(TOO_LARGE) from None


async def read_beginning(stream: CappedStream, response: httpcore2.Response, excerpt: bytearray) -> None:
    """Read so much of the body as anybody may send, and keep its beginning."""
    length = 0
    with failures(stream), suppress(TooMuch):
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
        raise RequestFailed(CUT) from None
    except RemoteProtocolError:
        raise RequestFailed(CUT if stream.is_at_end else NOT_HTTP) from None
