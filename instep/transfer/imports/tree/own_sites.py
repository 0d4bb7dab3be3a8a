"""Finds the sites of a source if its configuration doesn't contain them."""

import re
from collections import Counter
from collections.abc import Iterable

from instep.transfer.imports.tree.folders import locale_of_name
from instep.transfer.imports.tree.schemas import ImportedPage

# A URL, or the path of a link from the root of the site, whose host is empty.
_URL = re.compile(r"(https?://[\w.-]+(?::\d+)?|(?:(?<=\]\()|(?<=href=\"))(?=/\w))(/[\w./%-]*)?")
# A host is the source's own if at least this many links to it, and half of all, match pages.
_MIN_LINKS = 3
_VERSION = re.compile(r"v?\d[\w.]*")


def own_sites(pages: Iterable[ImportedPage]) -> tuple[str, ...]:
    """The hosts with their base path to which texts link with the addresses of the source's pages.

    A base path has no host before it if at least half of the links from the root of the site match pages with
    it. It is no other language or version of the pages.
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
        if not host and (locale_of_name(base[1:]) or _VERSION.fullmatch(base[1:])):
            continue
        if count >= _MIN_LINKS and count * 2 >= all_links[host, base if host else ""]:
            sites.setdefault(host, base)
    return tuple(sorted(host + base for host, base in sites.items() if host + base))


def _bare(path: str) -> str:
    return path.rstrip("/.").removesuffix(".html").lower()
