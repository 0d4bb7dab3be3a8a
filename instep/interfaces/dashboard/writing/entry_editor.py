"""Editing a changelog entry."""

from typing import Any

from starlette.responses import Response

from instep.content.changelog import actions
from instep.content.changelog.schemas import ChangelogEntry, ChangelogEntryCreate, ChangelogEntryUpdate
from instep.content.style.actions import find_style
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.writing.editor_form import (
    EditorForm,
    after_saving,
    compare_with_ours,
    field_errors,
    links_to_correct,
    publishes,
    time_of_day,
)
from instep.interfaces.dashboard.writing.word_proposals import has_model
from instep.platform.core import limits
from instep.platform.core.errors import AppError, Conflict
from instep.platform.core.locales import direction
from instep.platform.identity.scopes import Role
from instep.platform.text.line_ends import value_in_field, with_line_ends_of
from instep.platform.web.errors import body_from

router = PageRouter("changelog", Role.EDITOR)


@router.get("new")
async def start_entry(page: BotPage) -> Response:
    return await show_form(page, None, EditorForm({}))


@router.post("new", form_bytes=limits.MAX_EDITOR_FORM_BYTES)
async def create_entry(page: BotPage) -> Response:
    text = {
        "title": page.form.get("title", ""),
        "contentMarkdown": with_line_ends_of("", page.form.get("content", "")),
    }
    try:
        async with page.ctx.tx.transaction():
            entry = await actions.create_changelog_entry(page.ctx, body_from(ChangelogEntryCreate, text))
            if publishes(page.form):
                await actions.publish_changelog_entry(page.ctx, entry.id)
    except AppError as refusal:
        return await show_form(page, None, EditorForm(page.form, field_errors(refusal)))
    return after_saving_entry(page, entry)


@router.get("{id}/edit")
async def edit_entry(page: BotPage) -> Response:
    entry = await find_entry(page)
    return await show_form(page, entry, EditorForm(entry_values(entry)))


@router.post("{id}/edit", form_bytes=limits.MAX_EDITOR_FORM_BYTES)
async def save_entry(page: BotPage) -> Response:
    entry = await find_entry(page)
    if problems := await links_to_correct(page, page.bot.locale, is_live=entry.is_live):
        return await show_form(page, entry, EditorForm(page.form, problems=problems))
    text = {
        "title": value_in_field(entry.title, page.form.get("title", "")),
        "contentMarkdown": with_line_ends_of(entry.content, page.form.get("content", "")),
    }
    try:
        async with page.ctx.tx.transaction():
            update = body_from(ChangelogEntryUpdate, text)
            # The same text may be sent again: nothing would be lost.
            is_same = text == {"title": entry.title, "contentMarkdown": entry.content}
            version = None if is_same else f'"{page.form.get("version", "")}"'
            saved = await actions.update_changelog_entry(page.ctx, entry.id, update, if_match=version)
            if publishes(page.form):
                await actions.publish_changelog_entry(page.ctx, saved.id)
    except Conflict:
        return await show_entry_conflict(page, entry)
    except AppError as refusal:
        return await show_form(page, entry, EditorForm(page.form, field_errors(refusal)))
    return after_saving_entry(page, entry)


async def find_entry(page: BotPage) -> ChangelogEntry:
    return await actions.get_changelog_entry(page.ctx, page.param("id"))


def version_of(entry: ChangelogEntry) -> str:
    return entry.etag.strip('"')


def entry_values(entry: ChangelogEntry) -> dict[str, str]:
    return {"title": entry.title, "content": entry.content, "version": version_of(entry)}


def after_saving_entry(page: BotPage, entry: ChangelogEntry) -> Response:
    if publishes(page.form):
        return after_saving(page, "changelog", f"Published “{entry.title}”.")
    return after_saving(page, f"changelog/{entry.id}/edit", "Saved.")


async def show_entry_conflict(page: BotPage, entry: ChangelogEntry) -> Response:
    other = await compare_with_ours(page, entry.content, None, entry.updated_at, entry.title)
    return await show_form(page, entry, EditorForm({**page.form, "version": version_of(entry)}, other=other))


async def show_form(page: BotPage, entry: ChangelogEntry | None, form: EditorForm) -> Response:
    shared: dict[str, Any] = {"locale": page.bot.locale, "direction": direction(page.bot.locale)}
    shared["has_model"] = await has_model(page)
    shared["has_style"] = (await find_style(page.ctx)).has_checks
    return await page.show(
        "writing/entry_editor.html", form.status, form=form, entry=entry, time_of_day=time_of_day, **shared
    )
