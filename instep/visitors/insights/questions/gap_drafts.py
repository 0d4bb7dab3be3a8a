"""Writes the draft for a gap: its title, its reason, and points for a reviewer to check."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from instep.drafting.drafts.proposals import NewArticle
from instep.drafting.writer import Proposal
from instep.drafting.writer.new_articles.outline import ArticleRequest
from instep.platform.core import limits
from instep.platform.text.characters import shorten
from instep.visitors.insights.health.checks_text import one_line_excerpt
from instep.visitors.insights.schemas import Gap

# Contact details in visitors' notes are masked, because reviewers do not need them.
EMAIL_ADDRESS = re.compile(r"(?<![^\s@<>])[^\s@<>]++@[^\s@<>]+\.\w+")
PHONE_NUMBER = re.compile(r"\+?\d(?:[\s().-]{0,2}\d){5,}")
MISSING_ANSWER = (
    "Visitors asked this without getting an answer: add it, because the articles quoted here don't "
    "contain it."
)


@dataclass(frozen=True, slots=True)
class GapTalks:
    """Visitors' messages after a question that no article answered: notes to a person, and questions."""

    notes: Sequence[str]
    later_questions: Sequence[str]


def gap_request(gap: Gap, notes: Sequence[str]) -> ArticleRequest:
    """Ask for an article under the question; its other wordings and the notes only help to find sources."""
    hints = "\n".join([*gap.examples, *notes])
    return ArticleRequest(
        gap_title(gap.question),
        hints=hints,
        reason=gap_reason(gap, notes),
        missing=MISSING_ANSWER,
    )


def with_conversations(request: ArticleRequest, gap: Gap, talks: GapTalks) -> ArticleRequest:
    """The request for a model: the wordings of the question, and visitors' later messages."""
    groups = {
        "Visitors asked:": gap.examples,
        "They continued in the same conversation:": talks.later_questions,
        "They asked for a person and wrote:": talks.notes,
    }
    lines = [
        [heading, *(f"- {masked(text)}" for text in texts)] for heading, texts in groups.items() if texts
    ]
    return replace(request, hints="\n".join(chain.from_iterable(lines)))


def gap_title(question: str) -> str:
    return shorten(" ".join(question.split()), limits.MAX_TITLE_CHARACTERS, at_word=True)


def draft_of(gap: Gap, proposal: Proposal) -> NewArticle:
    return NewArticle(
        title=proposal.title,
        content=proposal.text,
        locale=gap.locale,
        reason=proposal.reason[: limits.MAX_REASON_CHARACTERS],
        questions=tuple(gap.examples),
        warnings=proposal.warnings,
        certainty="likely",
    )


def gap_reason(gap: Gap, notes: Sequence[str]) -> str:
    visitors = "1 visitor" if gap.visitor_count == 1 else f"{gap.visitor_count} visitors"
    times = "once" if gap.asked_count == 1 else f"{gap.asked_count} times"
    summary = f"{visitors} asked this {times}, and no article answered it."
    quotes = [f"“{masked(note)}”" for note in notes]
    if not quotes:
        return summary
    return f"{summary} Some of them then asked for a person and wrote: {', '.join(quotes)}."


def masked(note: str) -> str:
    return one_line_excerpt(
        PHONE_NUMBER.sub("…", EMAIL_ADDRESS.sub("…", note))[: limits.MAX_GAP_NOTE_CHARACTERS]
    )
