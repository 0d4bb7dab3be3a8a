"""Sends requests to the API of a code host: through the outbound guard, bounded, respecting rate limits."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

from cachetools import LRUCache

from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, fetch, send_request

PAGE_SIZE = 100
# A larger number of seconds is a Unix time, not a duration.
MAX_WAIT_NUMBER = 1_000_000_000


class HostRefused(Exception):
    """The code host refuses permanently; `message` is a sentence for people."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class HostBusy(Exception):
    """The code host requires a wait before the next request."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"wait {wait}")
        self.wait = wait


class HostFailed(Exception):
    """The code host fails temporarily; `message` is a sentence for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def size_of_response(response: RawResponse) -> int:
    return len(response.body)


# By the digest of the URL and the headers, which contain the token.
earlier_responses: LRUCache[bytes, RawResponse] = LRUCache(
    limits.MAX_KEPT_RESPONSES_BYTES, getsizeof=size_of_response
)


@dataclass(frozen=True, slots=True)
class HostApi:
    """The API of one code host with one token; `name` is the host's name in messages."""

    client: OutboundClient
    name: str
    base: str
    headers: Mapping[str, str] = field(repr=False)

    async def get_json(self, path: str) -> Any:
        return self._read_json(await self.get(path))

    async def find_json(self, path: str) -> Any:
        """The JSON at a path; None if there is none."""
        try:
            return await self.get_json(path)
        except HostRefused as refusal:
            if refusal.status != 404:
                raise
        return None

    async def post_json(self, path: str, body: Any = None, method: str = "POST") -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        headers = {**self.headers, "Content-Type": "application/json"}
        try:
            async with asyncio.timeout(limits.CODE_HOST_REQUEST_SECONDS):
                response = await send_request(
                    self.client,
                    self._url(path),
                    content,
                    headers,
                    limits.MAX_CODE_HOST_RESPONSE_BYTES,
                    method=method,
                )
        except (TimeoutError, RequestFailed) as failure:
            raise self._failed(failure) from None
        return self._read_json(self._checked(response))

    async def pages(self, path: str) -> AsyncIterator[Any]:
        """Yield each page of a list; the next one is linked in the `Link` header or in `next`."""
        for _ in range(limits.MAX_CODE_HOST_PAGES):
            response = await self.get(path)
            page = self._read_json(response)
            yield page
            following = next_link(response.headers.get("link", ""))
            following = page.get("next") if following is None and isinstance(page, dict) else following
            if not isinstance(following, str):
                return
            path = following

    async def get(self, path: str, accept: str | None = None) -> RawResponse:
        """A successful response; redirects are followed only on the same host, because they get the token.

        Raises `HostRefused`, `HostBusy` and `HostFailed`.
        """
        headers = {**self.headers, **({"Accept": accept} if accept else {})}
        url = self._url(path)
        try:
            async with asyncio.timeout(limits.CODE_HOST_REQUEST_SECONDS):
                for _ in range(limits.MAX_CODE_HOST_REDIRECTS + 1):
                    response = await self._fetch(url, headers)
                    if response.status not in (301, 302, 307, 308):
                        return self._checked(response)
                    url = self._url(urljoin(url, response.headers.get("location", "")))
        except (TimeoutError, RequestFailed) as failure:
            raise self._failed(failure) from None
        raise HostRefused(f"{self.name} redirects too many times.")

    async def _fetch(self, url: str, headers: Mapping[str, str]) -> RawResponse:
        """The response, or the cached one if the host confirms that it is unchanged (RFC 9110, section 13).

        GitHub does not count such requests toward its rate limit.
        """
        key = hashlib.sha256(json.dumps([url, sorted(headers.items())]).encode()).digest()
        earlier = earlier_responses.get(key)
        condition = {"If-None-Match": earlier.headers["etag"]} if earlier else {}
        response = await fetch(
            self.client, url, {**headers, **condition}, limits.MAX_CODE_HOST_RESPONSE_BYTES
        )
        if earlier is not None and response.status == 304:
            return earlier
        is_small = len(response.body) <= limits.MAX_KEPT_RESPONSE_BYTES
        if response.status == 200 and is_small and "etag" in response.headers:
            earlier_responses[key] = response
        return response

    def _url(self, path: str) -> str:
        url = path if "://" in path else f"{self.base}{path}"
        if urlsplit(url)[:2] != urlsplit(self.base)[:2]:
            raise HostRefused(f"{self.name} redirects to another host, to which Instep sends no token.")
        return url

    def _failed(self, failure: Exception) -> HostFailed:
        reason = failure.message if isinstance(failure, RequestFailed) else "It did not respond in time."
        return HostFailed(f"{self.name} can't be reached: {reason}")

    def _checked(self, response: RawResponse) -> RawResponse:
        if response.status < 300:
            return response
        wait = wait_of(response)
        if wait is not None:
            raise HostBusy(min(max(wait, timedelta(seconds=1)), limits.MAX_CODE_HOST_DELAY))
        if response.status >= 500 or response.status == 408:
            raise HostFailed(f"{self.name} responds with status {response.status}.")
        raise HostRefused(self._refusal(response.status), response.status)

    def _refusal(self, status: int) -> str:
        if status == 401:
            return f"{self.name} does not accept the token: it expired or was revoked. Enter a new one."
        if status in (403, 404):
            return (
                f"{self.name} responds with status {status}: it no longer exists, or the token can't read it."
            )
        return f"{self.name} refuses the request with status {status}."

    def _read_json(self, response: RawResponse) -> Any:
        try:
            return json.loads(response.body)
        except (ValueError, RecursionError):
            raise HostFailed(f"{self.name} does not respond with JSON.") from None


def next_link(header: str) -> str | None:
    """The URL of the next page in a `Link` header (RFC 8288); URLs of code hosts contain no commas."""
    for link in header.split(","):
        address, _, parameters = link.partition(";")
        if 'rel="next"' in parameters:
            return address.strip().strip("<>")
    return None


def wait_of(response: RawResponse) -> timedelta | None:
    """The wait that a rate limit requires; None if the response is not a rate limit.

    GitHub answers its primary limit with 403 or 429 and `X-RateLimit-Remaining: 0`, its secondary limits with
    `Retry-After` or only a message (docs.github.com, Rate limits for the REST API).
    """
    headers = response.headers
    if response.status not in (403, 429):
        return None
    if response.retry_after is not None:
        return timedelta(seconds=response.retry_after)
    reset = headers.get("x-ratelimit-reset") or headers.get("ratelimit-reset")
    if reset is not None and (response.status == 429 or headers.get("x-ratelimit-remaining") == "0"):
        return time_until(reset)
    is_secondary = b"secondary rate limit" in response.body[:4_000].lower()
    return limits.CODE_HOST_DELAY if response.status == 429 or is_secondary else None


def time_until(reset: str) -> timedelta:
    """The wait until a rate limit is reset: in seconds, or as a Unix time."""
    if not (reset.isascii() and reset.isdigit() and len(reset) <= 12):
        return limits.CODE_HOST_DELAY
    number = int(reset)
    return timedelta(seconds=number if number < MAX_WAIT_NUMBER else number - time.time())
