"""Patterns for addresses that contain an id followed by arbitrary text."""

from instep.transfer.imports.tree.url_parts import decoded_path, split_url

# A shorter id may be the beginning of another id.
LONG_ID_CHARACTERS = 6


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
