"""The products whose APIs can be read, and the entry point of `instep import URL`.

fetcher = find_fetcher(url, name) # None: no URL of a known product await fetch_source(client, fetcher, url,
key, folder, tell) # `folder` now contains the files for the reader named `fetcher.name`, as if saved by hand
"""

from collections.abc import Callable
from pathlib import Path

from instep.platform.core.outbound.client import OutboundClient
from instep.transfer.imports.fetchers import (
    discourse_api,
    freshdesk_api,
    help_scout_api,
    intercom_api,
    zendesk_api,
)
from instep.transfer.imports.fetchers.product_api import Api, Fetcher
from instep.transfer.imports.products.id_addresses import site_of
from instep.transfer.imports.tree.schemas import UnreadableSource

FETCHERS = (
    zendesk_api.FETCHER,
    intercom_api.FETCHER,
    help_scout_api.FETCHER,
    freshdesk_api.FETCHER,
    discourse_api.FETCHER,
)


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

    `key` is the value of INSTEP_IMPORT_KEY and never stored. A URL with an unknown host is taken as the API's
    own. `tell` receives a sentence about each step.
    """
    if (not key and fetcher.needs_key) or (key and not (key.isascii() and key.isprintable())):
        raise UnreadableSource(
            f"{fetcher.title} requires a key: set INSTEP_IMPORT_KEY to {fetcher.key_hint}."
        )
    base = fetcher.base(url) or site_of(url)
    if base is None:
        raise UnreadableSource(f"{url} is not a URL of {fetcher.title}: enter it with https://.")
    api = Api(
        client, fetcher.title, fetcher.key_hint, base, fetcher.headers(key) if key else {}, folder, tell
    )
    await fetcher.fetch(api)
