"""Edits as spans of an article, and their faults."""

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
    """The end of a sentence about an edit ("it links to …"), and whether the edit is refused.

    `edit` is the index of the edit; faults that do not refuse it become warnings.
    """

    sentence: str
    refuses: bool
    edit: int = 0
