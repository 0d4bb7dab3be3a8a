"""The pages of the review: the queue, and a draft with its conflict, its editing, style and viewers."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from instep.accounts.people.actions import list_users
from instep.content.product_versions.schemas import named
from instep.content.style.actions import find_style
from instep.content.style.style_checks import Violation, fix_style
from instep.content.style.text_checks import find_violations
from instep.drafting.comments.actions import list_threads
from instep.drafting.drafts.actions import get_draft, update_draft
from instep.drafting.drafts.conflicts import has_conflict
from instep.drafting.drafts.overdue import find_expiry
from instep.drafting.drafts.pending import find_draft, lock_draft
from instep.drafting.drafts.schemas import DraftDetail, DraftTexts, DraftUpdate
from instep.drafting.drafts.versions import list_draft_versions
from instep.drafting.drafts.viewing import list_viewers, note_viewer
from instep.drafting.places.actions import get_place
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.review import queries, wording
from instep.interfaces.dashboard.review.draft_view import VIEWS, DraftView, read_view
from instep.interfaces.dashboard.review.filters import QueueFilter
from instep.interfaces.dashboard.review.place_view import is_place, show_place_in_pane
from instep.interfaces.dashboard.review.queue_pane import QueuePane, read_pane, read_unlisted
from instep.interfaces.dashboard.review.resolution import Resolution, read_resolution
from instep.interfaces.dashboard.review.version_reach import find_reach, kept_words, reached_words
from instep.interfaces.dashboard.review.wording import KIND_WORDS, REASONS, TYPE_WORDS
from instep.interfaces.dashboard.shell import age_in_words, pages
from instep.interfaces.dashboard.writing.editor_form import EditorForm, compare_with_ours, time_of_day
from instep.interfaces.dashboard.writing.word_proposals import has_model
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import whole_number
from instep.platform.text.line_ends import with_line_ends_of
from instep.platform.text.moved_lines import moved_lines
from instep.platform.web.errors import body_from
from instep.platform.web.signed_in import asks_for_part, private_headers

TEMPLATE = "review/draft.html"
TEMPLATE_WORDS = {
    "change_words": wording.change_words,
    "TYPE_WORDS": TYPE_WORDS,
    "kept_words": kept_words,
    "named": named,
    "reached_words": reached_words,
    "KIND_WORDS": KIND_WORDS,
}
pages.pages.environment.globals.update(TEMPLATE_WORDS)
router = PageRouter("review")


@router.get()
async def show_queue(page: BotPage) -> Response:
    """The queue and, if there is room, its first draft next to it."""
    pane = await read_pane(page, None)
    if not pane.rows:
        has_history = not pane.all_total and await queries.has_drafts(page.ctx)
        return await page.show(
            "review/queue.html", pane=pane, item_id=None, is_open=False, has_history=has_history
        )
    first = pane.rows[0]
    pane = pane.with_first_open()
    if first.type == "place":
        return await show_place_in_pane(page, pane, await get_place(page.ctx, first.id), is_open=False)
    return await show_in_pane(page, pane, await get_draft(page.ctx, first.id), is_open=False)


@router.get("{draft_id}")
async def show_draft(page: BotPage) -> Response:
    """A draft or a place: both have their page in the queue."""
    draft_id = page.param("draft_id")
    read = read_unlisted if asks_for_part(page.request) else read_pane
    if is_place(draft_id):
        place = await get_place(page.ctx, draft_id)
        return await show_place_in_pane(page, await read(page, draft_id), place)
    detail = await get_draft(page.ctx, draft_id)
    return await show_in_pane(page, await read(page, draft_id), detail)


@router.get("{draft_id}/diff")
async def show_diff(page: BotPage) -> Response:
    """The whole diff of a draft as plain text, or the text of a new article."""
    detail = await get_draft(page.ctx, page.param("draft_id"))
    text = detail.draft.content if detail.diff is None else detail.diff
    return Response(text, headers=private_headers(), media_type="text/plain")


@router.get("{draft_id}/edit", Role.EDITOR)
async def show_editing(page: BotPage) -> Response:
    """The proposal in the editor."""
    draft_id = page.param("draft_id")
    draft = await find_draft(page.ctx, draft_id)
    if draft.status != "pending":
        return page.leave(f"review/{draft_id}")
    return await show_editor(page, draft, unchanged_form(draft))


async def show_in_pane(
    page: BotPage,
    pane: QueuePane,
    detail: DraftDetail,
    *,
    is_open: bool = True,
    resolution: Resolution | None = None,
    status: int = 200,
) -> Response:
    """The whole page of a draft, or only the draft for a page that is already open."""
    draft = detail.draft
    is_conflict = has_conflict(detail)
    if is_conflict and resolution is None:
        resolution = await read_resolution(draft)
    query = page.query
    view = await read_view(
        page.ctx,
        detail,
        (query.get("view", "page") if query.get("view") in VIEWS else "page") if not is_conflict else "none",
        numbers_in(query.get("out", "")),
        is_unfolded=query.get("unfolded") == "1",
    )
    values: dict[str, Any] = {
        "pane": pane,
        "title": draft.title,
        "item_id": draft.id,
        "item_template": TEMPLATE,
        "view": view,
        "view_tabs": view_tabs(page, view, pane),
        "source_title": wording.source_words(
            draft.source_kind, draft.source_title, draft.source_url, draft.author_name
        ),
        "warnings": wording.linked_warnings(draft.warnings, page.path("review")),
        "expires_at": await find_expiry(page.ctx, draft.id),
        "reach": await find_reach(page.ctx, draft.article_id, draft.version_id) if can_split(draft) else None,
        "is_open": is_open,
        "is_conflict": is_conflict,
        "resolution": resolution,
        "violations": await new_violations(page.ctx, draft),
        "reasons": REASONS,
        "public_path": await queries.find_public_path(page.ctx, draft.article_id),
        "people": await list_users(page.ctx.tx, page.ctx.workspace_id) if page.can_write else [],
        "comments": await list_threads(page.ctx, draft.id),
        "can_reword": draft.status == "pending" and await has_model(page),
        "versions": await list_draft_versions(page.ctx, draft.id),
        "others": [],
        "has_history": True,
        **await queries.language_values(page.ctx, draft.article_id),
    }
    if asks_for_part(page.request):
        return page.show_part(TEMPLATE, status, **values)
    return await page.show("review/queue.html", status, **values)


def can_split(draft: DraftTexts) -> bool:
    """True if applying the draft may leave other versions of the product their text."""
    return draft.status == "pending" and draft.type == "edit" and not draft.changes_all_versions


def view_tabs(page: BotPage, view: DraftView, pane: QueuePane) -> list[tuple[str, str, bool]]:
    here = page.path(f"review/{view.draft.id}")
    out = ",".join(map(str, view.left_out))
    return [
        (
            here + pane.queue_filter.suffix(view=name if name != "page" else None, out=out),
            words,
            name == view.view,
        )
        for name, words in VIEWS.items()
    ]


def numbers_in(text: str) -> list[int]:
    """Numbers of hunks in a URL or a form: `1,3`."""
    numbers = (whole_number(part) for part in text.split(","))
    return [number for number in numbers if number is not None]


def number_in(text: str) -> int:
    """One number of a form; 0 for anything else."""
    return whole_number(text) or 0


def typed_text(page: BotPage, draft: DraftTexts) -> str:
    """The text of the form with the proposal's line endings, because browsers send others."""
    return with_line_ends_of(draft.content, page.form.get("content", ""))


def unchanged_form(draft: DraftTexts) -> EditorForm:
    """The form without changes; `seen` identifies the proposal that it is based on."""
    return EditorForm({"title": draft.title, "content": draft.content, "seen": draft.text_digest})


async def outdated_form(page: BotPage, draft: DraftTexts) -> EditorForm | None:
    """The form next to the current proposal; None if the form is still based on it."""
    if draft.status == "pending" and page.form.get("seen") == draft.text_digest:
        return None
    name, moment = draft.edited_by_name, draft.updated_at
    if draft.settled_at is not None:
        name, moment = draft.settled_by_name, draft.settled_at
    other = await compare_with_ours(page, draft.content, name, moment, draft.title)
    return EditorForm({**page.form, "seen": draft.text_digest}, other=other)


async def show_editor(page: BotPage, draft: DraftTexts, form: EditorForm) -> Response:
    return await page.show(
        "review/draft_editor.html",
        form.status,
        form=form,
        draft=draft,
        suffix=QueueFilter.of(page.query).suffix(),
        source_title=wording.source_words(
            draft.source_kind, draft.source_title, draft.source_url, draft.author_name
        ),
        **await queries.language_values(page.ctx, draft.article_id),
        time_of_day=time_of_day,
        has_style=(await find_style(page.ctx)).has_checks,
    )


@router.post("{draft_id}/presence", open_while_paused=True)
async def send_presence(page: BotPage) -> Response:
    """Record that this person has the draft open; show the others who do, and the draft's status."""
    draft = await find_draft(page.ctx, page.param("draft_id"))
    settled = ""
    if draft.status != "pending":
        when = f" {age_in_words(draft.settled_at, page.ctx.now)}" if draft.settled_at else ""
        settled = f"{draft.settled_by_name or 'Someone'} {draft.status} this draft{when}."
    await note_viewer(page.ctx, draft.id)
    viewers = await list_viewers(page.ctx, [draft.id])
    return page.show_part("review/presence.html", others=viewers.get(draft.id, []), settled=settled)


async def new_violations(ctx: Ctx, draft: DraftTexts) -> Sequence[Violation]:
    """The violations in the lines that a pending draft adds or changes."""
    style = await find_style(ctx)
    if draft.status != "pending" or not style.has_checks:
        return ()
    locale = await queries.find_locale(ctx, draft.article_id) or ctx.bot.locale
    violations = await find_violations(draft.content, style, locale)
    if draft.type != "edit" or not violations:
        return violations
    added_lines = frozenset((await moved_lines(draft.compared_with, draft.content)).added)
    return [row for row in violations if not added_lines.isdisjoint(row.lines)]


@router.post("{draft_id}/style", Role.EDITOR)
async def send_style_fixes(page: BotPage) -> Response:
    """Edit the draft: replace what has a certain fix; nothing goes live."""
    draft_id = page.param("draft_id")
    here = f"review/{draft_id}{QueueFilter.of(page.query).suffix()}"
    draft = await lock_draft(page.ctx, draft_id)
    if page.form.get("seen") != draft.text_digest:
        return page.leave(here, "Nothing was changed: the draft has changed since you opened it.")
    fixed = fix_style(draft.content, await new_violations(page.ctx, draft))
    try:
        async with page.ctx.tx.transaction():
            await update_draft(page.ctx, draft_id, body_from(DraftUpdate, {"contentMarkdown": fixed}))
    except AppError as refusal:
        return page.leave(here, refusal.message)
    return page.leave(here, "Fixed the style in the draft. Nothing is live yet.")
