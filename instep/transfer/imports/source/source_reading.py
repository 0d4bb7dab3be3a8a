"""Reads a source in a process that can be killed, because sources are untrusted data."""

import asyncio
import re
from dataclasses import dataclass, replace
from pathlib import Path

from instep.platform.core import limits
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, fetch
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.text.slugs import slugify
from instep.transfer.imports.source.formats import tree_of_files
from instep.transfer.imports.source.source_files import OpenedFiles, open_archive, open_folder
from instep.transfer.imports.tree.schemas import Tree, UnreadableSource
from instep.transfer.imports.tree.url_parts import joined_url, split_url

# A suffix that may differ when the same source is sent again: a number, a date, a branch or a commit.
VERSION = re.compile(r"v?\d+|main|master|export|[0-9a-f]{7,40}")
TOO_COSTLY = "Reading this source takes too much time or memory: import it in parts."
MOVED = {301, 302, 303, 307, 308}


@dataclass(frozen=True, slots=True)
class Source:
    """A local folder, or the bytes of an archive, with its name.

    `site` is the address of its site, if known.
    """

    name: str
    folder: Path | None = None
    archive: bytes = b""
    site: str | None = None

    def open(self) -> OpenedFiles:
        """The files; raises `UnreadableSource`."""
        return open_folder(self.folder) if self.folder else open_archive(self.archive, self.name)


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A tree, and the stable name of its source."""

    tree: Tree
    source: str

    @property
    def keys(self) -> list[str]:
        return [page.key for page in self.tree.pages]


async def read_source(source: Source, format: str | None) -> ReadSource:
    """Read the tree of a source; raises `UnreadableSource` with a sentence that says what to do."""
    try:
        return await run_with_timeout(read_now, source, format, seconds=limits.MAX_IMPORT_SECONDS)
    except TimeLimitExceeded:
        raise UnreadableSource(TOO_COSTLY) from None


def read_now(source: Source, format: str | None) -> ReadSource:
    files = source.open()
    tree = tree_of_files(files, format)
    tree = replace(tree, losses=(*files.all_losses(), *tree.losses))
    return ReadSource(tree, lasting_name(tree, files.root or source.name))


def lasting_name(tree: Tree, name: str) -> str:
    """The stable name of a source across imports: its format with its site, or else with its name.

    `docs`, `docs-main.zip` and `docs-2026-11-22 (2).zip` get the same name.
    """
    site = next((split_url(site).netloc for site in tree.sites if "://" in site), None)
    slug = slugify(Path(name).name.removesuffix(".zip"), "source")
    return f"{tree.format}:{site or without_version(slug)}"


def without_version(slug: str) -> str:
    words = slug.split("-")
    while len(words) > 1 and VERSION.fullmatch(words[-1]):
        words.pop()
    return "-".join(words)


async def download_archive(client: OutboundClient, url: str) -> bytes:
    """The bytes of an archive; the URL and all redirects are vetted. Raises `UnreadableSource`."""
    address = url
    for _ in range(limits.MAX_REDIRECT_HOPS):
        response = await get(client, address)
        if response.status in MOVED and response.headers.get("location"):
            next_address = joined_url(address, response.headers["location"])
            if next_address is None:
                raise UnreadableSource(
                    f"{url} redirects to an invalid URL: enter the URL of the archive itself."
                )
            address = next_address
            continue
        if response.status != 200:
            raise UnreadableSource(f"{url} responds with status {response.status}: check the URL.")
        return response.body
    raise UnreadableSource(f"{url} redirects too many times: enter the final URL.")


async def get(client: OutboundClient, url: str) -> RawResponse:
    try:
        async with asyncio.timeout(limits.IMPORT_FETCH_SECONDS):
            return await fetch(client, url, {"User-Agent": "instep"}, limits.MAX_IMPORT_DOWNLOAD_BYTES)
    except TimeoutError:
        raise UnreadableSource(
            f"{url} took longer than {limits.IMPORT_FETCH_SECONDS} seconds: download it and import the file."
        ) from None
    except RequestFailed as error:
        raise UnreadableSource(f"{url} can't be downloaded. {error.message}") from None
