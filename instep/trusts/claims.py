"""Compare the claims of an ID token with what a trust asks of them."""

import re
from collections.abc import Mapping
from typing import Any


def claims_match(patterns: Mapping[str, str], claims: Mapping[str, Any]) -> bool:
    """Whether each named claim has the value that is asked for; a list needs one such entry.

    In a pattern, `*` stands for any characters but `/`. Upper and lower case differ.
    """
    return all(value_matches(pattern, claims.get(name)) for name, pattern in patterns.items())


def value_matches(pattern: str, value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    expression = re.compile("[^/]*".join(re.escape(part) for part in pattern.split("*")))
    return any(expression.fullmatch(text) for text in map(text_of, values) if text is not None)


def text_of(value: Any) -> str | None:
    """A claim as text: booleans and numbers as in JSON; None for anything that can't be compared."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None
