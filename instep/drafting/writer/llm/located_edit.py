"""Edits as spans of an article, and faults of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LocatedEdit:
    """The span of the article that an edit replaces, its new text, and the index of the edit in a reply."""

    start: int
    end: int
    new: str
    source: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """The end of a sentence about an edit ("it links to …"), and whether the edit may not be proposed.

    `edit` is the index of the edit; what is not refused is a warning at it.
    """

    sentence: str
    refuses: bool
    edit: int = 0
