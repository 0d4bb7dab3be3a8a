"""Requests to another product's API through the outbound guard: paging, waiting for rate limits, saving."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, fetch
from instep.transfer.imports.tree.json_values import load_json
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.tree.url_parts import joined_url, split_url

Headers = Mapping[str, str]
JSON_HEADERS = {"Accept": "application/json", "User-Agent": "instep"}
# Statuses after which the same request may succeed later.
PASSING = {429, 500, 502, 503, 504}
OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 200, 401, 403, 404
FILE_NAME = re.compile(r"[\w-][\w.-]{0,100}")


@dataclass(slots=True)
class Api:
    """One product's API; its responses are saved below `folder`.

    `base` is its URL without a trailing slash; `headers` contain the credentials, which are sent nowhere
    else. `tell` receives a sentence about each step. `wait` takes seconds.
    """

    client: OutboundClient
    title: str
    key_hint: str
    base: str
    headers: Headers
    folder: Path
    tell: Callable[[str], None]
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep
    bytes_left: int = field(default_factory=lambda: limits.MAX_IMPORT_FETCHED_BYTES)
    requests_left: int = field(default_factory=lambda: limits.MAX_IMPORT_REQUESTS)

    async def get(self, path: str) -> Any:
        """The JSON at a path below `base`, or at a URL of the same origin; raises `UnreadableSource`."""
        response = await self.request(self.url_of(path))
        if response.status == FORBIDDEN:
            raise self.refusal()
        if response.status == NOT_FOUND:
            raise UnreadableSource(
                f"{self.title} has nothing at {self.url_of(path)}: check the URL of the help center."
            )
        return self.read(response)

    async def find(self, path: str) -> Any:
        """Like `get`; None if the account doesn't have it or the key can't read it."""
        response = await self.request(self.url_of(path))
        return None if response.status in (FORBIDDEN, NOT_FOUND) else self.read(response)

    def read(self, response: RawResponse) -> Any:
        try:
            return load_json(response.body)
        except (ValueError, RecursionError):
            raise UnreadableSource(
                f"{self.base} does not respond with JSON: check the URL of the help center."
            ) from None

    def refusal(self) -> UnreadableSource:
        return UnreadableSource(
            f"{self.title} does not accept the key: set INSTEP_IMPORT_KEY to {self.key_hint}."
        )

    async def request(self, url: str) -> RawResponse:
        """A response with status 200, 403 or 404; waits for rate limits, up to our own limit."""
        pause, seconds_left = 0.0, limits.MAX_IMPORT_WAIT_SECONDS
        for attempt in range(limits.MAX_IMPORT_RETRIES + 1):
            response = await self.try_request(url)
            if response is not None and response.status not in PASSING:
                return self.checked(response, url)
            retry_after = response.retry_after if response else None
            pause = float(2**attempt) if retry_after is None else retry_after
            seconds = min(pause, seconds_left)
            if not seconds_left or attempt == limits.MAX_IMPORT_RETRIES:
                break
            self.tell(f"{self.title}: no response yet, retrying in {seconds:,.0f} seconds")
            await self.wait(seconds)
            seconds_left -= seconds
        is_long = pause > limits.MAX_IMPORT_WAIT_SECONDS
        later = f"in {pause / 60:,.0f} minutes, as it requests" if is_long else "later"
        raise UnreadableSource(f"{self.title} doesn't respond to {url}: import again {later}.")

    def checked(self, response: RawResponse, url: str) -> RawResponse:
        if response.status == UNAUTHORIZED:
            raise self.refusal()
        if response.status not in (OK, FORBIDDEN, NOT_FOUND):
            raise UnreadableSource(f"{self.title} responds to {url} with status {response.status}.")
        return response

    def count_request(self) -> None:
        """Refuse a request beyond the limits of one import."""
        if not self.requests_left or self.bytes_left <= 0:
            raise UnreadableSource(
                f"{self.title} has more content than one import can fetch: save its pages as files and "
                "import those."
            )
        self.requests_left -= 1

    async def try_request(self, url: str) -> RawResponse | None:
        self.count_request()
        try:
            async with asyncio.timeout(limits.IMPORT_REQUEST_SECONDS):
                response = await fetch(
                    self.client, url, {**JSON_HEADERS, **self.headers}, limits.MAX_IMPORT_RESPONSE_BYTES
                )
        except (TimeoutError, RequestFailed):
            return None
        self.bytes_left -= len(response.body)
        return response

    def url_of(self, path: str) -> str:
        """The full URL; refused on another origin, which must not get the credentials."""
        address = self.base + path if path.startswith("/") else joined_url(f"{self.base}/", path)
        url = request_url(address or path)
        if split_url(url)[:2] != urlsplit(self.base)[:2]:
            raise UnreadableSource(f"{self.title} refers to {url}, which is outside {self.base}.")
        return url

    async def pages(self, path: str, next_path: Callable[[Any], str | None]) -> AsyncIterator[Any]:
        """The pages of a list; `next_path` reads the path of the next page from a page."""
        seen = set[str]()
        following: str | None = path
        while following and following not in seen:
            seen.add(following)
            page = await self.get(following)
            yield page
            following = next_path(page)

    async def save_pages(self, name: str, path: str, next_path: Callable[[Any], str | None]) -> list[Any]:
        """Save each page of a list as `NAME-1.json` and so on; return the pages."""
        saved = list[Any]()
        async for page in self.pages(path, next_path):
            saved.append(page)
            self.save(f"{name}-{len(saved)}.json", page)
            self.tell(f"{self.title}: {name}, page {len(saved)}")
        return saved

    def save(self, name: str, document: Any) -> None:
        """Save a document as a file; its name may contain an id from the product, but no path."""
        if not FILE_NAME.fullmatch(name):
            raise UnreadableSource(f"{self.title} returned an id that can't be used: {name[:100]}.")
        (self.folder / name).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def basic(credentials: str) -> Headers:
    """HTTP Basic credentials: the user and the password, separated by a colon (RFC 7617)."""
    return {"Authorization": f"Basic {b64encode(credentials.encode()).decode()}"}


def bearer(token: str) -> Headers:
    return {"Authorization": f"Bearer {token}"}


def object_fields(page: Any) -> dict[str, Any]:
    """The fields of a response; none if it is not an object."""
    return page if isinstance(page, dict) else {}


def request_url(url: str) -> str:
    """The URL as requested (RFC 3986): without its fragment, and with invalid characters encoded."""
    return quote(url.partition("#")[0], safe="%/:?&=+,;@!$'()*~")


@dataclass(frozen=True, slots=True)
class Fetcher:
    """The API of a product; `name` is the name of the reader for the saved files.

    `base` returns the API's URL for a URL that a person entered, or None if the URL isn't one of the
    product's. `headers` turns the key into the credentials of a request; `key_hint` describes the key.
    `fetch` saves everything through its `Api`. A product that everyone can read needs no key.
    """

    name: str
    title: str
    key_hint: str
    base: Callable[[str], str | None]
    headers: Callable[[str], Headers]
    fetch: Callable[[Api], Awaitable[None]]
    needs_key: bool = True
