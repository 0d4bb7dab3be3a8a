"""Redirect URIs: https, loopback, or the app's own scheme, and registered by the app."""

import re
from urllib.parse import urlencode

from instep.platform.core import limits
from instep.platform.core.outbound.urls import Url, parse_url

LOOPBACK = ("localhost", "127.0.0.1", "::1")
# A loopback URI without its port, which an app can't choose in advance (RFC 8252 section 7.3).
WITHOUT_PORT = re.compile(r"(http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]+)?(|[/?].*)")
# An address that a program on the person's computer opens by its scheme (RFC 8252 section 7.1).
PRIVATE_USE = re.compile(
    r"([a-z][a-z0-9+.-]*):/(?:[0-9A-Za-z._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})+", re.ASCII | re.IGNORECASE
)
# Schemes that run a script, show a document, or start a browser or system feature.
NEVER_PRIVATE = re.compile(
    r"https?|wss?|ftps?|file|data|blob|filesystem|javascript|vbscript|about|view-source|jar|resource|content"
    r"|intent|mailto|tel|sms|ssh|telnet|ldaps?|smb|shell|help|hcp|search|chrome|edge|brave|feed|mhtml|res|livescript"
    r"|(?:googlechrome|microsoft-edge|firefox|opera).*"
    r"|(android|chrome|moz|ms|safari|search|x)-.*",
    re.IGNORECASE,
)


def valid_redirect_uri(text: str) -> str:
    """The URI unchanged; raises `ValueError` with a clause that follows the field's name."""
    if len(text) > limits.MAX_REDIRECT_URI_CHARACTERS:
        raise ValueError(f"it is longer than {limits.MAX_REDIRECT_URI_CHARACTERS} characters")
    if is_private_use(text):
        return text
    url = parse_url(text)
    if url.scheme == "http" and not is_loopback(url):
        raise ValueError("it must begin with https://, or lead to http://127.0.0.1 or http://localhost")
    return text


def is_private_use(text: str) -> bool:
    """True if the URI has its app's own scheme, such as `cursor://…`.

    Another program may claim the scheme too, but without the app's PKCE verifier the code is useless.
    """
    match = PRIVATE_USE.fullmatch(text)
    return match is not None and NEVER_PRIVATE.fullmatch(match[1]) is None


def is_on_own_computer(redirect_uri: str) -> bool:
    """True if the redirect goes to a program on the person's own computer."""
    return is_private_use(redirect_uri) or is_loopback(parse_url(redirect_uri))


def target_of(redirect_uri: str) -> str:
    """The receiver of a redirect in recognizable form: a host, or a scheme with what follows."""
    return redirect_uri.partition("?")[0] if is_private_use(redirect_uri) else parse_url(redirect_uri).host


def is_loopback(url: Url) -> bool:
    return url.host in LOOPBACK


def is_registered(redirect_uri: str, registered_uris: list[str]) -> bool:
    """True if the URI is registered, compared as a string; a loopback URI may have any port."""
    return redirect_uri in registered_uris or (
        (loopback := without_port(redirect_uri)) is not None
        and loopback in map(without_port, registered_uris)
    )


def without_port(redirect_uri: str) -> tuple[str, str] | None:
    """Host and path of a valid loopback URI; None for others."""
    try:
        match = WITHOUT_PORT.fullmatch(valid_redirect_uri(redirect_uri))
    except ValueError:
        return None
    return (match[1], match[2] or "/") if match else None


def with_response(redirect_uri: str, response: dict[str, str | None]) -> str:
    """The URI with the response parameters added to its query."""
    parameters = urlencode({name: value for name, value in response.items() if value is not None})
    return redirect_uri + ("&" if "?" in redirect_uri else "?") + parameters


def origin_for_policy(redirect_uri: str) -> str:
    """The source for a content security policy's `form-action`; IPv6 and apps are covered by the scheme."""
    scheme, _, rest = redirect_uri.partition("://")
    if is_private_use(redirect_uri):
        return f"{redirect_uri.partition(':')[0]}:"
    return f"{scheme}:" if rest.startswith("[") else f"{scheme}://{re.split('[/?]', rest, maxsplit=1)[0]}"
