"""Editing a draft in the editor of articles: the values of its form, and obstacles to saving it."""

from starlette.responses import Response

from instep.content.style.actions import find_style
from instep.drafting.drafts.schemas import DraftTexts
from instep.interfaces.dashboard.bot_pages import BotPage
from instep.interfaces.dashboard.review import queries
from instep.interfaces.dashboard.review.filters import QueueFilter
from instep.interfaces.dashboard.review.wording import source_words
from instep.interfaces.dashboard.writing.editor_form import EditorForm, compare_with_ours, time_of_day
from instep.platform.text.line_ends import with_line_ends_of


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
        source_title=source_words(draft.source_kind, draft.source_title, draft.source_url, draft.author_name),
        **await queries.language_values(page.ctx, draft.article_id),
        time_of_day=time_of_day,
        has_style=(await find_style(page.ctx)).has_checks,
    )
