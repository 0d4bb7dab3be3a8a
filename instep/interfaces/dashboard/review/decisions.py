"""A reviewer's decisions on a draft: apply, approve, dismiss, edit, undo; and the next page."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.responses import Response

from instep.drafting.drafts.actions import apply_draft, dismiss_draft, get_draft, propose_edit, update_draft
from instep.drafting.drafts.conflicts import merge_parts
from instep.drafting.drafts.pending import ProposalChanged, find_draft, lock_draft
from instep.drafting.drafts.queue_pages import find_place
from instep.drafting.drafts.reopening import reopen_draft
from instep.drafting.drafts.schemas import DraftApply, DraftCreate, DraftDismiss, DraftTexts, DraftUpdate
from instep.drafting.places.actions import get_place
from instep.drafting.places.schemas import Place
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.review import draft_pages
from instep.interfaces.dashboard.review.filters import QueueFilter
from instep.interfaces.dashboard.review.place_view import is_place
from instep.interfaces.dashboard.review.queue_pane import read_pane
from instep.interfaces.dashboard.review.resolution import (
    UndecidedConflict,
    picked_text,
    picked_title,
    read_resolution,
)
from instep.interfaces.dashboard.writing.editor_form import EditorForm, after_saving, field_errors
from instep.platform.core import limits
from instep.platform.core.errors import AppError, Conflict, InvalidRequest
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import shorten
from instep.platform.web.errors import body_from
from instep.platform.web.notices import Notice
from instep.platform.web.signed_in import asks_for_part, wants_json

CHANGED_SINCE = (
    "The article changed while you were reviewing this draft, so nothing was applied: check it again."
)

router = PageRouter("review/{draft_id}", Role.EDITOR)


class NothingTakenIn(InvalidRequest):
    """Every change is left out, so nothing would be applied: dismiss the draft instead."""


@router.post("apply")
async def send_apply(page: BotPage) -> Response:
    """Apply the draft, or approve it for a release, without the changes that are left out."""
    is_release = page.form.get("when") == "release"
    title = (await find_draft(page.ctx, page.param("draft_id"))).title
    words = f"Approved “{title}” for release." if is_release else f"Applied “{title}”."

    async def act() -> None:
        request = body_from(DraftApply, apply_fields(page))
        await apply_draft(page.ctx, page.param("draft_id"), request, seen=page.form.get("seen"))

    return await decide(page, act, words, can_be_undone=not is_release)


def apply_fields(page: BotPage) -> dict[str, Any]:
    form = page.form
    fields: dict[str, Any] = {"when": "release"} if form.get("when") == "release" else {}
    if form.get("allVersions"):
        fields["allVersions"] = True
    left_out = set(draft_pages.numbers_in(form.get("out", "")))
    if not left_out:
        return fields
    count = min(draft_pages.number_in(form.get("hunks", "")), limits.MAX_HUNKS)
    hunks = [number for number in range(1, count + 1) if number not in left_out]
    if not hunks:
        raise NothingTakenIn
    return {**fields, "hunks": hunks, "baseVersion": draft_pages.number_in(form.get("baseVersion", ""))}


@router.post("dismiss")
async def send_dismiss(page: BotPage) -> Response:
    fields = {name: value for name in ("reason", "comment") if (value := page.form.get(name, "").strip())}
    title = (await find_draft(page.ctx, page.param("draft_id"))).title

    async def act() -> None:
        await dismiss_draft(page.ctx, page.param("draft_id"), body_from(DraftDismiss, fields))

    return await decide(page, act, f"Dismissed “{title}”.")


async def leave_to_draft(page: BotPage, refusal: AppError) -> Response:
    """Show the draft or the place again, with the reason why nothing was changed."""
    return page.leave(f"review/{page.param('draft_id')}", refusal.message)


@router.post("reopen", refused=leave_to_draft)
async def send_reopen(page: BotPage) -> Response:
    """Undo an application or a dismissal; show the draft again."""
    draft = await reopen_draft(page.ctx, page.param("draft_id"))
    return page.leave(f"review/{draft.id}", f"“{draft.title}” is waiting for review again.")


@router.post("edit", form_bytes=limits.MAX_EDIT_FORM_BYTES)
async def send_edit(page: BotPage) -> Response:
    """Save the edited proposal, or apply it at once."""
    draft_id = page.param("draft_id")
    draft = await lock_draft(page.ctx, draft_id)
    outdated = await draft_pages.outdated_form(page, draft)
    if outdated is not None:
        return await draft_pages.show_editor(page, draft, outdated)
    title, content = page.form.get("title", "").strip(), draft_pages.typed_text(page, draft)
    try:
        async with page.ctx.tx.transaction():
            if (title, content) != (draft.title, draft.content):
                update = body_from(DraftUpdate, {"title": title, "contentMarkdown": content})
                await update_draft(page.ctx, draft_id, update)
    except AppError as error:
        return await draft_pages.show_editor(page, draft, EditorForm(page.form, field_errors(error)))
    if page.form.get("act") != "apply":
        return after_saving(
            page, f"review/{draft_id}{suffix_of(page)}", f"Saved “{title}”. Nothing is live yet."
        )

    async def act() -> None:
        await apply_draft(page.ctx, draft_id, DraftApply())

    return await decide(page, act, f"Applied “{title}”.")


@router.post("propose", form_bytes=limits.MAX_EDIT_FORM_BYTES)
async def send_proposal(page: BotPage) -> Response:
    """Propose a text as a separate draft, because its draft was settled while someone edited it."""
    settled = await find_draft(page.ctx, page.param("draft_id"))
    fields = {
        "title": page.form.get("title", "").strip(),
        "contentMarkdown": draft_pages.typed_text(page, settled),
    }
    try:
        async with page.ctx.tx.transaction():
            detail = await propose_edit(page.ctx, settled.article_id, body_from(DraftCreate, fields))
    except AppError as error:
        return await draft_pages.show_editor(page, settled, EditorForm(page.form, field_errors(error)))
    return page.leave(f"review/{detail.id}", "Your text is now a separate draft. Nothing is live yet.")


@router.post("resolve", form_bytes=limits.MAX_EDIT_FORM_BYTES)
async def send_resolution(page: BotPage) -> Response:
    """Apply the choices for the conflicts."""
    draft = await find_draft(page.ctx, page.param("draft_id"))
    if draft.status != "pending":
        return await refuse(page, (await settled_words(page)))
    try:
        parts = await merge_parts(draft)
        content, title = picked_text(parts, page.form), picked_title(draft, page.form)
    except UndecidedConflict as error:
        return await show_conflict_again(page, error.message)
    version = draft_pages.number_in(page.form.get("baseVersion", ""))
    fields = {"title": title, "contentMarkdown": content, "onConflict": "overwrite", "baseVersion": version}
    if version != draft.current_version:
        return await show_conflict_again(page, CHANGED_SINCE)

    async def act() -> None:
        await apply_draft(page.ctx, draft.id, body_from(DraftApply, fields), seen=page.form.get("seen"))

    return await decide(page, act, f"Applied “{title}”.")


async def show_conflict_again(page: BotPage, problem: str) -> Response:
    """The current conflict, with the choices made so far."""
    draft_id = page.param("draft_id")
    detail = await get_draft(page.ctx, draft_id)
    resolution = await read_resolution(detail.draft, page.form, problem)
    pane = await read_pane(page, draft_id)
    return await draft_pages.show_in_pane(page, pane, detail, resolution=resolution, status=400)


async def decide(
    page: BotPage, act: Callable[[], Awaitable[None]], words: str, *, can_be_undone: bool = True
) -> Response:
    """Run the decision, and go to the next draft of the queue; a refusal changes nothing and is shown."""
    draft_id = page.param("draft_id")
    place = await find_place(page.ctx, QueueFilter.of(page.query).criteria(page.person.id), draft_id)
    try:
        # A refusal rolls back only the changes of the action.
        async with page.ctx.tx.transaction():
            await act()
    except ProposalChanged as error:
        return await refuse(page, error.message)
    except Conflict:
        return await refuse(page, CHANGED_SINCE)
    except AppError as error:
        return await refuse(page, await settled_words(page) or error.message)
    sentence = shorten(" ".join([words, *page.ctx.warnings]), limits.MAX_NOTICE_CHARACTERS)
    folder = "places" if is_place(draft_id) else "review"
    undo = page.path(f"{folder}/{draft_id}/reopen{suffix_of(page)}") if can_be_undone else None
    if takes_toast(page):
        return page.show_part("review/acted.html", sentence=sentence, undo=undo)
    next_id = place.next_id or place.previous_id
    target = f"review/{next_id}" if next_id else "review"
    return after_saving(page, target + suffix_of(page), Notice(sentence, undo))


async def settled_words(page: BotPage) -> str:
    """The name of the person who settled the draft or the place; empty while it is pending."""
    item = await find_item(page)
    if item.status in ("pending", "open"):
        return ""
    title = item.article_title if isinstance(item, Place) else item.title
    return f"Nothing was changed: {item.settled_by_name or 'someone'} already {item.status} “{title}”."


async def find_item(page: BotPage) -> DraftTexts | Place:
    item_id = page.param("draft_id")
    if is_place(item_id):
        return await get_place(page.ctx, item_id)
    return await find_draft(page.ctx, item_id)


async def refuse(page: BotPage, sentence: str) -> Response:
    """Show the draft with the reason or, on a page that has already moved on, a toast that leads back."""
    draft_id = page.param("draft_id")
    if takes_toast(page):
        href = page.path(f"review/{draft_id}")
        return page.show_part(
            "review/not_acted.html",
            409,
            sentence=sentence,
            href=href,
            is_place=is_place(draft_id),
        )
    return after_saving(page, f"review/{draft_id}{suffix_of(page)}", sentence)


def takes_toast(page: BotPage) -> bool:
    """True if the page has already moved on; the editor follows the response's JSON instead."""
    return asks_for_part(page.request) and not wants_json(page.request)


def suffix_of(page: BotPage) -> str:
    return QueueFilter.of(page.query).suffix()
