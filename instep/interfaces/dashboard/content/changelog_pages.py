"""The changelog: the list of its entries, the page of one, and the actions on it."""

from collections.abc import Awaitable
from urllib.parse import urlencode

from starlette.responses import Response

from instep.content.changelog import actions
from instep.content.changelog.schemas import ChangelogEntry
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.article_list import choice
from instep.interfaces.dashboard.content.article_page import CONFLICT, sent_etag
from instep.interfaces.dashboard.content.rendered_text import text_of_page
from instep.platform.core.errors import Conflict
from instep.platform.core.locales import direction
from instep.platform.identity.audit import find_last_change
from instep.platform.identity.scopes import Role
from instep.platform.web.notices import Notice

STATUSES = (("draft", "Draft"), ("published", "Published"), ("archived", "Archived"))
router = PageRouter("changelog")


@router.get()
async def show_changelog(page: BotPage) -> Response:
    status = choice(page.query.get("status"), STATUSES)
    entries = await actions.list_changelog_overviews(page.ctx, status or "all", page.rows_at_cursor())
    first = f"changelog?status={status}" if status else "changelog"
    return await page.show(
        "content/changelog.html",
        entries=entries.rows,
        first_page=first,
        next_page=entries.next_cursor and next_address(status, entries.next_cursor),
        is_first="cursor" not in page.query,
        filtered_status=status,
        tabs_shown=[
            (page.path(f"changelog?status={name}"), words, name == status) for name, words in STATUSES
        ],
    )


def next_address(status: str | None, cursor: str) -> str:
    fields = {"status": status, "cursor": cursor}
    return f"changelog?{urlencode({name: value for name, value in fields.items() if value})}"


@router.get("{id}")
async def show_entry(page: BotPage) -> Response:
    return await entry_page(page)


async def entry_page(page: BotPage, status: int = 200, conflict: str | None = None) -> Response:
    entry = await actions.get_changelog_entry(page.ctx, page.param("id"), "html")
    return await page.show(
        "content/entry.html",
        status,
        entry=entry,
        html=text_of_page(entry.content),
        direction=direction(page.bot.locale),
        url=f"{page.bot.help_url}/changelog/{entry.slug}",
        conflict=conflict,
        last_change=await find_last_change(page.ctx, entry.id) if conflict else None,
    )


@router.post("{id}/publish", Role.EDITOR)
async def publish_entry(page: BotPage) -> Response:
    change = actions.publish_changelog_entry(page.ctx, page.param("id"), sent_etag(page))
    return await change_entry(page, "published", change, undo="unpublish")


@router.post("{id}/unpublish", Role.EDITOR)
async def unpublish_entry(page: BotPage) -> Response:
    change = actions.unpublish_changelog_entry(page.ctx, page.param("id"))
    return await change_entry(page, "unpublished", change, undo="publish")


@router.post("{id}/archive", Role.EDITOR)
async def archive_entry(page: BotPage) -> Response:
    change = actions.archive_changelog_entry(page.ctx, page.param("id"), sent_etag(page))
    return await change_entry(page, "archived", change, undo="unpublish")


@router.post("{id}/delete", Role.EDITOR)
async def delete_entry(page: BotPage) -> Response:
    change = actions.delete_changelog_entry(page.ctx, page.param("id"), sent_etag(page))
    return await change_entry(page, "deleted", change)


async def change_entry(
    page: BotPage, outcome: str, change: Awaitable[ChangelogEntry], undo: str | None = None
) -> Response:
    """Change the entry and show it, or the list if it is deleted; a conflict changes nothing and is shown."""
    try:
        async with page.ctx.tx.transaction():
            entry = await change
    except Conflict:
        return await entry_page(page, CONFLICT, outcome)
    path = f"changelog/{entry.id}"
    notice = Notice(f"“{entry.title}” is {outcome}.", undo and page.path(f"{path}/{undo}"))
    return page.leave(path if undo else "changelog", notice)


@router.get("{id}/delete", Role.EDITOR)
async def ask_whether_to_delete_entry(page: BotPage) -> Response:
    entry = await actions.get_changelog_entry(page.ctx, page.param("id"))
    return await page.show("content/delete_entry.html", entry=entry)
