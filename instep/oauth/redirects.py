"""Where an app gets its answer: over https, or on the person's own computer, and only where it registered."""

import re
from urllib.parse import urlencode

from instep.core import limits
from instep.core.outbound.urls import Url, parse_url

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# A loopback address without its port, which an app can't choose beforehand (RFC 8252 section 7.3).
WITHOUT_PORT = re.compile(r"(http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]+)?(|[/?].*)")


def valid_redirect_uri(text: str) -> str:
    """The address itself, or `ValueError` with the end of a sentence that begins with its name."""
    if len(text) > limits.MAX_REDIRECT_URI_CHARACTERS:
        raise ValueError(f"it is longer than {limits.MAX_REDIRECT_URI_CHARACTERS} characters")
    url = parse_url(text)
    if url.scheme == "http" and not is_loopback(url):
        raise ValueError("it must begin with https://, or lead to http://127.0.0.1 or http://localhost")
    return text


def is_loopback(url: Url) -> bool:
    return url.host in LOOPBACK


def is_registered(sent: str, registered: list[str]) -> bool:
    """Whether it is one of the addresses, sign by sign; on the person's own computer at any port."""
    if sent in registered:
        return True
    try:
        valid_redirect_uri(sent)
    except ValueError:
        return False
    match = WITHOUT_PORT.fullmatch(sent)
    return match is not None and match.groups() in [
        found.groups() for found in map(WITHOUT_PORT.fullmatch, registered) if found
    ]


def with_answer(redirect_uri: str, answer: dict[str, str | None]) -> str:
    """The address with the answer in its query; what it had there stays."""
    sent = urlencode({name: value for name, value in answer.items() if value is not None})
    return redirect_uri + ("&" if "?" in redirect_uri else "?") + sent


def origin_for_policy(redirect_uri: str) -> str:
    """How a content security policy names where a form leads; it has no word for an IPv6 address."""
    scheme, _, rest = redirect_uri.partition("://")
    return f"{scheme}:" if rest.startswith("[") else f"{scheme}://{re.split('[/?]', rest, maxsplit=1)[0]}"
