"""Claim patterns match what they should, in bounded time."""

import re
from itertools import product

import pytest

from instep.accounts.trusts.claims import claims_match, value_matches
from instep.platform.core import limits
from tests.support.growth import grows_linearly


def meaning(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression."""
    return re.compile("[^/]*".join(map(re.escape, pattern.split("*"))))


def words(letters: str, length: int) -> list[str]:
    return ["".join(word) for size in range(length + 1) for word in product(letters, repeat=size)]


def test_a_star_stands_for_anything_but_a_slash() -> None:
    texts = words("ab/", 5)
    wrong = [
        (pattern, text)
        for pattern in words("ab/*", 5)
        for meant in [meaning(pattern)]
        for text in texts
        if value_matches(pattern, text) != bool(meant.fullmatch(text))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("pattern", "value", "is_match"),
    [
        ("a*a", "a", False),
        ("*ab*aab", "xab\naab", True),
        ("a.c", "abc", False),
        ("7", 7, True),
        ("true", True, True),
        ("acme/*", ["other/app", "acme/app"], True),
        ("*", None, False),
    ],
)
def test_values_are_compared_as_text(pattern: str, value: object, is_match: bool) -> None:
    assert claims_match({"claim": pattern}, {"claim": value}) is is_match


@pytest.mark.parametrize("literal", ["a", "ab", "a" * 20])
def test_a_hostile_pattern_is_compared_at_once(literal: str) -> None:
    pattern = f"{literal}*" * (limits.MAX_CLAIM_CHARACTERS // (len(literal) + 1) - 1) + "b"

    def make(length: int) -> str:
        return literal * (length // len(literal)) + "c"

    assert not value_matches(pattern, make(20_000))
    assert grows_linearly(lambda text: value_matches(pattern, text), make, 20_000)
