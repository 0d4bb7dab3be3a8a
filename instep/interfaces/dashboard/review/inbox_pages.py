"""The inbox of the person who is signed in."""

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.listing import links_between
from instep.notifications.inbox.actions import list_notices, mark_all_read, open_notice
from instep.notifications.inbox.schemas import NoticeKind, page_of_notice
from instep.platform.core import limits

WORDS: dict[NoticeKind, str] = {
    "assigned": "asked you to review",
    "mentioned": "mentioned you in a comment on",
    "commented": "commented on",
    "applied": "applied your draft of",
    "dismissed": "dismissed your draft of",
    "waiting": "reminds you to review",
    "expiring": "will soon dismiss, because nobody has decided on it,",
    "conflict": "found a conflict with your version of",
}
router = PageRouter("inbox")


@router.get()
async def show_inbox(page: BotPage) -> Response:
    rows = await list_notices(page.ctx, page.person.id, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE))
    links = links_between(page, "inbox", rows.next_cursor)
    return await page.show("review/inbox.html", inbox=rows.rows, words=WORDS, links=links)


@router.post("{notice_id}/open", open_while_paused=True)
async def send_opened_notice(page: BotPage) -> Response:
    """Mark a notice as read, and go to what it is about."""
    notice = await open_notice(page.ctx, page.person.id, page.param("notice_id"))
    return page.leave(page_of_notice(notice.kind, notice.subject))


@router.post("read", open_while_paused=True)
async def send_all_read(page: BotPage) -> Response:
    await mark_all_read(page.ctx, page.person.id)
    return page.leave("inbox", "Marked everything as read.")
