"""Faults of an edit, and doubts about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """The end of a sentence about an edit ("it links to …"), and whether the edit may not be proposed."""

    sentence: str
    refuses: bool


@dataclass(frozen=True, slots=True)
class EditFinding:
    """A fault of the edit with the index `edit`; without `refuses` it is a warning at the edit."""

    edit: int
    sentence: str
    refuses: bool
