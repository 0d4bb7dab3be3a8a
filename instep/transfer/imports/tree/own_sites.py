"""Finds the sites of a source if its configuration doesn't contain them."""

import re
from collections import Counter
from collections.abc import Iterable

from instep.transfer.imports.tree.schemas import ImportedPage

# A URL, or the path of a link from the root of the site, whose host is empty.
_URL = re.compile(r"(https?://[\w.-]+(?::\d+)?|(?:(?<=\]\()|(?<=href=\"))(?=/\w))(/[\w./%-]*)?")
# A host is the source's own if at least this many links to it, and half of all, match pages.
_MIN_LINKS = 3


def own_sites(pages: Iterable[ImportedPage]) -> tuple[str, ...]:
    """The hosts with their base path to which texts link with the addresses of the source's pages.

    A base path has no host before it if texts link to it from the root of the site.
    """
    rows = list(pages)
    addresses = {_bare(page.address) for page in rows if page.address and page.address.count("/") > 1}
    all_links: Counter[tuple[str, str]] = Counter()
    own_links: Counter[tuple[str, str]] = Counter()
    for page in rows:
        for host, path in _URL.findall(page.markdown):
            base = "/".join(path.split("/")[:2])
            for below in dict.fromkeys(("", base)):
                all_links[host, below] += 1
                own_links[host, below] += _bare(path.removeprefix(below)) in addresses
    sites: dict[str, str] = {}
    for (host, base), count in own_links.most_common():
        if count >= _MIN_LINKS and count * 2 >= all_links[host, base]:
            sites.setdefault(host, base)
    return tuple(sorted(host + base for host, base in sites.items() if host + base))


def _bare(path: str) -> str:
    return path.rstrip("/.").removesuffix(".html").lower()
