"""An edit as a span of an article, and the article with such edits."""

from dataclasses import dataclass

from instep.drafting.writer.editing.edits import apply as apply_edits

__all__ = ["LocatedEdit", "apply_edits"]


@dataclass(frozen=True, slots=True)
class LocatedEdit:
    """The span of the article that an edit replaces, and its new text."""

    start: int
    end: int
    new: str
