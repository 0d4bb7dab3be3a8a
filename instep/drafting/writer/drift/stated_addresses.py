"""Addresses in articles and code: hosts, and paths below them."""

import re
from collections.abc import Iterator

SCHEME = re.compile(r"(?<![a-z+.-])[a-z][a-z+.-]*://")
ADDRESS_ENDS = ".:/?=&+-"
# Hosts that RFC 2606 reserves for documentation and tests.
_SAMPLE_HOST = re.compile(r"(?:^|\.)example\.(?:com|net|org)$|\.(?:example|invalid|test)$")
_PART_BEFORE, _PART_AFTER = re.compile(r"(?:[.@]|(?<!/)/)\Z"), re.compile(r"\.\w")
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?")


def addresses_in(address: str) -> Iterator[str]:
    """The host of an address, and the address up to each of its segments, without its scheme."""
    rest = SCHEME.sub("", address, count=1).rstrip(ADDRESS_ENDS)
    host = rest.partition("/")[0]
    if _HOST.fullmatch(host) and not _SAMPLE_HOST.search(host):
        yield from (rest[:at] for at in range(len(rest)) if rest[at] == "/")
        yield rest


def is_part_of_host(text: str, start: int, end: int) -> bool:
    """True if the host at a span has more labels, or is the name of a folder."""
    return bool(_PART_BEFORE.search(text, max(0, start - 2), start) or _PART_AFTER.match(text, end))


def begins_with_host(name: str) -> bool:
    return bool(_HOST.match(name)) and not name.startswith(".")
