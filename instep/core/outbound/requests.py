"""A whole answer from an address that the operator has named, within the client's time."""

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass

from httpcore2 import Request, Response

from instep.core.outbound.client import OutboundClient, RequestFailed, begin, failures, read_url, request_of
from instep.core.outbound.streams import CappedStream, TooMuch
from instep.core.outbound.urls import Url

TOO_LARGE = "The answer is too large."


@dataclass(frozen=True, slots=True)
class RawResponse:
    """An answer, whichever its status; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


async def send_request(
    client: OutboundClient, url: str, body: bytes, headers: Mapping[str, str], most: int
) -> RawResponse:
    """Post to an address and read the whole answer, or raise `RequestFailed`.

    The address is vetted as for `Caller.post`. No redirect is followed, nothing decoded, no connection kept,
    and no proxy of the environment is used. The time limit is the client's.
    """
    target = read_url(url)
    return await answered(client, target, request_of(target, url, body, headers), most)


async def fetch(client: OutboundClient, url: str, headers: Mapping[str, str], most: int) -> RawResponse:
    """Get an address in the same way, and under the same guard."""
    target = read_url(url)
    return await answered(client, target, request_of(target, url, b"", headers, "GET"), most)


async def answered(client: OutboundClient, target: Url, request: Request, most: int) -> RawResponse:
    streams = await client.open(target, client.trust if target.scheme == "https" else None)
    async with aclosing(CappedStream(*streams, most)) as stream:
        response = await begin(stream, request)
        return RawResponse(response.status, headers_of(response), await read_body(stream, response))


def headers_of(response: Response) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}


async def read_body(stream: CappedStream, response: Response) -> bytes:
    with failures(stream):
        try:
            async with aclosing(response.aiter_stream()) as chunks:
                return b"".join([chunk async for chunk in chunks])
        except TooMuch:
            raise RequestFailed(TOO_LARGE) from None
