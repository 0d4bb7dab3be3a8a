"""Paths of redirects: how they are compared, and the anchor by which one index finds exact ones and patterns.

A pattern is looked up by one of its literal segments. So a path has few anchors: itself, each of its segments
at its place, and the beginnings of each segment. Which patterns with one of these anchors match is then
checked by `like`, whose `%` can't cross a segment, because an anchor also tells the number of segments.

A prefix redirect matches a path with everything below it, and keeps that rest. Its path ends with `/**` here
and in the database, its URL with `/*`; its anchor is its beginning.
"""

import re
from unicodedata import normalize
from urllib.parse import quote, unquote, urlsplit

from instep.platform.core import limits

ANY = "*"
# The ends of a path with all that is below it, as it is stored and as people write it.
REST, WRITTEN_REST = "/**", "/*"
# Pages of every help center, which can't move.
FIXED_PAGE = re.compile(
    r"/|/changelog\.(?:xml|atom|json)|/sitemap\.xml|/robots\.txt|/llms(?:-full)?\.txt|/opensearch\.xml|/suggestions|/sso"
    r"|/sign-out|/[^/]+/|(?:/[^/]+)?/(?:articles|changelog|search|matches|contact|connect|ask(?:/feedback)?)"
    r"|(?:/[^/]+)?/feedback(?:/reason)?|(?:/[^/]+)?/cards/(?:[^/]+/)?[^/]+\.png"
)
# The characters of patterns and paths, encoded so that they would stand for themselves.
ENCODED = re.compile(r"%2[AF]", re.IGNORECASE)
# Longer literal beginnings of a segment are cut in anchors, not in the comparison that follows.
MAX_PREFIX_CHARACTERS = 40


def normal_path(text: str) -> str:
    """The path of an address as redirects are compared, or `ValueError` with the end of a sentence.

    It is decoded and has no query, fragment, host, empty segment or slash at its end. `*` may stand for a
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
        raise ValueError("it must name a page below the first one, which always answers itself")
    if any(ANY in segment[:-1] for segment in segments):
        raise ValueError("`*` stands for a whole segment or at the end of one, as in /docs/*/page-*")
    if not path.isprintable() or not is_within_limits(segments):
        raise ValueError(
            f"it may have {limits.MAX_REDIRECT_PATH_CHARACTERS} characters in "
            f"{limits.MAX_REDIRECT_SEGMENTS} segments, and none that can't be seen"
        )
    return joined(segments)


def prefix_path(path: str) -> str:
    """The stored form of a normal path whose `/*` at the end stands for all that follows, or `ValueError`."""
    beginning = path.removesuffix(WRITTEN_REST)
    if beginning in ("", path) or ANY in beginning:
        raise ValueError("it must end with /*, without another `*`, as in /docs/*, if the URL ends with /*")
    return beginning + REST


def written_path(path: str) -> str:
    """A stored path as people write it."""
    return path.removesuffix(REST) + WRITTEN_REST if path.endswith(REST) else path


def both_forms(path: str) -> list[str]:
    """A stored path, and the one that people write in the same way."""
    written = written_path(path)
    return [written, written + ANY] if written.endswith(WRITTEN_REST) else [path]


def led_url(stored_path: str, url: str, path: str) -> str | None:
    """The target of a redirect: a prefix redirect appends the rest; None if the rest is no page."""
    if not stored_path.endswith(REST):
        return url
    # Without a slash before it, the rest would become a part of the host's name.
    if not url.endswith(WRITTEN_REST):
        return None
    rest = segments_of(path)[len(segments_of(stored_path)) - 1 :]
    # Browsers would take these segments for steps up, out of what the redirect is to.
    if any(segment in (".", "..") for segment in rest):
        return None
    return url.removesuffix(ANY) + quote("/".join(rest))


def requested_path(path: str) -> str | None:
    """The decoded path of a request in the same form; None if no redirect can be from there."""
    segments = segments_of(path)
    return joined(segments) if segments and path.isprintable() and is_within_limits(segments) else None


def path_below(help_url: str, url: str) -> str | None:
    """The part of an address behind that of a help center, as it is written; None if it leads elsewhere."""
    try:
        address, home = urlsplit(url), urlsplit(help_url)
    except ValueError:
        return None
    path = f"{address.path.rstrip('/')}/"
    if address.netloc.lower() != home.netloc.lower() or not path.startswith(f"{home.path}/"):
        return None
    return path.removeprefix(home.path)


def url_below(help_url: str, url: str) -> str | None:
    """The same, with query and fragment: what is stored of an address of the help center itself."""
    if path_below(help_url, url) is None:
        return None
    home = urlsplit(help_url)
    rest = url.partition("://")[2][len(home.netloc) + len(home.path) :]
    return rest if rest.startswith("/") else f"/{rest}"


def page_path(help_url: str, url: str) -> str | None:
    """The decoded path of an address in a help center; None if it leads elsewhere."""
    path = path_below(help_url, url)
    return None if path is None else joined(segments_of(unquote(path)))


def is_match(pattern: str, path: str) -> bool:
    """True if a redirect from this path or pattern is one from the path."""
    if pattern.endswith(REST):
        return f"{path}/".startswith(pattern.removesuffix(ANY + ANY))
    expected, actual = segments_of(pattern), segments_of(path)
    return len(expected) == len(actual) and all(map(is_segment_match, expected, actual))


def is_segment_match(expected: str, actual: str) -> bool:
    if expected.endswith(ANY):
        return actual.startswith(expected.removesuffix(ANY))
    return actual == expected


def anchor_of(path: str) -> str:
    """The key that a redirect is indexed by: an exact path itself, of a pattern its last literal."""
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
    """The anchors of which a redirect must have one to match a path: about as many as it has characters."""
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
    """The segments in NFC, so that accented letters are the same however a browser or a disk spells them."""
    return [segment for segment in normalize("NFC", path).split("/") if segment]


def joined(segments: list[str]) -> str:
    return "/" + "/".join(segments)


def is_within_limits(segments: list[str]) -> bool:
    return (
        len(segments) <= limits.MAX_REDIRECT_SEGMENTS
        and len(joined(segments)) <= limits.MAX_REDIRECT_PATH_CHARACTERS
    )
