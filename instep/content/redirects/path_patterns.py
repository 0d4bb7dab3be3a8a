"""Paths of redirects: their comparison, and the anchor by which one index finds exact paths and patterns.

A pattern is looked up by one of its literal segments. So a path has few anchors: itself, each of its segments
with its position, and the prefixes of each segment. The patterns with one of these anchors are then checked
with `like`, whose `%` can't cross a segment, because an anchor also contains the number of segments.

A prefix redirect matches a path and everything below it, and keeps the rest. Its path ends with `/**` here
and in the database, its URL with `/*`; its anchor is its prefix.
"""

import re
from unicodedata import normalize
from urllib.parse import quote, unquote, urlsplit

from instep.platform.core import limits

ANY = "*"
# The stored and the written ending of a path with everything below it.
REST, WRITTEN_REST = "/**", "/*"
# Pages of every help center, which can't move.
FIXED_PAGE = re.compile(
    r"/|/changelog\.(?:xml|atom|json)|/sitemap\.xml|/robots\.txt|/llms(?:-full)?\.txt|/opensearch\.xml|/suggestions|/sso"
    r"|/sign-out|/[^/]+/|(?:/[^/]+)?/(?:articles|changelog|search|matches|contact|connect|ask(?:/feedback)?)"
    r"|(?:/[^/]+)?/(?:follow|subscriptions(?:/confirm)?)"
    r"|(?:/[^/]+)?/feedback(?:/reason)?|(?:/[^/]+)?/cards/(?:[^/]+/)?[^/]+\.png"
)
# Special characters of patterns and paths, encoded so that they are literal.
ENCODED = re.compile(r"%2[AF]", re.IGNORECASE)
# Longer literal beginnings of a segment are cut in anchors, but not in the comparison that follows.
MAX_PREFIX_CHARACTERS = 40


def normal_path(text: str) -> str:
    """The normalized path of an address, or a `ValueError` with the end of a sentence.

    It is decoded and has no query, fragment, host, empty segment or trailing slash. `*` may be a
    whole segment or end one.
    """
    if text.startswith(("http://", "https://")):
        text = urlsplit(text).path
    elif not text.startswith("/"):
        raise ValueError("it must be a path such as /old/page, or an address with http:// or https://")
    text = text.partition("?")[0].partition("#")[0]
    if ENCODED.search(text):
        raise ValueError("it can't have %2F or %2A: paths are compared decoded, where they are / and *")
    try:
        path = unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ValueError("its percent-encoded parts must be UTF-8") from None
    segments = segments_of(path)
    if not segments:
        raise ValueError("it must be a path below the home page, which can't be redirected")
    if any(ANY in segment[:-1] for segment in segments):
        raise ValueError("`*` must be a whole segment or the end of one, as in /docs/*/page-*")
    if not path.isprintable() or not is_within_limits(segments):
        raise ValueError(
            f"it can have {limits.MAX_REDIRECT_PATH_CHARACTERS} characters in "
            f"{limits.MAX_REDIRECT_SEGMENTS} segments, and no invisible characters"
        )
    return joined(segments)


def prefix_path(path: str) -> str:
    """The stored form of a normal path that ends with `/*` for everything below it, or `ValueError`."""
    beginning = path.removesuffix(WRITTEN_REST)
    if beginning in ("", path) or ANY in beginning:
        raise ValueError("it must end with /*, without another `*`, as in /docs/*, if the URL ends with /*")
    return beginning + REST


def written_path(path: str) -> str:
    """A stored path in its written form."""
    return path.removesuffix(REST) + WRITTEN_REST if path.endswith(REST) else path


def both_forms(path: str) -> list[str]:
    """A stored path, and the other stored path with the same written form."""
    written = written_path(path)
    return [written, written + ANY] if written.endswith(WRITTEN_REST) else [path]


def led_url(stored_path: str, url: str, path: str) -> str | None:
    """The target of a redirect: a prefix redirect appends the rest; None if the rest is invalid."""
    if not stored_path.endswith(REST):
        return url
    # Without a slash before it, the rest would become a part of the host name.
    if not url.endswith(WRITTEN_REST):
        return None
    rest = segments_of(path)[len(segments_of(stored_path)) - 1 :]
    # Browsers would read these segments as steps up, out of the redirect's target.
    if any(segment in (".", "..") for segment in rest):
        return None
    return url.removesuffix(ANY) + quote("/".join(rest))


def requested_path(path: str) -> str | None:
    """The decoded path of a request in the same form; None if no redirect can match it."""
    segments = segments_of(path)
    return joined(segments) if segments and path.isprintable() and is_within_limits(segments) else None


def path_below(help_url: str, url: str) -> str | None:
    """The part of an address after that of a help center, unchanged; None if it is outside."""
    try:
        address, home = urlsplit(url), urlsplit(help_url)
    except ValueError:
        return None
    path = f"{address.path.rstrip('/')}/"
    if address.netloc.lower() != home.netloc.lower() or not path.startswith(f"{home.path}/"):
        return None
    return path.removeprefix(home.path)


def url_below(help_url: str, url: str) -> str | None:
    """The same, with query and fragment: the stored form of an address in the help center itself."""
    if path_below(help_url, url) is None:
        return None
    home = urlsplit(help_url)
    rest = url.partition("://")[2][len(home.netloc) + len(home.path) :]
    return rest if rest.startswith("/") else f"/{rest}"


def page_path(help_url: str, url: str) -> str | None:
    """The decoded path of an address in a help center; None if it is outside."""
    path = path_below(help_url, url)
    return None if path is None else joined(segments_of(unquote(path)))


def is_match(pattern: str, path: str) -> bool:
    """True if a redirect from this path or pattern matches the path."""
    if pattern.endswith(REST):
        return f"{path}/".startswith(pattern.removesuffix(ANY + ANY))
    expected, actual = segments_of(pattern), segments_of(path)
    return len(expected) == len(actual) and all(map(is_segment_match, expected, actual))


def is_segment_match(expected: str, actual: str) -> bool:
    if expected.endswith(ANY):
        return actual.startswith(expected.removesuffix(ANY))
    return actual == expected


def anchor_of(path: str) -> str:
    """The key that a redirect is indexed by: an exact path itself, a pattern's last literal."""
    segments = segments_of(path)
    if ANY not in path:
        return exact_anchor(path)
    if path.endswith(REST):
        return beginning_anchor(segments[:-1])
    for number, segment in reversed(list(enumerate(segments))):
        if segment != ANY:
            prefix = segment.removesuffix(ANY)
            return (prefix_anchor if ANY in segment else segment_anchor)(len(segments), number, prefix)
    return wildcards_anchor(len(segments))


def anchors_of(path: str) -> list[str]:
    """The anchors that a matching redirect may have: about as many as the path has characters."""
    segments = segments_of(path)
    count = len(segments)
    anchors = [exact_anchor(path), wildcards_anchor(count)]
    anchors += (beginning_anchor(segments[:length]) for length in range(1, count + 1))
    for number, segment in enumerate(segments):
        anchors.append(segment_anchor(count, number, segment))
        lengths = range(1, min(len(segment), MAX_PREFIX_CHARACTERS) + 1)
        anchors += (prefix_anchor(count, number, segment[:length]) for length in lengths)
    return anchors


def exact_anchor(path: str) -> str:
    return f"={path}"


def beginning_anchor(segments: list[str]) -> str:
    return f">{joined(segments)}"


def wildcards_anchor(count: int) -> str:
    return f"{count}{ANY}"


def segment_anchor(count: int, number: int, segment: str) -> str:
    return f"{count}:{number}={segment}"


def prefix_anchor(count: int, number: int, prefix: str) -> str:
    return f"{count}:{number}^{prefix[:MAX_PREFIX_CHARACTERS]}"


def segments_of(path: str) -> list[str]:
    """The segments in NFC, so that accented letters are equal however a browser or a disk encodes them."""
    return [segment for segment in normalize("NFC", path).split("/") if segment]


def joined(segments: list[str]) -> str:
    return "/" + "/".join(segments)


def is_within_limits(segments: list[str]) -> bool:
    return (
        len(segments) <= limits.MAX_REDIRECT_SEGMENTS
        and len(joined(segments)) <= limits.MAX_REDIRECT_PATH_CHARACTERS
    )
