"""Slugs for titles in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.platform.core.ids import looks_like_id
from instep.platform.text.slugs import RESERVED, free_slug, is_slug, slugify, valid_slug


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Install it", "install-it"),
        ("  What's new?  ", "what-s-new"),
        ("a_b -- c/d", "a-b-c-d"),
        ("\uff26\uff55\uff4c\uff4c\u3000width", "full-width"),
        ("ÄRGER", "ärger"),
        ("A\u0308RGER", "ärger"),
        ("İstanbul", "i\u0307stanbul"),
        ("हिन्दी में", "हिन्दी-में"),
        ("ภาษาไทย", "ภาษาไทย".replace("ำ", "ํา")),
        ("العَرَبِيَّة", "العَرَبِيَّة"),
        ("日本語、設定", "日本語-設定"),
        ("⚙️ Settings 1️⃣", "settings-1"),
        ("Sicher\u00adheit", "sicherheit"),
        ("\u0301a", "a"),
        ("🙂", "fallback"),
        ("", "fallback"),
        ("x" * 200, "x" * 120),
        ("x" * 119 + " y", "x" * 119),
    ],
)
def test_a_title_gives_its_words(title: str, slug: str) -> None:
    assert slugify(title, "fallback") == slug


@given(st.text(max_size=300))
def test_slug_of_a_title_is_valid(title: str) -> None:
    slug = slugify(title, "fallback")

    assert is_slug(slug) or slug in RESERVED or looks_like_id(slug)
    assert len(slug) <= 120


@given(st.text(max_size=150), st.integers(0, 12))
def test_a_free_slug_is_free_and_a_slug(title: str, clashes: int) -> None:
    taken: set[str] = set()
    for _ in range(clashes + 1):
        slug = free_slug(slugify(title, "fallback"), taken)
        assert slug not in taken
        assert valid_slug(slug) == slug
        taken.add(slug)


def test_a_number_never_makes_an_id_of_a_slug() -> None:
    base = "0190163d8694739baea5966c26f8ad9"

    assert looks_like_id(f"{base}-2")
    assert free_slug(base, {base}) == f"{base}-10"


@pytest.mark.parametrize(
    "text",
    ["", "search", "Install", "a--b", "-a", "a-", "a b", "a_b", "a/b", "a.b", "A\u0308", "art_" + "0" * 26],
)
def test_invalid_slugs_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        valid_slug(text)
