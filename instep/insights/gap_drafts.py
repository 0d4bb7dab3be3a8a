"""What the draft of an article says that answers a gap: its title, its reason, what to check."""

import re
from collections.abc import Sequence

from instep.core import limits
from instep.drafts.schemas import NewArticle
from instep.insights.checks_text import shown
from instep.insights.schemas import Gap
from instep.writer import Proposal
from instep.writer.new_articles.outline import Wanted

# Notes are for reviewers, and reviewers need nobody's address or number.
ADDRESS = re.compile(r"(?<![^\s@<>])[^\s@<>]++@[^\s@<>]+\.\w+")
NUMBER = re.compile(r"\+?\d(?:[\s().-]{0,2}\d){5,}")
UNKNOWN = "Visitors asked this in vain: say what the answer is, the articles quoted here do not hold it."


def request_of(gap: Gap, notes: Sequence[str]) -> Wanted:
    """An article under the question; its other wordings and the notes only help to find what bears on it."""
    hints = "\n".join([*gap.examples, *notes])
    return Wanted(
        title_of(gap.question),
        hints=hints,
        reason=reason_of(gap, notes),
        missing=UNKNOWN,
    )


def title_of(question: str) -> str:
    text = " ".join(question.split())
    if len(text) <= limits.MAX_TITLE_CHARACTERS:
        return text
    return text[: limits.MAX_TITLE_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"


def draft_of(gap: Gap, proposal: Proposal) -> NewArticle:
    return NewArticle(
        title=proposal.title,
        content=proposal.text,
        locale=gap.locale,
        reason=proposal.reason[: limits.MAX_REASON_CHARACTERS],
        questions=tuple(gap.examples),
        warnings=proposal.warnings,
    )


def reason_of(gap: Gap, notes: Sequence[str]) -> str:
    asked = f"{gap.visitor_count} visitors asked this {gap.asked_count} times, and no article answered it."
    said = [f"“{masked(note)}”" for note in notes]
    if not said:
        return asked
    return f"{asked} Some then asked for a person and wrote: {', '.join(said)}."


def masked(note: str) -> str:
    return shown(NUMBER.sub("…", ADDRESS.sub("…", note))[: limits.MAX_GAP_NOTE_CHARACTERS])
