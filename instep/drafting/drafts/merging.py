"""Merges an edit into an article that has changed since, and reports what an overwrite removes."""

from collections.abc import Iterable

from instep.drafting.drafts.schemas import DraftApply, DraftTexts, TitledText
from instep.platform.core import limits
from instep.platform.core.errors import Conflict
from instep.platform.text.characters import shorten
from instep.platform.text.diff import changed_lines, merge, split_lines

CHANGED_SINCE = "The article has changed since this was proposed: read the draft again before you decide."
ALL_IS_LIVE = "The article already contains everything this draft proposes: dismiss it."
SAME_LINES = (
    "The article has changed since in lines that this draft changes too: apply it with a `contentMarkdown`"
    " that contains both changes and `onConflict` `overwrite`, or dismiss it."
)
TWO_TITLES = (
    "The article's title has changed since, and this draft proposes a different one: apply it with the"
    " article's current `title`, or with `onConflict` `overwrite`."
)


async def text_to_apply(draft: DraftTexts, request: DraftApply) -> TitledText:
    """The title and text of the article after applying the draft.

    If the article has changed since, both changes are merged unless the caller asks otherwise. Raises
    `Conflict` if both changed the same lines or the title, or if the caller wants no merge.
    """
    proposed = proposed_text(draft, request)
    if not draft.conflict or request.on_conflict == "overwrite":
        return proposed
    if request.on_conflict == "fail":
        raise Conflict(CHANGED_SINCE)
    content = await merge(draft.base_content, draft.current_content, proposed.content)
    title = merge_title(draft, proposed.title)
    if content is None or title is None:
        raise Conflict(conflict_reasons(draft, proposed, content)[0])
    return TitledText(title, content)


def proposed_text(draft: DraftTexts, request: DraftApply | None = None) -> TitledText:
    """The caller's text, or else the draft's; without either title, the live title stays."""
    sent = request.model_dump() if request is not None else {}
    title = sent.get("title", draft.proposed_title) or draft.article_title
    return TitledText(title, sent.get("content_markdown", draft.content))


def merge_title(draft: DraftTexts, proposed: str) -> str | None:
    """The three-way merge of the title, or None if both sides renamed the article differently."""
    if proposed in (draft.base_title, draft.article_title):
        return draft.article_title
    return proposed if draft.article_title == draft.base_title else None


async def merged_content(draft: DraftTexts) -> str | None:
    """The clean merge of a pending edit into an article that has changed since, or None."""
    if not draft.conflict:
        return None
    return await merge(draft.base_content, draft.current_content, draft.content)


def obstacles(draft: DraftTexts, merged: str | None) -> list[str]:
    """The reasons why applying a draft unchanged would be refused; `merged` is its clean merge, if any."""
    if not draft.conflict:
        return []
    proposed = proposed_text(draft)
    if merged == draft.current_content and merge_title(draft, proposed.title) == draft.article_title:
        return [ALL_IS_LIVE]
    return conflict_reasons(draft, proposed, merged)


def conflict_reasons(draft: DraftTexts, proposed: TitledText, merged: str | None) -> list[str]:
    """The reasons that both changes can't be merged, in sentences; `merged` is the clean merge, if any."""
    reasons = [SAME_LINES] if merged is None else []
    return reasons if merge_title(draft, proposed.title) is not None else [*reasons, TWO_TITLES]


async def overwrite_warnings(draft: DraftTexts, text: TitledText) -> list[str]:
    """Short sentences about later changes of the article that this text removes."""
    later_changes = await changed_lines(draft.base_content, draft.current_content)
    last_change = await changed_lines(draft.current_content, text.content)
    whole_change = await changed_lines(draft.base_content, text.content)
    later_title = [draft.article_title] if draft.article_title not in (draft.base_title, text.title) else []
    lost_lines = lines_at(draft.current_content, later_changes.added & last_change.removed)
    returned_lines = lines_at(draft.base_content, later_changes.removed - whole_change.removed)
    losses = (
        ("This overwrites the article's later title:", later_title),
        ("This removes text added to the article since:", lost_lines),
        ("This restores text removed from the article since:", returned_lines),
    )
    return [f"{subject} {quote_lines(lines)}." for subject, lines in losses if lines]


def lines_at(text: str, numbers: Iterable[int]) -> list[str]:
    """The lines with these numbers, from 0, without blank ones."""
    lines = split_lines(text)
    return [line for number in sorted(numbers) if (line := lines[number].strip())]


def quote_lines(lines: list[str]) -> str:
    """The first lines, and the number of further ones."""
    quotes = [
        f"“{shorten(line, limits.MAX_REPORTED_OVERWRITTEN_LINE_CHARACTERS)}”"
        for line in lines[: limits.MAX_REPORTED_OVERWRITTEN_LINES]
    ]
    more = len(lines) - len(quotes)
    return ", ".join(quotes) + (f" and {more} more line{'s' if more > 1 else ''}" if more else "")
