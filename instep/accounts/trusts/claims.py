"""Compares the claims of an ID token with those that a trust requires."""

from collections.abc import Mapping
from typing import Any


def claims_match(patterns: Mapping[str, str], claims: Mapping[str, Any]) -> bool:
    """True if each named claim has the required value; for a list, one entry must match.

    In a pattern, `*` matches any characters except `/`. Upper and lower case differ.
    """
    return all(value_matches(pattern, claims.get(name)) for name, pattern in patterns.items())


def value_matches(pattern: str, value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(text_matches(pattern, text) for text in map(text_of, values) if text is not None)


def text_matches(pattern: str, text: str) -> bool:
    """True if the text matches the pattern; the time is bounded by the product of their lengths."""
    # `*` never crosses `/`, so the segments between slashes are compared one by one.
    globs, segments = pattern.split("/"), text.split("/")
    return len(globs) == len(segments) and all(map(segment_matches, globs, segments))


def segment_matches(glob: str, segment: str) -> bool:
    """Find each literal at the first position after the previous one: a later one would leave less room."""
    first, *others = glob.split("*")
    if not others:
        return segment == first
    *inner, last = others
    start, end = len(first), len(segment) - len(last)
    if start > end or not (segment.startswith(first) and segment.endswith(last)):
        return False
    for literal in inner:
        place = segment.find(literal, start, end)
        if place < 0:
            return False
        start = place + len(literal)
    return True


def text_of(value: Any) -> str | None:
    """A claim as text: booleans and numbers as in JSON; None for anything that can't be compared."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None
