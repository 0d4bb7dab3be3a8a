"""Identifiers: a type prefix and a part that sorts by time. No other module parses them."""

import re
import secrets
import time
import uuid

from structlog.contextvars import get_contextvars

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
# Two letters for each number of ten bits: every request gets an id.
PAIRS = [first + second for first in ALPHABET for second in ALPHABET]
PREFIXES = (
    *("art", "col", "chg", "rev", "task", "wh", "evt", "dlv", "rdr"),
    *("alt", "key", "per", "conv", "msg", "lead", "q", "gold"),
    *("app", "grant", "file", "sup", "prev", "imp", "trust", "fb", "plc", "host", "repo", "pull"),
    *("cmt", "ntc", "rule", "bulk", "part", "api", "ver"),
)
DRAFT_PREFIXES = {"edit": "edit", "new_article": "article", "gap_draft": "gap"}
# Replaces an invalid UUID of a bot: no bot has it.
NO_UUID = uuid.UUID(int=0)
SHAPE = re.compile(rf"(?:{'|'.join((*PREFIXES, 'ws', *DRAFT_PREFIXES.values()))})_[{ALPHABET}]{{26}}")
# The name of the field in log lines.
REQUEST_ID_FIELD = "request_id"
# The form of another system's request id: no spaces or control characters, and short.
FOREIGN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


def new_id(prefix: str) -> str:
    """A new id such as `art_01k…`: 48 bits of Unix time in milliseconds and 82 random bits, in base 32."""
    number = (time.time_ns() // 1_000_000 << 82) | secrets.randbits(82)
    return f"{prefix}_" + "".join([PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)])


def new_uuid() -> uuid.UUID:
    """A new bot id."""
    return uuid.uuid4()


def as_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def looks_like_id(text: str) -> bool:
    """True if a slug looks like an id, which would make a URL ambiguous."""
    return SHAPE.fullmatch(text) is not None or as_uuid(text) is not None


def request_id_from(header: str | None) -> str:
    """The id that a proxy or caller sent in `X-Request-Id` if it is well-formed, else a new one."""
    return header if header and FOREIGN_ID.fullmatch(header) else new_id("req")


def present_request_id() -> str | None:
    """The id of the current request, or of the request that created the running job; None outside of both."""
    request_id: str | None = get_contextvars().get(REQUEST_ID_FIELD)
    return request_id
