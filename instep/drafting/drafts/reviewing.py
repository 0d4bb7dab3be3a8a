"""Warnings for the reviewer of a pending edit, in addition to its author's."""

from instep.content.golden.actions import losses
from instep.content.golden.schemas import PublicText
from instep.drafting.drafts import queries
from instep.drafting.drafts.merging import obstacles
from instep.drafting.drafts.schemas import DraftTexts
from instep.drafting.drafts.waiting import waiting_text
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import merge

SAME_LINES = "It changes the same lines as {names}: apply one, then update the others."


async def review_warnings(ctx: Ctx, draft: DraftTexts, merged: str | None) -> list[str]:
    """Sentences about obstacles to the edit, losses from it, and other pending drafts.

    `merged` is the clean merge into an article that has changed since, if there is one.
    """
    if draft.status != "pending":
        return []
    return [
        *obstacles(draft, merged),
        *await golden_losses(ctx, draft, draft.content if merged is None else merged),
        *await other_drafts(ctx, draft),
    ]


async def golden_losses(ctx: Ctx, draft: DraftTexts, new_content: str) -> list[str]:
    """The golden questions that the article would no longer answer after the draft is applied."""
    before = PublicText(draft.article_title, None, draft.current_content)
    return await losses(ctx, draft.article_id, before, PublicText(draft.title, None, new_content))


async def other_drafts(ctx: Ctx, draft: DraftTexts) -> list[str]:
    """A sentence about the other pending edits of the article, if there are any."""
    others = await queries.find_others(ctx, draft)
    if not others.count:
        return []
    noun, verb = ("draft", "waits") if others.count == 1 else ("drafts", "wait")
    more = others.count - len(others.ids)
    names = ", ".join(others.ids) + (f" and {more} more" if more else "")
    return [
        f"{others.count} more {noun} of this article {verb}: {names}.",
        *await overlaps(ctx, draft, others.ids),
    ]


async def overlaps(ctx: Ctx, draft: DraftTexts, other_ids: list[str]) -> list[str]:
    """A sentence about the drafts that change the same lines; only short drafts are compared."""
    ours = await waiting_text(draft)
    ids: list[str] = []
    for other in (await queries.find_mergeable(ctx, other_ids)).values():
        theirs = await waiting_text(other)
        if ours is None or theirs is None or ours.base != theirs.base:
            continue
        if await merge(ours.base.content, ours.text.content, theirs.text.content) is None:
            ids.append(other.id)
    return [SAME_LINES.format(names=", ".join(ids))] if ids else []
