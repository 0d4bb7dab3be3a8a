"""Operations on changelog entries."""

from datetime import datetime
from typing import Any

from instep.content.changelog import queries
from instep.content.changelog.schemas import (
    ChangelogEntry,
    ChangelogEntryCreate,
    ChangelogEntryUpdate,
    ChangelogOverview,
    changelog_entry_out,
)
from instep.content.parts.readers_texts import text_columns
from instep.notifications.webhooks.emit import emit
from instep.platform.core.errors import InvalidState, NotFound
from instep.platform.core.etags import refuse_stale
from instep.platform.core.ids import new_id
from instep.platform.core.markdown import Format
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.slugs import free_slug, slugify


async def list_changelog_entries(
    ctx: Ctx, status: str, format: Format, page: PageRequest
) -> Page[ChangelogEntry]:
    """List the changelog entries, newest first by creation time."""
    return await queries.list_page(ctx, status, format, page)


async def list_changelog_overviews(ctx: Ctx, status: str, page: PageRequest) -> Page[ChangelogOverview]:
    """List the changelog entries without their texts, newest first by creation time."""
    return await queries.list_overviews(ctx, status, page)


async def get_changelog_entry(ctx: Ctx, ref: str, format: Format = "markdown") -> ChangelogEntry:
    """Get a changelog entry by its id or slug."""
    return await _find_entry(ctx, ref, format)


@writes
async def create_changelog_entry(ctx: Ctx, new: ChangelogEntryCreate) -> ChangelogEntry:
    """Create a changelog entry. It is a draft: nothing is live until it is published.

    Its slug is made from the title and never changes, even if the title does.
    """
    return await create_entry(ctx, new, slugify(new.title, "entry"))


async def create_entry(ctx: Ctx, new: ChangelogEntryCreate, slug: str) -> ChangelogEntry:
    """Create an entry with this slug or a numbered one, inside an action that is marked `@writes`."""
    row = {
        "id": new_id("chg"),
        "title": new.title,
        **await text_columns(ctx, new.content_markdown, ctx.bot.locale),
        "source_url": new.model_dump().get("source_url") or None,
    }
    entry = None
    while entry is None:
        free = free_slug(slug, await queries.slugs_like(ctx, slug))
        entry = await queries.insert(ctx, {**row, "slug": free})
    return entry


async def publish_past_entry(ctx: Ctx, entry: ChangelogEntry, published_at: datetime) -> ChangelogEntry:
    """Publish an entry as of an earlier time, inside an action that is marked `@writes`.

    No event is emitted, because an old entry is not news.
    """
    return await _save(ctx, entry, {"status": "published", "published_at": published_at})


@writes
async def update_changelog_entry(
    ctx: Ctx, ref: str, update: ChangelogEntryUpdate, format: Format = "markdown", if_match: str | None = None
) -> ChangelogEntry:
    """Change the title or text of a changelog entry. Changes to a published entry go live."""
    entry = await _find_entry(ctx, ref, lock=True)
    refuse_stale(if_match, entry.etag)
    return await _save(ctx, entry, await _changed_columns(ctx, entry, update.model_dump()), format)


@writes
async def publish_changelog_entry(ctx: Ctx, ref: str, if_match: str | None = None) -> ChangelogEntry:
    """Show a changelog entry in the help center's changelog and its RSS feed.

    Publishing again keeps the time of the first publication, and so the entry's position.
    """
    entry = await _find_entry(ctx, ref, lock=True)
    refuse_stale(if_match, entry.etag)
    if entry.is_live:
        return entry
    published = await _save(
        ctx, entry, {"status": "published", "published_at": entry.published_at or ctx.now}
    )
    after, before = (changelog_entry_out(row, ctx.bot, "markdown") for row in (published, entry))
    await emit(ctx, "changelog_entry.published", after, before)
    return published


@writes
async def unpublish_changelog_entry(ctx: Ctx, ref: str, if_match: str | None = None) -> ChangelogEntry:
    """Remove a changelog entry from the help center; it is a draft again."""
    entry = await _find_entry(ctx, ref, lock=True)
    refuse_stale(if_match, entry.etag)
    if entry.status == "draft":
        raise InvalidState("Only a published or archived entry can be unpublished.")
    return await _save(ctx, entry, {"status": "draft"})


@writes
async def archive_changelog_entry(ctx: Ctx, ref: str, if_match: str | None = None) -> ChangelogEntry:
    """Archive a changelog entry: it leaves the help center, and editors can still find it."""
    entry = await _find_entry(ctx, ref, lock=True)
    refuse_stale(if_match, entry.etag)
    if entry.status == "archived":
        return entry
    return await _save(ctx, entry, {"status": "archived"})


@writes
async def delete_changelog_entry(ctx: Ctx, ref: str, if_match: str | None = None) -> ChangelogEntry:
    """Delete a changelog entry for good, and return it."""
    entry = await _find_entry(ctx, ref, lock=True)
    refuse_stale(if_match, entry.etag)
    await queries.delete(ctx, entry.id)
    return entry


async def _find_entry(
    ctx: Ctx, ref: str, format: Format = "markdown", *, lock: bool = False
) -> ChangelogEntry:
    entry = await queries.find(ctx, ref, format, lock=lock)
    if entry is None:
        raise NotFound.of("changelog entry")
    return entry


async def _save(
    ctx: Ctx, entry: ChangelogEntry, changes: dict[str, Any], format: Format = "markdown"
) -> ChangelogEntry:
    if changes:
        return await queries.update(ctx, entry.id, changes, format)
    return entry if format == "markdown" else await _find_entry(ctx, entry.id, format)


async def _changed_columns(ctx: Ctx, entry: ChangelogEntry, sent: dict[str, Any]) -> dict[str, Any]:
    """The columns that the sent fields really change."""
    changes: dict[str, Any] = {}
    if sent.get("title", entry.title) != entry.title:
        changes["title"] = sent["title"]
    if (content := sent.get("content_markdown", entry.content)) != entry.content:
        changes |= await text_columns(ctx, content, ctx.bot.locale)
    return changes
