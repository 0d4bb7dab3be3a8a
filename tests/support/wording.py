"""Sentences of the product in tests: what matters in them, whatever the words around it are."""

import re
from typing import Any


class _Like:
    def __init__(self, parts: str) -> None:
        self.parts = parts
        self.pattern = re.compile(".*".join(re.escape(part) for part in parts.split("…")), re.DOTALL)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.pattern.fullmatch(other) is not None

    # A set would look for it by its hash.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"like({self.parts!r})"


def like(parts: str) -> Any:  # equal to a text, which no type says
    """What is equal to each text that has these parts in this order, with anything at each `…`.

    `like("docs.json: …navigation…: gone")` holds the file, the kind and the name, and no wording.
    """
    return _Like(parts)
