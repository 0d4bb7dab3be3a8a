"""Redirect URIs: https, or loopback on the person's computer, and registered by the app."""

import re
from urllib.parse import urlencode

from instep.core import limits
from instep.core.outbound.urls import Url, parse_url

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# A loopback URI without its port, which an app can't choose in advance (RFC 8252 section 7.3).
WITHOUT_PORT = re.compile(r"(http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]+)?(|[/?].*)")


def valid_redirect_uri(text: str) -> str:
    """The URI unchanged; raises `ValueError` with a clause that follows the field's name."""
    if len(text) > limits.MAX_REDIRECT_URI_CHARACTERS:
        raise ValueError(f"it is longer than {limits.MAX_REDIRECT_URI_CHARACTERS} characters")
    url = parse_url(text)
    if url.scheme == "http" and not is_loopback(url):
        raise ValueError("it must begin with https://, or lead to http://127.0.0.1 or http://localhost")
    return text


def is_loopback(url: Url) -> bool:
    return url.host in LOOPBACK


def is_registered(redirect_uri: str, registered_uris: list[str]) -> bool:
    """Whether the URI is registered, compared as a string; a loopback URI may have any port."""
    if redirect_uri in registered_uris:
        return True
    try:
        valid_redirect_uri(redirect_uri)
    except ValueError:
        return False
    match = WITHOUT_PORT.fullmatch(redirect_uri)
    return match is not None and match.groups() in [
        loopback.groups() for loopback in map(WITHOUT_PORT.fullmatch, registered_uris) if loopback
    ]


def with_response(redirect_uri: str, response: dict[str, str | None]) -> str:
    """The URI with the response parameters added to its query."""
    parameters = urlencode({name: value for name, value in response.items() if value is not None})
    return redirect_uri + ("&" if "?" in redirect_uri else "?") + parameters


def origin_for_policy(redirect_uri: str) -> str:
    """The source for a content security policy's `form-action`; an IPv6 host is covered by its scheme."""
    scheme, _, rest = redirect_uri.partition("://")
    return f"{scheme}:" if rest.startswith("[") else f"{scheme}://{re.split('[/?]', rest, maxsplit=1)[0]}"
