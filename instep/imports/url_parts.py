"""URLs as sources write them, which may be none: `http://[your-host]:8080/` stands in many a guide."""

from urllib.parse import SplitResult, urljoin, urlsplit

NO_PARTS = SplitResult("", "", "", "", "")


def split_url(url: str) -> SplitResult:
    """The parts of a URL; all are empty where nobody can tell them."""
    try:
        return urlsplit(url)
    except ValueError:
        return NO_PARTS


def joined_url(base: str, url: str) -> str | None:
    """A URL as it is meant on the page at `base`; None where it is no URL."""
    try:
        return urljoin(base, url)
    except ValueError:
        return None
