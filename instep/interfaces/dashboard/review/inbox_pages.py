"""The inbox of the person who is signed in."""

from starlette.responses import Response
from starlette.routing import Route

from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.running.listing import links_between
from instep.notifications.inbox.actions import list_notices, mark_all_read, open_notice
from instep.notifications.inbox.schemas import NoticeKind, page_of_notice
from instep.platform.core import limits

INBOX = "/app/{bot_slug}/inbox"
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


@bot_page("inbox")
async def show_inbox(page: BotPage) -> Response:
    rows = await list_notices(page.ctx, page.person.id, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE))
    links = links_between(page, "inbox", rows.next_cursor)
    return await page.show("review/inbox.html", inbox=rows.rows, words=WORDS, links=links)


@bot_page("inbox", open_while_paused=True)
async def send_opened_notice(page: BotPage) -> Response:
    """Mark a notice as read, and go to what it is about."""
    notice = await open_notice(page.ctx, page.person.id, page.request.path_params["notice_id"])
    return page.leave(page_of_notice(notice.kind, notice.subject))


@bot_page("inbox", open_while_paused=True)
async def send_all_read(page: BotPage) -> Response:
    await mark_all_read(page.ctx, page.person.id)
    return page.leave("inbox", "Marked everything as read.")


routes = [
    Route(INBOX, show_inbox),
    Route(f"{INBOX}/read", send_all_read, methods=["POST"]),
    Route(f"{INBOX}/{{notice_id}}/open", send_opened_notice, methods=["POST"]),
]
