"""The products whose APIs can be read, and the door of `instep import URL`.

fetcher = find_fetcher(url, name)      # None: no URL of a known product
await fetch_source(client, fetcher, url, key, folder, tell)
# `folder` now holds what the reader named `fetcher.name` reads, as if somebody had saved it by hand
"""

from collections.abc import Callable
from pathlib import Path

from instep.core.outbound.client import OutboundClient
from instep.imports.fetchers import freshdesk, help_scout, intercom, zendesk
from instep.imports.fetchers.api import Api
from instep.imports.fetchers.fetcher import Fetcher
from instep.imports.products.addresses import site_of
from instep.imports.tree import UnreadableSource

FETCHERS = (zendesk.FETCHER, intercom.FETCHER, help_scout.FETCHER, freshdesk.FETCHER)


def find_fetcher(url: str, name: str | None = None) -> Fetcher | None:
    """The fetcher of this name, or the one whose product the URL belongs to."""
    if name is not None:
        return next((fetcher for fetcher in FETCHERS if fetcher.name == name), None)
    return next((fetcher for fetcher in FETCHERS if fetcher.base(url) is not None), None)


async def fetch_source(
    client: OutboundClient,
    fetcher: Fetcher,
    url: str,
    key: str | None,
    folder: Path,
    tell: Callable[[str], None],
) -> None:
    """Save everything of a help center below an empty folder; raises `UnreadableSource`.

    `key` is the value of INSTEP_IMPORT_KEY, and never stored. A URL of an unknown host is that of the API
    itself. `tell` gets a sentence about each step.
    """
    if not key or not key.isascii() or not key.isprintable():
        raise UnreadableSource(f"{fetcher.title} needs a key: set INSTEP_IMPORT_KEY to {fetcher.key_hint}.")
    base = fetcher.base(url) or site_of(url)
    if base is None:
        raise UnreadableSource(f"{url} is no address of {fetcher.title}: write it with https://.")
    api = Api(client, fetcher.title, fetcher.key_hint, base, fetcher.headers(key), folder, tell)
    await fetcher.fetch(api)
