"""The routes to comment on a draft, a place or an article, to settle a thread, and to reword a draft."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from instep.accounts.language_model.choosing import models_of
from instep.content.style.actions import find_style
from instep.content.style.prompting import follow_style
from instep.drafting.comments import actions
from instep.drafting.comments.another_wording import read_wording_request, reword_draft
from instep.drafting.comments.schemas import CommentCreate, CommentUpdate
from instep.drafting.writer.llm.rewording import reword
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter, enter_bot
from instep.interfaces.dashboard.writing.word_proposals import NO_MODEL
from instep.notifications.inbox.schemas import page_of_subject
from instep.platform.core.errors import AppError, NotFound, PlanInactive
from instep.platform.identity.access import hold_open
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.llm.protocol import CompletionError
from instep.platform.web.errors import body_from
from instep.platform.web.notices import Notice, keep_notice
from instep.platform.web.signed_in import require_person, see_other

router = PageRouter("comments/{subject}", Role.EDITOR, section="review")


async def leave_to_subject(page: BotPage, refusal: AppError) -> Response:
    return leave(page, refusal.message)


@router.post(refused=leave_to_subject)
async def send_comment(page: BotPage) -> Response:
    """Add a comment, or a reply."""
    subject = page.param("subject")
    fields = {
        name: value for name in ("body", "block", "replyTo") if (value := page.form.get(name, "").strip())
    }
    await actions.add_comment(page.ctx, subject, body_from(CommentCreate, fields))
    return leave(page, "Added the comment.")


@router.post("{comment_id}/resolve", refused=leave_to_subject)
async def send_resolved_thread(page: BotPage) -> Response:
    await actions.resolve_comment(page.ctx, page.param("comment_id"))
    return leave(page, "Resolved the thread.")


@router.post("{comment_id}/reopen", refused=leave_to_subject)
async def send_reopened_thread(page: BotPage) -> Response:
    await actions.reopen_comment(page.ctx, page.param("comment_id"))
    return leave(page, "The thread is open again.")


@router.post("{comment_id}/edit", refused=leave_to_subject)
async def send_new_text(page: BotPage) -> Response:
    """Change one's own comment."""
    request = body_from(CommentUpdate, {"body": page.form.get("body", "").strip()})
    await actions.update_comment(page.ctx, page.param("comment_id"), request)
    return leave(page, "Saved the comment.")


@router.post("{comment_id}/delete", refused=leave_to_subject)
async def send_deletion(page: BotPage) -> Response:
    """Delete one's own comment."""
    await actions.delete_comment(page.ctx, page.param("comment_id"))
    return leave(page, "Deleted the comment.")


def leave(page: BotPage, words: str) -> Response:
    """Show the comments of the subject again."""
    return page.leave(f"{page_of_subject(page.param('subject'))}#comments", words)


@router.route("{comment_id}/reword", "POST")
@require_person(Role.EDITOR)
async def send_wording_request(request: Request, person: Person) -> Response:
    """Ask the model for another wording of the draft, and show the draft with it or with the obstacle."""
    path = request.path_params
    response = see_other(f"/app/{path['bot_slug']}/review/{path['subject']}")
    try:
        words = await ask_for_wording(request, person)
    except (NotFound, PlanInactive):
        raise
    except (CompletionError, AppError) as refusal:
        words = f"No other wording. {refusal.message}"
    keep_notice(request, response, Notice(words))
    return response


async def ask_for_wording(request: Request, person: Person) -> str:
    """Change the draft, without holding a connection while the model writes; return a sentence for people."""
    enter = partial(enter_bot, request, person)
    async with enter() as ctx:
        await hold_open(ctx.tx, ctx.workspace_id)
        style = await find_style(ctx)
        wish = await read_wording_request(ctx, request.path_params["comment_id"])
    chosen = await models_of(request.app.state).choose(enter, "editor")
    if chosen is None:
        raise CompletionError(NO_MODEL)
    rewording = await reword(follow_style(chosen.model, style), wish.request, ctx.bot.help_url)
    async with enter() as ctx, ctx.tx.transaction():
        await reword_draft(ctx, wish, rewording, chosen.model.name)
    return f"{chosen.model.name} reworded the draft, which is not live yet. {rewording.note}".strip()
