"""The route of the editor's language model menu, which rewords a part of the text."""

from dataclasses import replace
from functools import partial
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from instep.accounts.language_model.choosing import models_of
from instep.content.style.actions import find_style
from instep.content.style.prompting import follow_style
from instep.content.style.text_checks import find_violations
from instep.drafting.places.actions import get_place
from instep.drafting.tasks.rewording_reasons import reasons_of
from instep.drafting.writer.llm.rewording import Intent, Rewording, request_for_section, reword
from instep.drafting.writer.llm.rewording import Request as RewordingRequest
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter, enter_bot
from instep.interfaces.dashboard.review.place_view import line_now
from instep.interfaces.dashboard.writing.editor_form import BAD_REQUEST
from instep.platform.core import limits
from instep.platform.core.errors import InvalidValue
from instep.platform.identity.access import hold_open
from instep.platform.identity.schemas import Ctx, Person
from instep.platform.identity.scopes import Role
from instep.platform.llm.protocol import CompletionError
from instep.platform.text.word_changes import mark_changes
from instep.platform.web.forms import Form
from instep.platform.web.signed_in import form_of, private_headers, require_person

NO_MODEL = "No language model is set for this help center's editor: an owner can set one."
router = PageRouter("writing/words", section="articles")


async def has_model(page: BotPage) -> bool:
    """True if the editor offers the menu of the language model."""
    return await models_of(page.request.app.state).has_model(page.ctx, "editor")


@router.route("", "POST")
@require_person(Role.EDITOR, form_bytes=limits.MAX_EDITOR_FORM_BYTES)
async def propose_words(request: Request, person: Person) -> Response:
    """Ask the model to reword a part of the text, without holding a connection or storing anything."""
    enter = partial(enter_bot, request, person)
    async with enter() as ctx:
        await hold_open(ctx.tx, ctx.workspace_id)
        style = await find_style(ctx)
        wish = await read_request(ctx, form_of(request))
    if wish.intent == "style":
        violations = await find_violations(wish.selected, style, request.query_params.get("locale", "en"))
        wish = replace(wish, reasons=tuple(f"{row.message} ({row.words})" for row in violations))
    try:
        chosen = await models_of(request.app.state).choose(enter, "editor")
        if chosen is None:
            raise CompletionError(NO_MODEL)
        proposal = await reword(follow_style(chosen.model, style), wish, ctx.bot.help_url)
    except CompletionError as error:
        return JSONResponse({"message": error.message}, BAD_REQUEST, private_headers())
    return JSONResponse(await answer_with(wish, proposal), headers=private_headers())


async def read_request(ctx: Ctx, form: Form) -> RewordingRequest:
    """The request of a form; for a place it is about the place's current section."""
    intent: Intent | None = next((name for name in get_args(Intent) if name == form.get("intent")), None)
    before, selected, after = (
        form.get(name, "").replace("\r\n", "\n") for name in ("before", "selected", "after")
    )
    title, text = form.get("title", ""), before + selected + after
    if intent is None or len(text) > limits.MAX_CONTENT_CHARACTERS:
        raise InvalidValue("text", "it must not be longer than the longest article")
    if intent != "write":
        return RewordingRequest(intent, title, before, selected, after)
    place = await get_place(ctx, form.get("place", ""))
    reasons = await reasons_of(ctx, place.task_id, place.source_title, place.evidence)
    reasons.insert(0, place.reason)
    return request_for_section(title, text, line_now(text, place), reasons)


async def answer_with(wish: RewordingRequest, proposal: Rewording) -> dict[str, Any]:
    """Both texts with removed and added words marked; `from` counts like scripts, in UTF-16."""
    runs = await mark_changes(wish.selected, proposal.text)
    return {
        "from": len(wish.before.encode("utf-16-le")) // 2,
        "old": wish.selected,
        "new": proposal.text,
        "note": proposal.note,
        "warnings": proposal.warnings,
        "words": [(word.change, word.text) for run in runs for word in run.words],
    }
