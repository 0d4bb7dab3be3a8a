"""Articles as pending drafts would leave them, to compare a later change with."""

from collections.abc import Iterable
from dataclasses import dataclass

from instep.drafting.drafts.change_queries import list_waiting
from instep.drafting.drafts.merging import merge_title
from instep.drafting.drafts.schemas import DraftTexts, TitledText
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import changed_lines, merge
from instep.platform.text.moved_lines import moved_lines


@dataclass(frozen=True, slots=True)
class WaitingText:
    """The text that a draft would give its article, and the text that it would replace."""

    draft: DraftTexts
    base: TitledText
    base_version: int
    text: TitledText


async def read_waiting(ctx: Ctx, source_url: str | None, version_id: str | None) -> list[DraftTexts]:
    """The newest pending edits for a version of the product, to compare the change with this URL with."""
    return await list_waiting(ctx, source_url, version_id)


async def waiting_texts(drafts: Iterable[DraftTexts]) -> list[WaitingText]:
    """The text that each draft would give its article, without drafts whose text is already live."""
    return [waiting for draft in drafts if (waiting := await waiting_text(draft))]


async def waiting_text(draft: DraftTexts) -> WaitingText | None:
    """The text that applying the draft gives; None if it is already live.

    If the article has changed in the same lines since, it is the draft's text and its own base.
    """
    content = await merge(draft.base_content, draft.current_content, draft.content)
    title = merge_title(draft, draft.proposed_title or draft.article_title)
    if content is None or title is None:
        return WaitingText(draft, draft.base, draft.base_version, TitledText(draft.title, draft.content))
    text = TitledText(title, content)
    return None if text == draft.live else WaitingText(draft, draft.live, draft.current_version, text)


async def changed_lines_of(waiting: WaitingText, later: TitledText) -> set[int]:
    """The lines of a pending text, from 0, that its draft wrote and a later text changes."""
    written = await changed_lines(waiting.base.content, waiting.text.content)
    changed = await changed_lines(waiting.text.content, later.content)
    return set(written.added & changed.removed)


async def people_wrote_any(waiting: WaitingText, lines: set[int]) -> bool:
    """True if people wrote one of these lines of a pending text."""
    draft = waiting.draft
    if draft.author_type != "task":
        return bool(lines)
    moved = (await moved_lines(draft.content, waiting.text.content)).moved
    return not lines.isdisjoint(moved[line] - 1 for line in draft.edited_lines if line in moved)
