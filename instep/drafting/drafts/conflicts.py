"""Splits a draft and later changes to the same lines of its article into parts for a person to decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from merge3 import Merge3
from patiencediff import PatienceSequenceMatcher

from instep.drafting.drafts import merging
from instep.drafting.drafts.schemas import DraftDetail, DraftTexts
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.text.diff import split_lines


@dataclass(frozen=True, slots=True)
class MergedPart:
    """Lines on which both sides agree, or which only one of them changed."""

    text: str


@dataclass(frozen=True, slots=True)
class ConflictPart:
    """The same lines as they are live, as they were, and as the draft proposes them."""

    live: str
    base: str
    proposal: str


MergePart = MergedPart | ConflictPart


async def merge_parts(draft: DraftTexts) -> list[MergePart]:
    """The draft's text merged with the article's current text as far as possible, in text order.

    Texts with more than `MAX_CONFLICTS`, or whose comparison exceeds `MAX_DIFF_SECONDS`, are one conflict.
    """
    texts = draft.base_content, draft.current_content, draft.content
    try:
        return await run_bounded(
            merge_parts_now, *texts, seconds=limits.MAX_DIFF_SECONDS, is_small=is_short(*texts)
        )
    except TimeLimitExceeded:
        return [ConflictPart(draft.current_content, draft.base_content, draft.content)]


def merge_parts_now(base: str, live: str, proposal: str) -> list[MergePart]:
    matcher: Any = PatienceSequenceMatcher
    merge = Merge3(split_lines(base), split_lines(live), split_lines(proposal), sequence_matcher=matcher)
    parts: list[MergePart] = []
    for kind, *sides in merge.merge_groups():
        texts = ["".join(lines) for lines in sides]
        if kind == "conflict":
            parts.append(ConflictPart(base=texts[0], live=texts[1], proposal=texts[2]))
        elif parts and isinstance(parts[-1], MergedPart):
            parts[-1] = MergedPart(parts[-1].text + texts[0])
        else:
            parts.append(MergedPart(texts[0]))
    if sum(isinstance(part, ConflictPart) for part in parts) > limits.MAX_CONFLICTS:
        return [ConflictPart(live, base, proposal)]
    return parts


def joined_text(parts: Sequence[MergePart], picks: Sequence[str]) -> str:
    """The whole text, with each conflict replaced by the chosen text."""
    decisions = iter(picks)
    texts: list[str] = []
    for part in parts:
        text = part.text if isinstance(part, MergedPart) else next(decisions)
        # A choice in the middle of the text must end its line, however it was typed.
        if texts and texts[-1] and not texts[-1].endswith("\n"):
            texts[-1] += "\n"
        texts.append(text)
    return "".join(texts)


def has_conflict(detail: DraftDetail) -> bool:
    """True if a person has to decide before a draft can be applied."""
    draft = detail.draft
    if draft.status != "pending" or not draft.conflict:
        return False
    return detail.merged is None or merged_title(draft) is None


def merged_title(draft: DraftTexts) -> str | None:
    """The title after applying; None if both sides renamed the article differently."""
    return merging.merge_title(draft, merging.proposed_text(draft).title)


def titles_of(draft: DraftTexts) -> dict[str, str]:
    """The live title, the title that the draft is based on, and the proposed one."""
    proposal = merging.proposed_text(draft).title
    return {"live": draft.article_title, "base": draft.base_title, "proposal": proposal}
