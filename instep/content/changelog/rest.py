"""Changelog entries over REST."""

from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response

from instep.content.changelog import actions
from instep.content.changelog.schemas import (
    ChangelogEntryCreate,
    ChangelogEntryHtmlOut,
    ChangelogEntryOut,
    ChangelogEntryUpdate,
    changelog_entry_out,
)
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, Form, IfMatch, IfNoneMatch, reply, reply_list, reply_with_etag
from instep.platform.web.shapes import ListOut

router = ApiRouter()
EntryOut = ChangelogEntryOut | ChangelogEntryHtmlOut
StatusFilter = Annotated[
    Literal["all", "draft", "published", "archived"],
    Query(description="Only entries with this status.", examples=["published"]),
]


@router.operation(
    "GET /changelog/entries", actions.list_changelog_entries, ListOut[EntryOut], reads_replica=True
)
async def list_changelog_entries(
    ctx: Ctx, page: PageRequest, status: StatusFilter = "all", format: Form = "markdown"
) -> Response:
    entries = await actions.list_changelog_entries(ctx, status, format, page)
    return reply_list(entries, lambda row: changelog_entry_out(row, ctx.bot, format))


@router.operation("POST /changelog/entries", actions.create_changelog_entry, ChangelogEntryOut, status=201)
async def create_changelog_entry(ctx: Ctx, body: ChangelogEntryCreate) -> Response:
    entry = await actions.create_changelog_entry(ctx, body)
    return reply(changelog_entry_out(entry, ctx.bot, "markdown"), 201)


@router.operation("GET /changelog/entries/{id}", actions.get_changelog_entry, EntryOut)
async def get_changelog_entry(
    ctx: Ctx, id: str, format: Form = "markdown", if_none_match: IfNoneMatch = None
) -> Response:
    entry = await actions.get_changelog_entry(ctx, id, format)
    return reply_with_etag(changelog_entry_out(entry, ctx.bot, format), entry.etag, if_none_match)


@router.operation("PATCH /changelog/entries/{id}", actions.update_changelog_entry, EntryOut)
async def update_changelog_entry(
    ctx: Ctx, id: str, body: ChangelogEntryUpdate, format: Form = "markdown", if_match: IfMatch = None
) -> Response:
    entry = await actions.update_changelog_entry(ctx, id, body, format, if_match)
    return reply_with_etag(changelog_entry_out(entry, ctx.bot, format), entry.etag)


@router.operation("POST /changelog/entries/{id}/publish", actions.publish_changelog_entry, ChangelogEntryOut)
async def publish_changelog_entry(ctx: Ctx, id: str, if_match: IfMatch = None) -> Response:
    entry = await actions.publish_changelog_entry(ctx, id, if_match)
    return reply_with_etag(changelog_entry_out(entry, ctx.bot, "markdown"), entry.etag)


@router.operation(
    "POST /changelog/entries/{id}/unpublish", actions.unpublish_changelog_entry, ChangelogEntryOut
)
async def unpublish_changelog_entry(ctx: Ctx, id: str, if_match: IfMatch = None) -> Response:
    entry = await actions.unpublish_changelog_entry(ctx, id, if_match)
    return reply_with_etag(changelog_entry_out(entry, ctx.bot, "markdown"), entry.etag)
