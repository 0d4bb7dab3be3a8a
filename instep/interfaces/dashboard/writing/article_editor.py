"""Editing an article: a new one, a translation, or the text of an existing one."""

from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from instep.content.articles import editing
from instep.content.articles.actions import create_article, get_article, publish_article, update_article
from instep.content.articles.body_schemas import ArticleCreate, ArticleUpdate, TextEdit
from instep.content.articles.editing import EditedMeanwhile, EditedText
from instep.content.articles.schemas import Article
from instep.content.collections.actions import get_collection, list_collections
from instep.content.style.actions import find_style
from instep.drafting.places.actions import get_place
from instep.drafting.places.schemas import Place
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.offered_languages import first_missing_language
from instep.interfaces.dashboard.review.place_view import line_now, notes_of_place
from instep.interfaces.dashboard.writing import editor_form
from instep.interfaces.dashboard.writing.editor_form import BAD_REQUEST, CONFLICT, VISIBILITIES, EditorForm
from instep.interfaces.dashboard.writing.word_proposals import has_model
from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.core.errors import AppError, NotFound
from instep.platform.core.locales import direction
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from
from instep.platform.web.forms import Form
from instep.platform.web.signed_in import wants_json
from instep.visitors.insights.actions import count_former_links, propose_link_edits

# The level of a collection in the field of all collections.
INDENT = "\u2003"
NEW_ARTICLE = {
    "title": "",
    "description": "",
    "collection": "",
    "visibility": "public",
    "slug": "",
    "content": "",
}
PUBLISHED_AT_PLACE = "Published. If the article now covers this, press “Already covered”."
# Fields that are live as soon as they are saved; only those that were changed in the form are written.
FACTS = ("description", "collection", "visibility", "slug")
router = PageRouter("articles", Role.EDITOR)


@router.get("new")
async def start_article(page: BotPage) -> Response:
    """An empty form; for a translation next to its source text."""
    query = page.query
    values = NEW_ARTICLE | {"locale": page.bot.locale}
    if "translation-of" in query:
        original = await get_article(page.ctx, query["translation-of"])
        taken = [original.locale, *(translation["locale"] for translation in original.translations)]
        missing = await first_missing_language(page.ctx, taken)
        values |= {"translation-of": original.id, **readers_of(original), "locale": missing}
    if "collection" in query:
        values["collection"] = (await get_collection(page.ctx, query["collection"])).id
    if query.get("locale"):
        values["locale"] = query["locale"]
    return await show_new(page, EditorForm(values))


@router.post("new", form_bytes=limits.MAX_EDITOR_FORM_BYTES)
async def create(page: BotPage) -> Response:
    form = page.form
    if problems := await editor_form.links_to_correct(page, form.get("locale", page.bot.locale)):
        return await show_new(page, EditorForm(form, problems=problems))
    try:
        async with page.ctx.tx.transaction():
            article = await create_article(page.ctx, body_from(ArticleCreate, new_values(form)))
            if editor_form.publishes(form):
                await publish_article(page.ctx, article.id)
    except AppError as refusal:
        return await show_new(page, EditorForm(form, editor_form.field_errors(refusal)))
    if editor_form.publishes(form):
        return editor_form.after_saving(page, f"articles/{article.id}", "Published.")
    return editor_form.after_saving(page, f"articles/{article.id}/edit", "Saved.")


@router.get("{id}/edit")
async def edit_article(page: BotPage) -> Response:
    """The text in the editor; after a change of its address with an offer to correct links to it."""
    opened = await editing.open_text(page.ctx, page.param("id"))
    former_slug = page.query.get("renamed", "")
    links = await count_former_links(page.ctx, opened.id, former_slug) if former_slug else 0
    form = EditorForm({**values_of(opened), "place": page.query.get("place", "")})
    return await show_text(page, opened, form, former_slug=former_slug, links=links)


@router.post("{id}/edit", form_bytes=limits.MAX_EDITOR_FORM_BYTES)
async def save_article(page: BotPage) -> Response:
    """Save the text and the properties, or neither."""
    opened = await editing.open_text(page.ctx, page.param("id"))
    if problems := await editor_form.links_to_correct(page, opened.article.locale, opened.id):
        return await show_text(page, opened, EditorForm(page.form, problems=problems))
    try:
        async with page.ctx.tx.transaction():
            await write(page, page.form)
    except EditedMeanwhile as refusal:
        return await show_conflict(page, refusal.current)
    except AppError as refusal:
        return await show_text(page, opened, EditorForm(page.form, editor_form.field_errors(refusal)))
    return await go_on(page, opened.article.slug)


async def go_on(page: BotPage, slug: str) -> Response:
    """Redirect to the page of a published article, or else to the editor; a script stays in it."""
    saved = await editing.open_text(page.ctx, page.param("id"))
    state = state_of(saved)
    place_id = page.form.get("place", "")
    if editor_form.publishes(page.form) and place_id and await is_open(page.ctx, place_id):
        return editor_form.after_saving(page, f"review/{place_id}", PUBLISHED_AT_PLACE, **state)
    if editor_form.publishes(page.form):
        return editor_form.after_saving(page, f"articles/{saved.id}", "Published.", **state)
    query = {"place": place_id} if place_id else {}
    if slug != saved.article.slug and await count_former_links(page.ctx, saved.id, slug):
        query["renamed"] = slug
    if wants_json(page.request) and "renamed" not in query:
        return page.answer(**state)
    return editor_form.after_saving(
        page, f"articles/{saved.id}/edit?{urlencode(query)}".rstrip("?"), "Saved.", **state
    )


@router.post("{id}/links")
async def correct_links(page: BotPage) -> Response:
    """Propose edits of the texts that link to a former address."""
    number = await propose_link_edits(page.ctx, page.param("id"), page.form.get("renamed", ""))
    sentence = (
        "One draft is waiting for review." if number == 1 else f"{number} drafts are waiting for review."
    )
    return page.leave("review", sentence)


@router.post("{id}/autosave", form_bytes=limits.MAX_EDITOR_FORM_BYTES)
async def autosave(page: BotPage) -> Response:
    """Store the typed text; a script sends it at every pause."""
    try:
        edited = await editing.autosave_text(
            page.ctx, page.param("id"), text_in(page.form), page.form.get("version", "")
        )
    except EditedMeanwhile as refusal:
        return page.answer(CONFLICT, **state_of(refusal.current))
    except AppError as refusal:
        if refusal.status != BAD_REQUEST:
            raise
        return page.answer(BAD_REQUEST, message=refusal.message)
    return page.answer(**state_of(edited))


async def write(page: BotPage, form: Form) -> None:
    ctx, id = page.ctx, page.param("id")
    # Detect someone else's text first, before anything is changed.
    edited = await editing.autosave_text(ctx, id, text_in(form), form.get("version", ""))
    changes = changed_facts(form)
    if changes:
        await update_article(ctx, id, body_from(ArticleUpdate, changes))
    if editor_form.publishes(form):
        await publish_article(ctx, id)
    else:
        await editing.save_text(ctx, id, text_in(form), edited.version)


def text_in(form: Form) -> TextEdit:
    return body_from(TextEdit, {"title": form.get("title", ""), "content": form.get("content", "")})


def changed_facts(form: Form) -> dict[str, Any]:
    """The properties changed in the form; one that another person has changed since stays theirs."""
    values: dict[str, Any] = {
        name: form[name]
        for name in FACTS
        if name in form and lines(form[name]) != lines(form.get(f"opened-{name}"))
    }
    if "collection" in values:
        values["collectionId"] = values.pop("collection") or None
    return values


def lines(text: str | None) -> list[str] | None:
    return None if text is None else text.splitlines()


def new_values(form: Form) -> dict[str, Any]:
    """The fields of a new article, without empty ones."""
    names = {
        "slug": "slug",
        "description": "description",
        "locale": "locale",
        "translation-of": "translationOf",
    }
    return {
        "title": form.get("title", ""),
        "contentMarkdown": form.get("content", "").replace("\r\n", "\n"),
        "collectionId": form.get("collection") or None,
        "visibility": form.get("visibility", "public"),
        **{alias: form[name] for name, alias in names.items() if form.get(name)},
    }


def values_of(edited: EditedText) -> dict[str, str]:
    article = edited.article
    return {
        "title": edited.title,
        "content": edited.content,
        "version": edited.version,
        "locale": article.locale,
        **facts_of(article),
    }


def facts_of(article: Article) -> dict[str, str]:
    return {
        "description": article.description or "",
        **readers_of(article),
        "slug": article.slug,
    }


def readers_of(article: Article) -> dict[str, str]:
    """The fields that decide who finds and reads an article."""
    return {"collection": article.collection_id or "", "visibility": article.visibility}


def state_of(edited: EditedText) -> dict[str, Any]:
    return {
        "version": edited.version,
        "author": edited.author_name,
        "savedAt": isoformat(edited.saved_at),
        "hasUnpublishedChanges": edited.article.is_live and edited.article.has_unpublished_changes,
    }


async def show_conflict(page: BotPage, current: EditedText) -> Response:
    """Both texts, the other one's author, and a form that overwrites it on purpose."""
    other = await editor_form.compare_with_ours(
        page, current.content, current.author_name, current.saved_at, current.title
    )
    values = {**page.form, "version": current.version}
    return await show_text(page, current, EditorForm(values, other=other))


async def show_new(page: BotPage, form: EditorForm) -> Response:
    source = form.values.get("translation-of")
    return await page.show(
        "writing/article_editor.html",
        form.status,
        form=form,
        article=None,
        source=await editing.open_source(page.ctx, source, None) if source else None,
        place=None,
        opened=None,
        links=0,
        **await choices(page, form),
    )


async def show_text(
    page: BotPage, opened: EditedText, form: EditorForm, former_slug: str = "", links: int = 0
) -> Response:
    article = opened.article
    place = await find_place_of(page.ctx, form.value("place"), article.id)
    source = article.translation_of and await editing.open_source(
        page.ctx, article.translation_of, article.id
    )
    return await page.show(
        "writing/article_editor.html",
        form.status,
        form=form,
        article=article,
        source=source,
        opened=facts_of(article),
        place=place,
        notes=notes_of_place(place) if place else [],
        line=line_now(form.value("content"), place) if place else None,
        author_name=opened.author_name,
        saved_at=editor_form.time_of_day(opened.saved_at),
        former_slug=former_slug,
        links=links,
        **await choices(page, form),
    )


async def find_place_of(ctx: Ctx, place_id: str, article_id: str) -> Place | None:
    """The place that the text is written for; None unless it is one of this article."""
    try:
        place = await get_place(ctx, place_id) if place_id else None
    except NotFound:
        return None
    return place if place is not None and place.article_id == article_id else None


async def is_open(ctx: Ctx, place_id: str) -> bool:
    try:
        return (await get_place(ctx, place_id)).status == "open"
    except NotFound:
        return False


async def choices(page: BotPage, form: EditorForm) -> dict[str, Any]:
    locale = form.value("locale") or page.bot.locale
    return {
        "collections": await offered_collections(page, form.values.get("collection")),
        "visibilities": VISIBILITIES,
        "locale": locale,
        "direction": direction(locale),
        "time_of_day": editor_form.time_of_day,
        "has_model": await has_model(page),
        "has_style": (await find_style(page.ctx)).has_checks,
    }


async def offered_collections(page: BotPage, current_id: str | None) -> list[tuple[str, str]]:
    """Pairs of an id and a title, indented by level; the current one is included, unless it was deleted."""
    rows = (await list_collections(page.ctx, page.first_rows(limits.MAX_COLLECTIONS_OFFERED))).rows
    pairs = [(row.id, INDENT * len(row.ancestor_ids) + row.title) for row in rows]
    if current_id and current_id not in dict(pairs):
        with suppress(NotFound):
            pairs.append((current_id, (await get_collection(page.ctx, current_id)).title))
    return [("", "None"), *pairs]
