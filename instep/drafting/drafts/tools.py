"""The review queue as tools of the workspace's MCP server."""

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from instep.drafting.drafts import actions, releasing, reopening, suppression
from instep.drafting.drafts.release_schemas import ReleaseCreate, ReleaseOut
from instep.drafting.drafts.schemas import (
    DismissalOut,
    DraftAppliedOut,
    DraftApply,
    DraftCreate,
    DraftDetail,
    DraftDismiss,
    DraftDismissedOut,
    DraftListItemOut,
    DraftReopenedOut,
    DraftType,
    EvidenceOut,
    draft_applied_out,
    draft_item_out,
    draft_out,
)
from instep.drafting.drafts.suppressed_schemas import SuppressedDeletedOut, SuppressedOut
from instep.platform.core import limits
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.call import Call
from instep.platform.web.mcp.budget import list_within_budget, rows_within_budget, text_page
from instep.platform.web.mcp.tools import Cursor, DraftId, Reference, Toolbox
from instep.platform.web.shapes import ListOut, Text

toolbox = Toolbox()
Part = Literal["diff", "text", "merged"]
SuppressedId = Annotated[Text, Field(description="The dismissed proposal: `sup_…`.")]
TypeFilter = Annotated[DraftType | None, Field(description="Only drafts of this type.")]
ArticleFilter = Annotated[Text | None, Field(description="Only drafts of this article, by its id or slug.")]
PartChoice = Annotated[
    Part | None,
    Field(
        description="The text to return. For an edit: its `diff` (default), the whole proposed `text`, or "
        "the `merged` text of a conflict. For a new article, it is always the whole text."
    ),
]


class DraftPieceOut(DraftListItemOut):
    """A draft with one of its texts, or a part of it; the other two are null."""

    base_version: int = Field(description="The article's version that the edit was made against.")
    current_version: int
    evidence: list[EvidenceOut] = Field(
        description="The first locations in the code change that it is based on."
    )
    questions: list[str] = Field(description="The questions of visitors behind a `gap_` draft.")
    warnings: list[str] = Field(description="Points to check by hand.")
    dismissal: DismissalOut | None = Field(description="Why it was dismissed, else null.")
    diff: str | None = Field(description="Unified diff from the live article to the result of applying.")
    content_markdown: str | None
    merged_markdown: str | None
    has_more: bool = Field(alias="has_more", description="True if more text follows this piece.")
    next_cursor: str | None = Field(alias="next_cursor")


@toolbox.tool(actions.list_drafts, ListOut[DraftListItemOut], "List drafts to review")
async def list_drafts(
    ctx: Ctx, page: PageRequest, type: TypeFilter = None, article_id: ArticleFilter = None
) -> ListOut[DraftListItemOut]:
    """List the drafts that await review, newest first: edits, new articles, answers to gaps."""
    ask = partial(actions.list_drafts, ctx, type, article_id)
    return await list_within_budget(ask, draft_item_out, page)


@toolbox.tool(actions.get_draft, DraftPieceOut, "Read a draft")
async def get_draft(call: Call, id: DraftId, part: PartChoice = None, cursor: Cursor = None) -> DraftPieceOut:
    """Read one draft: the diff that applying it makes, its evidence, its warnings, and any conflict."""
    async with call.begin() as ctx:
        return draft_piece_out(await actions.get_draft(ctx, id), part, call, cursor)


@toolbox.tool(actions.propose_edit, DraftListItemOut, "Propose an edit", additive=True)
async def propose_edit(ctx: Ctx, id: Reference, body: DraftCreate) -> DraftListItemOut:
    """Propose new text for an article. The live text stays the same until someone applies the draft.

    Send the complete new text: first read the whole article, and change only what has to change.
    """
    return draft_item_out((await actions.propose_edit(ctx, id, body)).draft)


@toolbox.tool(actions.apply_draft, DraftAppliedOut, "Apply a draft")
async def apply_draft(ctx: Ctx, id: DraftId, body: DraftApply) -> DraftAppliedOut:
    """Apply a draft: an edit to a live article goes live; a new article is published.

    Only when the person asked for it. With `when` set to `release` it is only approved, and goes live with
    `release_drafts`. `overwrite` removes later changes of the article: tell the person what the warnings
    name. The replaced text is kept as a revision.
    """
    return draft_applied_out(await actions.apply_draft(ctx, id, body))


@toolbox.tool(actions.dismiss_draft, DraftDismissedOut, "Dismiss a draft")
async def dismiss_draft(ctx: Ctx, id: DraftId, body: DraftDismiss) -> DraftDismissedOut:
    """Remove a draft from the review queue. Only when the person asked for it.

    The article of an edit stays as it is; a new article moves to Recently deleted.
    """
    draft = await actions.dismiss_draft(ctx, id, body)
    return DraftDismissedOut(id=draft.id, status="dismissed")


@toolbox.tool(reopening.reopen_draft, DraftReopenedOut, "Reopen a draft")
async def reopen_draft(ctx: Ctx, id: DraftId) -> DraftReopenedOut:
    """Undo applying or dismissing a draft: it waits for review again.

    Only when the person asked for it. The article of an applied edit gets its previous text back, unless it
    has changed since.
    """
    draft = await reopening.reopen_draft(ctx, id)
    return DraftReopenedOut(id=draft.id, status="pending", article_id=draft.article_id)


@toolbox.tool(releasing.release_drafts, ReleaseOut, "Release drafts")
async def release_drafts(ctx: Ctx, body: ReleaseCreate) -> ReleaseOut:
    """Apply all approved drafts of these sources. Only when the person asked for it."""
    return ReleaseOut.of(await releasing.release_drafts(ctx, body))


@toolbox.tool(suppression.list_suppressed, ListOut[SuppressedOut], "List dismissed proposals")
async def list_suppressed(ctx: Ctx, page: PageRequest) -> ListOut[SuppressedOut]:
    """List what tasks do not propose again, because a reviewer has dismissed it, and why."""
    ask = partial(suppression.list_suppressed, ctx)
    return await list_within_budget(ask, SuppressedOut.of, page)


@toolbox.tool(
    suppression.lift_suppressed, SuppressedDeletedOut, "Allow a dismissed proposal again", additive=True
)
async def lift_suppressed(ctx: Ctx, id: SuppressedId) -> SuppressedDeletedOut:
    """Let tasks propose again what a reviewer has dismissed. Only when the person asked for it."""
    return SuppressedDeletedOut(id=await suppression.lift_suppressed(ctx, id), deleted=True)


def draft_piece_out(detail: DraftDetail, part: Part | None, call: Call, cursor: str | None) -> DraftPieceOut:
    out = draft_out(detail, "markdown")
    texts = {"diff": detail.diff, "text": detail.content, "merged": detail.merged}
    selected = (part or "diff") if out.type == "edit" else "text"
    text = texts[selected]
    page = call.page(1, cursor)
    piece = text_page(text or "", page, out.id, out.updated_at, out.current_version, selected)
    values = {name: piece.text if name == selected and text is not None else None for name in texts}
    return DraftPieceOut(
        **dict(draft_item_out(detail.draft)),
        base_version=out.base_version,
        current_version=out.current_version,
        evidence=rows_within_budget(out.evidence, limits.MAX_TOOL_CONTEXT_BYTES),
        questions=out.questions[: limits.MAX_QUESTION_EXAMPLES],
        warnings=out.warnings,
        dismissal=out.dismissal,
        diff=values["diff"],
        content_markdown=values["text"],
        merged_markdown=values["merged"],
        **piece.continues,
    )
