"""Parses URLs in sources, valid or not: many guides contain `http://[your-host]:8080/`."""

from unicodedata import normalize
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

NO_PARTS = SplitResult("", "", "", "", "")


def split_url(url: str) -> SplitResult:
    """The parts of a URL; all are empty if it can't be parsed."""
    try:
        return urlsplit(url)
    except ValueError:
        return NO_PARTS


def site_with_base(url: str) -> tuple[str, ...]:
    """A site with its base path, for pages whose addresses don't begin with it."""
    base = split_url(url).path.rstrip("/")
    return tuple(filter(None, (url.rstrip("/") if "://" in url else "", base)))


def joined_url(base: str, url: str) -> str | None:
    """A URL resolved relative to `base`; None if it is invalid."""
    try:
        return urljoin(base, url)
    except ValueError:
        return None


def decoded_path(text: str) -> str:
    """A path or fragment without percent-encoding, normalized for comparison."""
    return normalize("NFC", unquote(text))
