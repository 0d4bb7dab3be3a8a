"""Entity tags of resources, for `If-None-Match` and `If-Match` (RFC 9110 section 13.1)."""

import hashlib

from instep.platform.core.errors import Conflict


def etag_of(*state: object) -> str:
    return '"' + hashlib.sha256(repr(state).encode()).hexdigest()[:24] + '"'


def matches_any_etag(etag: str, header: str) -> bool:
    return header.strip() == "*" or etag in (part.strip().removeprefix("W/") for part in header.split(","))


def refuse_stale(if_match: str | None, etag: str) -> None:
    if if_match is not None and not matches_any_etag(etag, if_match):
        raise Conflict
