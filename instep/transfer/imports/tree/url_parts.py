"""Parses URLs in sources, valid or not: many guides contain `http://[your-host]:8080/`."""

from unicodedata import normalize
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

NO_PARTS = SplitResult("", "", "", "", "")
# A shorter id may be the beginning of another id.
LONG_ID_CHARACTERS = 6


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


def id_patterns(prefix: str, foreign_id: str) -> tuple[str, ...]:
    """Patterns for addresses such as /hc/en-us/articles/360012-How-to (contract section 10, Redirects)."""
    if len(foreign_id) >= LONG_ID_CHARACTERS:
        return (f"{prefix}{foreign_id}*",)
    return (f"{prefix}{foreign_id}", f"{prefix}{foreign_id}-*")


def path_of(url: str) -> str | None:
    """The path of a URL, decoded; None for the address of the whole site."""
    path = decoded_path(split_url(url).path).rstrip("/")
    return path or None


def site_of(url: str) -> str | None:
    """The scheme and host of a URL."""
    parts = split_url(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in {"http", "https"} and parts.netloc else None


def sites_of(urls: list[str]) -> tuple[str, ...]:
    """The distinct sites of the URLs."""
    return tuple(dict.fromkeys(site for url in urls if (site := site_of(url))))
