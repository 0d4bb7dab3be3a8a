"""URLs that redirects of a source lead to, as redirects here may have them."""

from urllib.parse import quote

from instep.content.redirects.schemas import valid_target
from instep.platform.core import limits

# Characters that are kept in a whole URL (RFC 3986, section 2.2), and those already encoded.
URL_CHARACTERS = ":/?#[]@!$&'()*+,;=~%"


def redirect_url(url: str) -> str:
    """A URL of the source as a redirect stores it: in ASCII. `ValueError` has the end of a sentence."""
    if not url.isprintable():
        raise ValueError("it contains invisible characters")
    encoded = valid_target(quote(url, safe=URL_CHARACTERS))
    if len(encoded) > limits.MAX_REDIRECT_URL_CHARACTERS:
        raise ValueError(f"it is longer than {limits.MAX_REDIRECT_URL_CHARACTERS:,} characters")
    return encoded
