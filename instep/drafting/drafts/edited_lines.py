"""Finds the lines of a proposal that people wrote, and moves its evidence when the proposal changes."""

from dataclasses import dataclass
from typing import Any

from instep.drafting.drafts.schemas import DraftTexts
from instep.platform.text.moved_lines import MovedLines, moved_lines


@dataclass(frozen=True, slots=True)
class ProvenLines:
    """The lines of a proposal that people wrote, and the evidence for its lines."""

    edited_lines: list[int]
    evidence: list[dict[str, Any]]


async def lines_after_edit(draft: DraftTexts, content: str) -> ProvenLines:
    """The lines of a draft that are still proven after a person gave it this text."""
    lines = await moved_lines(draft.content, content)
    return lines_in(draft, lines, lines.added)


async def lines_after_merge(draft: DraftTexts, content: str) -> ProvenLines:
    """The proven lines of a part of a draft, or of its merge with the article's current text."""
    return lines_in(draft, await moved_lines(draft.content, content), [])


def lines_in(draft: DraftTexts, lines: MovedLines, new_lines: list[int]) -> ProvenLines:
    kept_lines = {lines.moved[line] for line in draft.edited_lines if line in lines.moved}
    evidence = [{**place, "article_line": lines.place_of(place["article_line"])} for place in draft.evidence]
    return ProvenLines(sorted({*kept_lines, *new_lines}), evidence)
