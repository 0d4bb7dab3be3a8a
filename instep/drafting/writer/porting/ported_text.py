"""The results of porting: text of the change's documentation, its position, and points to check."""

from collections.abc import Mapping
from dataclasses import dataclass

from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.shapes import Evidence, Proposal


@dataclass(frozen=True, slots=True)
class PortedText:
    """Lines of an article that the change edits in a file: `old` before it, `new` after it.

    `start` and `end` are the span in the article's text, in characters; `last_line` numbers the last line in
    the new file. `new_title` is the article's new title, if the change renames it.
    """

    old: str
    new: str
    start: int
    end: int
    sources: tuple[SourceLine, ...]
    last_line: int
    warnings: tuple[str, ...] = ()
    new_title: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewerNotice:
    """A reason to check an article; `evidence` has the text of the change without a position."""

    reason: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class PortedDocumentation:
    """The edits, notices and pages that follow from the change's own documentation.

    `texts` and `notices` are by article id: edits in text order, and points for a person to
    check. `is_documented` means that articles contain, or will contain, what the change documents.
    """

    texts: Mapping[str, tuple[PortedText, ...]]
    notices: Mapping[str, ReviewerNotice]
    new_pages: tuple[Proposal, ...]
    is_documented: bool
