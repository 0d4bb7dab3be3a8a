"""Converts target URLs of a source's redirects to the form that redirects here accept."""

from urllib.parse import quote

from instep.content.redirects.schemas import valid_target
from instep.platform.core import limits

# Characters that are kept in a whole URL (RFC 3986, section 2.2), and those already encoded.
URL_CHARACTERS = ":/?#[]@!$&'()*+,;=~%"


def redirect_url(url: str) -> str:
    """A URL of the source in ASCII, as in redirects; raises `ValueError` with the reason as a clause."""
    if not url.isprintable():
        raise ValueError("it contains invisible characters")
    encoded = valid_target(quote(url, safe=URL_CHARACTERS))
    if len(encoded) > limits.MAX_REDIRECT_URL_CHARACTERS:
        raise ValueError(f"it is longer than {limits.MAX_REDIRECT_URL_CHARACTERS:,} characters")
    return encoded
