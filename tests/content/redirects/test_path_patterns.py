"""Paths of redirects: a canonical form to compare them, and anchors that let an index find candidates."""

from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instep.content.redirects.path_patterns import (
    anchor_of,
    anchors_of,
    is_match,
    normal_path,
    page_path,
    requested_path,
)
from instep.platform.core import limits


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/old/page", "/old/page"),
        ("/old/page/", "/old/page"),
        ("//old///page", "/old/page"),
        ("/old?a=/b#c", "/old"),
        ("/old#c?d", "/old"),
        ("https://support.example.com/hc/en-us/articles/1-install?x=1#y", "/hc/en-us/articles/1-install"),
        ("http://support.example.com:8080/old/", "/old"),
        ("/gr%C3%B6%C3%9Fe", "/größe"),
        ("/Größe", "/Größe"),
        ("/a%20b", "/a b"),
        ("/old?next=%2Fa*#%2A", "/old"),
        ("/hc/*/articles/360012-*", "/hc/*/articles/360012-*"),
        ("/*", "/*"),
    ],
)
def test_an_address_is_compared_by_its_path_alone(address: str, path: str) -> None:
    assert normal_path(address) == path
    assert normal_path(path) == path


@pytest.mark.parametrize(
    "address",
    [
        *("", "old/page", "/", "//", "https://example.com", "https://example.com/", "/?q=1", "javascript:x"),
        *("/a*b", "/*a", "/**", "/a/*b/c", "/%ff", "/a%00b", "/a\tb", "/a\ud800"),
        *("/x/%2A", "/a%2a", "/a%2Fb", "https://example.com/a%2fb"),
        "/" + "x" * limits.MAX_REDIRECT_PATH_CHARACTERS,
        "/x" * (limits.MAX_REDIRECT_SEGMENTS + 1),
    ],
)
def test_invalid_paths_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"^(its?|`\*`|what) "):
        normal_path(address)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b", "/a/B", False),
        ("/a/*", "/a/b", True),
        ("/a/*", "/a", False),
        ("/a/*", "/a/b/c", False),
        ("/*/b", "/a/b", True),
        ("/a/b*", "/a/b", True),
        ("/a/b*", "/a/bc", True),
        ("/a/b*", "/a/cb", False),
        ("/hc/*/articles/360012-*", "/hc/de/articles/360012-einrichten", True),
        ("/hc/*/articles/360012-*", "/hc/de/articles/3600123-einrichten", False),
        ("/hc/*/articles/360012-*", "/hc/articles/360012-einrichten", False),
        ("/*/*", "/a/b", True),
    ],
)
def test_a_pattern_matches_segment_by_segment(pattern: str, path: str, expected: bool) -> None:
    assert is_match(pattern, path) is expected
    assert not expected or anchor_of(pattern) in anchors_of(path)


SEGMENT = st.text("ab%_\\", min_size=1, max_size=60)
PATHS = st.lists(SEGMENT, min_size=1, max_size=4).map(lambda segments: "/" + "/".join(segments))


@st.composite
def paths_and_patterns(draw: st.DrawFn) -> tuple[str, str]:
    """A path and a pattern derived from it."""
    path = draw(PATHS)
    cuts = [draw(st.none() | st.integers(0, len(segment))) for segment in path.split("/")[1:]]
    segments = zip(path.split("/")[1:], cuts, strict=True)
    return path, "/" + "/".join(segment if cut is None else f"{segment[:cut]}*" for segment, cut in segments)


@given(paths_and_patterns())
@settings(deadline=None)
def test_the_index_knows_each_pattern_by_an_anchor_of_what_it_matches(drawn: tuple[str, str]) -> None:
    path, pattern = drawn

    assert is_match(pattern, path)
    assert anchor_of(pattern) in anchors_of(path)


def test_the_anchors_of_the_longest_path_are_few() -> None:
    path = ("/" + "x" * 24) * limits.MAX_REDIRECT_SEGMENTS

    assert requested_path(path) == path
    assert len(anchors_of(path)) <= limits.MAX_REDIRECT_PATH_CHARACTERS + limits.MAX_REDIRECT_SEGMENTS + 2


@pytest.mark.parametrize("url", ["/x/%2A", "/a%2Fb"])
def test_an_address_with_an_encoded_star_or_slash_is_still_read(url: str) -> None:
    assert page_path("http://help.test/help/acme", f"http://help.test/help/acme{url}") == unquote(url)
    assert requested_path(unquote(url)) == unquote(url)


@pytest.mark.parametrize("path", ["", "/", "//", "/a\0b", "/\udcff", "/x" * 21, "/" + "x" * 500])
def test_no_redirect_is_looked_up_from_what_none_can_be_from(path: str) -> None:
    assert requested_path(path) is None


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://help.test/help/acme/old/page/?x#y", "/old/page"),
        ("http://HELP.test/help/acme", "/"),
        ("http://help.test/help/acme/gr%C3%B6%C3%9Fe", "/größe"),
        ("http://help.test/help/acme2/old", None),
        ("http://help.test:81/help/acme/old", None),
        ("http://other.test/help/acme/old", None),
        ("http://help.test/old", None),
    ],
)
def test_an_address_of_the_help_center_is_known_as_such(url: str, path: str | None) -> None:
    assert page_path("http://help.test/help/acme", url) == path
