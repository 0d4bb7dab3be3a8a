"""The routes to comment on a draft, a place or an article, and to settle a thread."""

from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.routing import Route

from instep.drafting.comments import actions
from instep.drafting.comments.schemas import CommentCreate, CommentRow, CommentUpdate
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.notifications.inbox.schemas import page_of_subject
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.scopes import Role
from instep.platform.web.bodies import body_from

POST = ["POST"]


@bot_page("review", Role.EDITOR)
async def send_comment(page: BotPage) -> Response:
    """Add a comment, or a reply."""
    subject = page.request.path_params["subject"]
    fields = {
        name: value for name in ("body", "block", "replyTo") if (value := page.form.get(name, "").strip())
    }
    try:
        async with page.ctx.tx.transaction():
            await actions.add_comment(page.ctx, subject, body_from(CommentCreate, fields))
    except AppError as error:
        return page.leave(page_of_subject(subject), error.message)
    return page.leave(f"{page_of_subject(subject)}#comments", "Added the comment.")


@bot_page("review", Role.EDITOR)
async def send_resolved_thread(page: BotPage) -> Response:
    return await settle(page, actions.resolve_comment, "Resolved the thread.")


@bot_page("review", Role.EDITOR)
async def send_reopened_thread(page: BotPage) -> Response:
    return await settle(page, actions.reopen_comment, "The thread is open again.")


@bot_page("review", Role.EDITOR)
async def send_new_text(page: BotPage) -> Response:
    """Change one's own comment."""

    async def change(ctx: Ctx, comment_id: str) -> CommentRow:
        request = body_from(CommentUpdate, {"body": page.form.get("body", "").strip()})
        return await actions.update_comment(ctx, comment_id, request)

    return await settle(page, change, "Saved the comment.")


@bot_page("review", Role.EDITOR)
async def send_deletion(page: BotPage) -> Response:
    """Delete one's own comment."""
    return await settle(page, actions.delete_comment, "Deleted the comment.")


async def settle(page: BotPage, act: Callable[[Ctx, str], Awaitable[CommentRow]], words: str) -> Response:
    """Run the action on the comment, and show its subject again."""
    try:
        async with page.ctx.tx.transaction():
            await act(page.ctx, page.request.path_params["comment_id"])
    except AppError as error:
        words = error.message
    return page.leave(f"{page_of_subject(page.request.path_params['subject'])}#comments", words)


COMMENTS = "/app/{bot_slug}/comments/{subject}"
COMMENT = f"{COMMENTS}/{{comment_id}}"
routes = [
    Route(COMMENTS, send_comment, methods=POST),
    Route(f"{COMMENT}/resolve", send_resolved_thread, methods=POST),
    Route(f"{COMMENT}/reopen", send_reopened_thread, methods=POST),
    Route(f"{COMMENT}/edit", send_new_text, methods=POST),
    Route(f"{COMMENT}/delete", send_deletion, methods=POST),
]
