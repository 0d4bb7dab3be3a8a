"""Origins of web pages: scheme, host and port, compared after parsing (RFC 6454)."""

import re
from urllib.parse import urlsplit

from instep.platform.core.outbound.urls import BRACKETED, LAST_PORT, NAMED, WEB_PORTS, is_name, parse_address

SHAPE = re.compile(rf"(https?)://({NAMED}|{BRACKETED})(?::([1-9][0-9]{{0,4}}))?", re.ASCII | re.IGNORECASE)


def valid_origin(text: str) -> str:
    """The canonical form of an origin: in lower case, without the default port of its scheme.

    Raises `ValueError` with the end of a sentence that begins with its name.
    """
    match = SHAPE.fullmatch(text)
    if match is None:
        raise ValueError("it must be a scheme, a host and, if needed, a port, such as https://example.com")
    scheme, host = match[1].lower(), match[2].lower()
    address = parse_address(host)
    if address is None and not is_name(host):
        raise ValueError("its host must be a name such as example.com, or an IP address in its usual form")
    port = int(match[3] or WEB_PORTS[scheme])
    if port > LAST_PORT:
        raise ValueError(f"its port must be from 1 to {LAST_PORT}")
    canonical_host = f"[{address}]" if address is not None and address.version == 6 else str(address or host)
    return f"{scheme}://{canonical_host}" + ("" if port == WEB_PORTS[scheme] else f":{port}")


def parsed_origin(text: str) -> str | None:
    """The canonical form of an `Origin` header; None for values such as `null`."""
    try:
        return valid_origin(text)
    except ValueError:
        return None


def origin_of(url: str) -> str | None:
    """The origin of pages at this URL."""
    parts = urlsplit(url)
    return parsed_origin(f"{parts.scheme}://{parts.netloc}")
