"""Which lines of a proposal people have written, and where its evidence belongs after a change of it."""

from dataclasses import dataclass
from typing import Any

from instep.drafting.drafts.schemas import DraftTexts
from instep.platform.text.moved_lines import MovedLines, moved_lines


@dataclass(frozen=True, slots=True)
class ProvenLines:
    """The lines of a proposal that people have written, and the evidence of its lines."""

    edited_lines: list[int]
    evidence: list[dict[str, Any]]


async def lines_after_edit(draft: DraftTexts, content: str) -> ProvenLines:
    """The lines of a draft that stay proven when a person gives it this text."""
    lines = await moved_lines(draft.content, content)
    return lines_in(draft, lines, lines.added)


async def lines_after_merge(draft: DraftTexts, content: str) -> ProvenLines:
    """The proven lines of a part of a draft, or of its merge with the article's present text."""
    return lines_in(draft, await moved_lines(draft.content, content), [])


def lines_in(draft: DraftTexts, lines: MovedLines, new_lines: list[int]) -> ProvenLines:
    kept_lines = {lines.moved[line] for line in draft.edited_lines if line in lines.moved}
    evidence = [{**place, "article_line": lines.place_of(place["article_line"])} for place in draft.evidence]
    return ProvenLines(sorted({*kept_lines, *new_lines}), evidence)
