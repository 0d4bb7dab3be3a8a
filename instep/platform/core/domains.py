"""Host names in canonical form: lower case, ASCII (IDNA 2008 after the UTS 46 mapping), no trailing dot."""

import re

import idna

from instep.platform.core.outbound.urls import HOME_NAMES, MAX_NAME_CHARACTERS

# A fast path without tables: ASCII names whose last label is not a number as in IP addresses.
PLAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d)[a-z0-9-]{2,63}")
PORT = re.compile(r":\d{1,5}$")


def valid_domain(text: str) -> str:
    """The canonical form of a host name; raises `ValueError` with the end of a sentence."""
    try:
        domain = idna.encode(text.strip().removesuffix("."), uts46=True).decode().lower()
    except (idna.IDNAError, UnicodeError):
        domain = ""
    if len(domain) > MAX_NAME_CHARACTERS or not PLAIN.fullmatch(domain):
        raise ValueError("it must be a host name such as help.example.com, without https:// and path")
    if any(domain.endswith(f".{name}") for name in HOME_NAMES):
        raise ValueError("names that exist only in a local network can't be used")
    return domain


def domain_or_none(host: str) -> str | None:
    """The domain in a `Host` header; None for IP addresses, single labels and invalid names."""
    name = PORT.sub("", host.lower()).removesuffix(".")
    return name if len(name) <= MAX_NAME_CHARACTERS and PLAIN.fullmatch(name) else None
