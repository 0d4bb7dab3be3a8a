"""Entity tags of resources, for `If-None-Match` and `If-Match` (RFC 9110 section 13.1)."""

import hashlib
import re

from instep.platform.core.errors import Conflict

# The part of a tag for what is aside.
ASIDE = re.compile(r'\.[0-9a-f]{8}(?=")')


def etag_of(*state: object, aside: object = None) -> str:
    """A tag that changes with the state and with `aside`, whose changes don't make an `If-Match` stale."""
    tag = hashlib.sha256(repr(state).encode()).hexdigest()[:24]
    if aside is not None:
        tag += "." + hashlib.sha256(repr(aside).encode()).hexdigest()[:8]
    return f'"{tag}"'


def matches_any_etag(etag: str, header: str) -> bool:
    return header.strip() == "*" or etag in (part.strip().removeprefix("W/") for part in header.split(","))


def refuse_stale(if_match: str | None, etag: str) -> None:
    if if_match is not None and not matches_any_etag(ASIDE.sub("", etag), ASIDE.sub("", if_match)):
        raise Conflict
