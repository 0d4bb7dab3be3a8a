"""The routes to comment on a draft, a place or an article, and to settle a thread."""

from starlette.responses import Response

from instep.drafting.comments import actions
from instep.drafting.comments.schemas import CommentCreate, CommentUpdate
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.notifications.inbox.schemas import page_of_subject
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.bodies import body_from

router = PageRouter("comments/{subject}", Role.EDITOR, section="review")


async def leave_to_subject(page: BotPage, refusal: AppError) -> Response:
    return leave(page, refusal.message)


@router.post(refused=leave_to_subject)
async def send_comment(page: BotPage) -> Response:
    """Add a comment, or a reply."""
    subject = page.request.path_params["subject"]
    fields = {
        name: value for name in ("body", "block", "replyTo") if (value := page.form.get(name, "").strip())
    }
    await actions.add_comment(page.ctx, subject, body_from(CommentCreate, fields))
    return leave(page, "Added the comment.")


@router.post("{comment_id}/resolve", refused=leave_to_subject)
async def send_resolved_thread(page: BotPage) -> Response:
    await actions.resolve_comment(page.ctx, comment_id_of(page))
    return leave(page, "Resolved the thread.")


@router.post("{comment_id}/reopen", refused=leave_to_subject)
async def send_reopened_thread(page: BotPage) -> Response:
    await actions.reopen_comment(page.ctx, comment_id_of(page))
    return leave(page, "The thread is open again.")


@router.post("{comment_id}/edit", refused=leave_to_subject)
async def send_new_text(page: BotPage) -> Response:
    """Change one's own comment."""
    request = body_from(CommentUpdate, {"body": page.form.get("body", "").strip()})
    await actions.update_comment(page.ctx, comment_id_of(page), request)
    return leave(page, "Saved the comment.")


@router.post("{comment_id}/delete", refused=leave_to_subject)
async def send_deletion(page: BotPage) -> Response:
    """Delete one's own comment."""
    await actions.delete_comment(page.ctx, comment_id_of(page))
    return leave(page, "Deleted the comment.")


def comment_id_of(page: BotPage) -> str:
    return str(page.request.path_params["comment_id"])


def leave(page: BotPage, words: str) -> Response:
    """Show the comments of the subject again."""
    return page.leave(f"{page_of_subject(page.request.path_params['subject'])}#comments", words)
