"""The SQL of changelog entries."""

from typing import Any

from instep.content.changelog.schemas import ChangelogEntry, ChangelogOverview
from instep.platform.core.ids import looks_like_id
from instep.platform.core.markdown import Format
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

ORDER = Order(("e.created_at", "e.id"), descending=True)
TEXT_COLUMNS: dict[Format, str] = {"markdown": "e.content_markdown", "html": "e.content_html"}


def columns(format: Format) -> str:
    return f"""
        e.id, e.slug, e.title, {TEXT_COLUMNS[format]} as content, e.status, e.source_url,
        e.published_at, e.created_at, e.updated_at
    """


async def find(ctx: Ctx, ref: str, format: Format, *, lock: bool = False) -> ChangelogEntry | None:
    column = "id" if looks_like_id(ref) else "slug"
    return await ctx.first(
        ChangelogEntry,
        f"""
        select {columns(format)} from changelog_entries e
        where e.bot_id = %(bot)s and e.workspace_id = %(workspace)s and e.{column} = %(ref)s
        {"for no key update" if lock else ""}
        """,
        ref=ref,
    )


async def list_page(ctx: Ctx, status: str, format: Format, request: PageRequest) -> Page[ChangelogEntry]:
    page = request.page(ORDER, "changelog", ctx.bot.id, status)
    return await page.read(
        ctx,
        ChangelogEntry,
        f"""
        select {columns(format)} from changelog_entries e
        where e.bot_id = %(bot)s and e.workspace_id = %(workspace)s
          and {"e.status = %(status)s" if status != "all" else "true"} and {page.condition} {page.tail}
        """,
        status=status,
    )


async def list_overviews(ctx: Ctx, status: str, request: PageRequest) -> Page[ChangelogOverview]:
    page = request.page(ORDER, "changelog overviews", ctx.bot.id, status)
    return await page.read(
        ctx,
        ChangelogOverview,
        f"""
        select e.id, e.slug, e.title, e.status, e.source_url, e.published_at, e.created_at, e.updated_at
        from changelog_entries e
        where e.bot_id = %(bot)s and e.workspace_id = %(workspace)s
          and {"e.status = %(status)s" if status != "all" else "true"} and {page.condition} {page.tail}
        """,
        status=status,
    )


async def slugs_like(ctx: Ctx, base: str) -> set[str]:
    """Slugs that a numbered form of `base` could clash with."""
    slugs = await ctx.value(
        """
        select array_agg(slug) from changelog_entries
        where bot_id = %(bot)s and workspace_id = %(workspace)s and starts_with(slug, %(base)s)
        """,
        base=base[:100],
    )
    return set(slugs or ())


async def insert(ctx: Ctx, row: dict[str, Any]) -> ChangelogEntry | None:
    """The new entry; None if its slug was taken at the same time."""
    return await ctx.first(
        ChangelogEntry,
        f"""
        with stamp as (select stamp_change(%(bot)s) as at)
        insert into changelog_entries as e (id, workspace_id, bot_id, slug, title, content_markdown,
            content_html, html_version, expanded_markdown, parts, source_url, status, created_at,
            updated_at)
        select %(id)s, %(workspace)s, %(bot)s, %(slug)s, %(title)s, %(content_markdown)s,
            %(content_html)s, %(html_version)s, %(expanded_markdown)s, %(parts)s, %(source_url)s,
            'draft', stamp.at, stamp.at from stamp
        on conflict on constraint changelog_entries_slug do nothing
        returning {columns("markdown")}
        """,
        **row,
    )


async def update(ctx: Ctx, entry_id: str, changes: dict[str, Any], format: Format) -> ChangelogEntry:
    assignments = ", ".join(f"{name} = %({name})s" for name in changes)
    return await ctx.fetch_one(
        ChangelogEntry,
        f"""
        with stamp as (select stamp_change(%(bot)s) as at)
        update changelog_entries as e set {assignments}, updated_at = stamp.at from stamp
        where e.bot_id = %(bot)s and e.workspace_id = %(workspace)s and e.id = %(id)s
        returning {columns(format)}
        """,
        id=entry_id,
        **changes,
    )


async def delete(ctx: Ctx, entry_id: str) -> None:
    await ctx.execute(
        """
        delete from changelog_entries
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=entry_id,
    )
