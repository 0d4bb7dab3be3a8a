"""URLs as sources write them, valid or not: many guides contain `http://[your-host]:8080/`."""

import re
from urllib.parse import SplitResult, urljoin, urlsplit

from instep.core import limits
from instep.core.errors import InvalidRequest

HOST = re.compile(r"[\w.-]+(?::\d+)?")
NO_PARTS = SplitResult("", "", "", "", "")


def split_url(url: str) -> SplitResult:
    """The parts of a URL; all are empty if it can't be parsed."""
    try:
        return urlsplit(url)
    except ValueError:
        return NO_PARTS


def valid_site(text: str | None) -> str | None:
    """The address at which a source was served: a URL without a slash at its end, or a path such as "/docs".

    None without one; raises `InvalidRequest` for anything else.
    """
    site = (text or "").strip()
    if site in ("", "/"):
        return None
    if "://" not in site and not site.startswith("/"):
        site = f"https://{site}"
    parts = split_url(site)
    is_path = not parts.scheme and not parts.netloc and site.startswith("/")
    is_address = parts.scheme in ("http", "https") and HOST.fullmatch(parts.netloc) is not None
    if len(site) > limits.MAX_IMPORT_SITE_CHARACTERS or not site.isprintable() or not (is_path or is_address):
        raise InvalidRequest(
            "Write the address of the old site as https://example.com/docs, or its path alone as /docs."
        )
    return (f"{parts.scheme}://{parts.netloc}" if is_address else "") + parts.path.rstrip("/")


def joined_url(base: str, url: str) -> str | None:
    """A URL as it is meant on the page at `base`; None where it is no URL."""
    try:
        return urljoin(base, url)
    except ValueError:
        return None
