"""Saves the images and downloads in API responses immediately, because their URLs expire."""

import asyncio
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from instep.platform.core import limits
from instep.platform.core.outbound.client import RequestFailed
from instep.platform.core.outbound.requests import RawResponse, fetch
from instep.transfer.imports.fetchers.product_api import Api, request_url
from instep.transfer.imports.products.html_texts import SAVED_FILES
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.tree.url_parts import joined_url, split_url

FOLDER = "files"
IMAGE = re.compile(r"<img\b[^<>]*?\bsrc\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
LINK = re.compile(r"<a\b[^<>]*?\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}")
# Fields of attachments that no text shows.
FILE_FIELDS = ("content_url", "attachment_url")
REDIRECTS = {301, 302, 303, 307, 308}


@dataclass(slots=True)
class FileSaver:
    """Saves files below `files/`; `entries` contain the path for each URL, or the reason it has none."""

    api: Api
    entries: dict[str, str | dict[str, str]] = field(default_factory=dict)

    async def save_all(self, urls: Iterable[str]) -> None:
        waiting = iter(list(dict.fromkeys(urls)))
        (self.api.folder / FOLDER).mkdir(exist_ok=True)
        async with asyncio.TaskGroup() as group:
            for _ in range(limits.MAX_CONCURRENT_IMPORT_FETCHES):
                group.create_task(self.save_some(waiting))
        text = json.dumps(self.entries, ensure_ascii=False, indent=1, sort_keys=True)
        (self.api.folder / SAVED_FILES).write_text(text, encoding="utf-8")

    async def save_some(self, waiting: Iterator[str]) -> None:
        for url in waiting:
            self.entries[url] = await self.save(url)
            self.api.tell(f"{self.api.title}: images and downloads, {len(self.entries)}")

    async def save(self, url: str) -> str | dict[str, str]:
        address = joined_url(f"{self.api.base}/", url)
        if address is None:
            return {"error": "its URL is invalid"}
        try:
            response = await self.follow(request_url(address))
        except (TimeoutError, RequestFailed):
            return {"error": "its URL can't be reached, or it is too large"}
        if response.status != 200:
            return {"error": f"its URL responds with status {response.status}"}
        name = hashlib.sha256(url.encode()).hexdigest()[:32] + extension_of(url)
        (self.api.folder / FOLDER / name).write_bytes(response.body)
        return f"{FOLDER}/{name}"

    async def follow(self, url: str) -> RawResponse:
        """The response after a few redirects; only the API's own host gets the credentials."""
        for _ in range(limits.MAX_IMPORT_FILE_REDIRECTS + 1):
            self.api.count_request()
            is_own = split_url(url)[:2] == urlsplit(self.api.base)[:2]
            async with asyncio.timeout(limits.IMPORT_REQUEST_SECONDS):
                response = await fetch(
                    self.api.client, url, self.api.headers if is_own else {}, limits.MAX_FETCHED_FILE_BYTES
                )
            self.api.bytes_left -= len(response.body)
            if response.status not in REDIRECTS or "location" not in response.headers:
                break
            next_url = joined_url(url, response.headers["location"])
            if next_url is None:
                break
            url = request_url(next_url)
        return response


async def save_files(api: Api, documents: Iterable[Any], downloads: re.Pattern[str]) -> None:
    """Save the images in the documents' texts, and linked files whose URL matches `downloads`."""
    urls = [url for document in documents for url in urls_in(document, downloads)]
    try:
        await FileSaver(api).save_all(urls)
    except ExceptionGroup as group:
        refusals, others = group.split(UnreadableSource)
        if others is not None or refusals is None:
            raise
        raise refusals.exceptions[0] from None


def urls_in(value: Any, downloads: re.Pattern[str], name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from urls_in(inner, downloads, key)
    elif isinstance(value, list):
        for inner in value:
            yield from urls_in(inner, downloads, name)
    elif isinstance(value, str) and name in FILE_FIELDS and is_fetchable(value):
        yield value
    elif isinstance(value, str) and "<" in value:
        yield from filter(is_fetchable, addresses(IMAGE, value))
        yield from (url for url in addresses(LINK, value) if is_fetchable(url) and downloads.search(url))


def addresses(pattern: re.Pattern[str], html: str) -> Iterator[str]:
    return (unescape(match[1] or match[2] or "").strip() for match in pattern.finditer(html))


def is_fetchable(url: str) -> bool:
    return url.startswith(("https://", "http://", "/")) and len(url) <= limits.MAX_SOURCE_URL_CHARACTERS


def extension_of(url: str) -> str:
    extension = PurePosixPath(split_url(url).path).suffix
    return extension.lower() if EXTENSION.fullmatch(extension) else ""
