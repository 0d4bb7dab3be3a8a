"""The sites that a source is served from, when its configuration doesn't name them."""

import re
from collections import Counter
from collections.abc import Iterable

from instep.imports.tree import ImportedPage

_URL = re.compile(r"(https?://[\w.-]+(?::\d+)?)(/[\w./%-]*)?")
# A host is the source's own if at least this many links to it, and at least half of all, lead to pages.
_MIN_LINKS = 3


def own_sites(pages: Iterable[ImportedPage]) -> tuple[str, ...]:
    """The hosts to which texts link with the addresses of pages that are here."""
    rows = list(pages)
    addresses = {_bare(page.address) for page in rows if page.address and page.address.count("/") > 1}
    all_links: Counter[str] = Counter()
    own_links: Counter[str] = Counter()
    for page in rows:
        for host, path in _URL.findall(page.markdown):
            all_links[host] += 1
            own_links[host] += _bare(path) in addresses
    return tuple(
        sorted(
            host for host, count in own_links.items() if count >= _MIN_LINKS and count * 2 >= all_links[host]
        )
    )


def _bare(path: str) -> str:
    return path.rstrip("/.").removesuffix(".html").lower()
