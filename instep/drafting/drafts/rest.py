"""The review queue over REST."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from instep.drafting.drafts import actions, releasing, reopening, review_settings
from instep.drafting.drafts.release_schemas import ReleaseCreate, ReleaseOut
from instep.drafting.drafts.review_settings_schemas import ReviewSettingsOut, ReviewSettingsUpdate
from instep.drafting.drafts.schemas import (
    DraftAppliedOut,
    DraftApply,
    DraftCreate,
    DraftDismiss,
    DraftDismissedOut,
    DraftHtmlOut,
    DraftListItemOut,
    DraftOut,
    DraftReopenedOut,
    DraftType,
    DraftUpdate,
    draft_applied_out,
    draft_item_out,
    draft_out,
)
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, Form, IfMatch, reply, reply_list
from instep.platform.web.shapes import ListOut

router = ApiRouter()

TypeFilter = Annotated[DraftType | None, Query(alias="type", description="Only drafts of this type.")]
ArticleFilter = Annotated[str | None, Query(description="Only drafts of this article, by its id or slug.")]


@router.operation("GET /drafts", actions.list_drafts, ListOut[DraftListItemOut])
async def list_drafts(
    ctx: Ctx, page: PageRequest, draft_type: TypeFilter = None, article_id: ArticleFilter = None
) -> Response:
    drafts = await actions.list_drafts(ctx, draft_type, article_id, page)
    return reply_list(drafts, draft_item_out)


@router.operation("GET /articles/{id}/drafts", actions.list_article_drafts, ListOut[DraftListItemOut])
async def list_article_drafts(ctx: Ctx, page: PageRequest, id: str) -> Response:
    drafts = await actions.list_article_drafts(ctx, id, page)
    return reply_list(drafts, draft_item_out)


@router.operation("POST /articles/{id}/drafts", actions.propose_edit, DraftOut | DraftHtmlOut, status=201)
async def propose_edit(ctx: Ctx, id: str, body: DraftCreate, format: Form = "markdown") -> Response:
    return reply(draft_out(await actions.propose_edit(ctx, id, body, format), format), 201)


@router.operation("GET /drafts/{id}", actions.get_draft, DraftOut | DraftHtmlOut)
async def get_draft(ctx: Ctx, id: str, format: Form = "markdown") -> Response:
    return reply(draft_out(await actions.get_draft(ctx, id, format), format))


@router.operation("PATCH /drafts/{id}", actions.update_draft, DraftOut | DraftHtmlOut)
async def update_draft(ctx: Ctx, id: str, body: DraftUpdate, format: Form = "markdown") -> Response:
    return reply(draft_out(await actions.update_draft(ctx, id, body, format), format))


@router.operation("POST /drafts/{id}/apply", actions.apply_draft, DraftAppliedOut, may_warn=True)
async def apply_draft(ctx: Ctx, id: str, body: DraftApply, if_match: IfMatch = None) -> Response:
    draft = await actions.apply_draft(ctx, id, body, if_match)
    return reply(draft_applied_out(draft))


@router.operation("POST /drafts/{id}/dismiss", actions.dismiss_draft, DraftDismissedOut)
async def dismiss_draft(ctx: Ctx, id: str, body: DraftDismiss | None = None) -> Response:
    draft = await actions.dismiss_draft(ctx, id, body or actions.NO_REASON)
    return reply(DraftDismissedOut(id=draft.id, status="dismissed"))


@router.operation("POST /drafts/{id}/reopen", reopening.reopen_draft, DraftReopenedOut, may_warn=True)
async def reopen_draft(ctx: Ctx, id: str) -> Response:
    draft = await reopening.reopen_draft(ctx, id)
    return reply(DraftReopenedOut(id=draft.id, status="pending", article_id=draft.article_id))


@router.operation("POST /releases", releasing.release_drafts, ReleaseOut, may_warn=True)
async def release_drafts(ctx: Ctx, body: ReleaseCreate) -> Response:
    return reply(ReleaseOut.of(await releasing.release_drafts(ctx, body)))


@router.operation("GET /review-settings", review_settings.get_review_settings, ReviewSettingsOut)
async def get_review_settings(ctx: Ctx) -> Response:
    return reply(await review_settings.get_review_settings(ctx))


@router.operation("PATCH /review-settings", review_settings.update_review_settings, ReviewSettingsOut)
async def update_review_settings(ctx: Ctx, body: ReviewSettingsUpdate) -> Response:
    return reply(await review_settings.update_review_settings(ctx, body))
