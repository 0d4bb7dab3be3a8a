"""URLs as sources write them, valid or not: many guides contain `http://[your-host]:8080/`."""

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
    """A site and the path that it is served below, for pages whose addresses don't begin with that."""
    base = split_url(url).path.rstrip("/")
    return tuple(filter(None, (url.rstrip("/") if "://" in url else "", base)))


def joined_url(base: str, url: str) -> str | None:
    """A URL resolved on the page at `base`; None if it is not a URL."""
    try:
        return urljoin(base, url)
    except ValueError:
        return None


def decoded_path(text: str) -> str:
    """A path or a fragment without percent-encoding, in the form in which paths of a source are compared."""
    return normalize("NFC", unquote(text))
