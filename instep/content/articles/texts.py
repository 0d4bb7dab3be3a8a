"""The building blocks of articles, for the actions of this slice and of others: find, create, replace, save.

None of them checks whether the caller may write: call them inside an action that is marked `@writes`.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from instep.accounts.people.actions import find_member_id
from instep.content.articles import queries, revisions
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.articles.events import emit_change
from instep.content.articles.following import follow_later
from instep.content.articles.published_versions import record_published_version
from instep.content.articles.revision_schemas import Revision
from instep.content.articles.schemas import Article, Status, TextSource, Verification, WorkingCopy
from instep.content.articles.version_ranges import changed_versions, version_columns
from instep.content.collections.actions import referenced_id
from instep.content.golden.actions import ask_for_golden_questions, warn_of_loss
from instep.content.golden.schemas import PublicText
from instep.content.parts.readers_texts import text_columns
from instep.content.product_versions.actions import refuse_contradictions
from instep.notifications.inbox.actions import notify
from instep.notifications.inbox.schemas import NoticeSubject
from instep.notifications.webhooks.emit import ask_for_endpoints
from instep.platform.core.errors import Conflict, InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.markdown import Format
from instep.platform.core.slug_rules import SlugTaken, slug_must_be_free
from instep.platform.identity.schemas import Ctx
from instep.platform.text.slugs import free_slug, slugify

# The notice to the author of unpublished changes that a new text has replaced.
REPLACED = "A new text of the article was saved. Your unpublished changes are in its history."


async def find_article(ctx: Ctx, ref: str, format: Format = "markdown", *, lock: bool = False) -> Article:
    """The article with this id, or this current or former slug; raises `NotFound` (404) otherwise."""
    article = await queries.find(ctx, ref, format, lock=lock)
    if article is None and (moved := await queries.find_former(ctx, ref)):
        article = await queries.find(ctx, moved, format, lock=lock)
    if article is None:
        raise NotFound.of("article")
    return article


async def referenced_article(ctx: Ctx, ref: str, field: str, *, lock: bool = False) -> Article:
    """The article that a body's field names; an unknown one is an invalid value, not a 404."""
    try:
        return await find_article(ctx, ref, lock=lock)
    except NotFound:
        raise InvalidValue(field, "this article does not exist") from None


async def create_for_review(ctx: Ctx, new: ArticleCreate, source: TextSource) -> Article:
    """Create the article of a draft in the review queue; publishing or deleting it settles the draft."""
    return await create(ctx, new, "markdown", source, "in_review")


async def create(ctx: Ctx, new: ArticleCreate, format: Format, source: TextSource, status: Status) -> Article:
    """Insert an article with this status, with its text in `format`, without an event.

    Raises `SlugTaken` if the sent slug is in use, and `InvalidRequest` for a reference to something that
    does not exist, or for a second translation into one language.
    """
    sent = new.model_dump()
    locale = sent.get("locale") or ctx.bot.locale
    versions = await version_columns(ctx, sent)
    sent = await _inherited(ctx, sent.get("translation_of")) | sent
    # Lock the collection before the article, in the same order as when deleting it.
    collection_id = await referenced_id(ctx, sent["collection_id"], "collectionId", lock="key share")
    root_id = await _find_root(ctx, sent.get("translation_of"))
    await _refuse_second_text(ctx, root_id, locale)
    changed_versions({name: value for name, value in versions.items() if value is not None}, root_id)
    row: dict[str, Any] = {
        "title": new.title,
        "description": sent.get("description") or None,
        **await text_columns(ctx, new.content_markdown, locale),
        "collection_id": collection_id,
        "visibility": sent["visibility"],
        "position": sent.get("position"),
        "locale": locale,
        "translation_of": root_id,
        **dict.fromkeys(queries.VERSION_COLUMNS),
        **versions,
        "status": status,
        "origin": source.origin,
        "draft_id": source.draft_id,
    }
    base = sent.get("slug") or slugify(new.title, "article")
    while True:
        slug = sent.get("slug") or free_slug(base, await queries.slugs_like(ctx, base, locale))
        article = await queries.insert(ctx, {**row, "id": new_id("art"), "slug": slug}, format)
        if article is not None:
            if any(versions.values()):
                await refuse_contradictions(ctx, article.version_family or article.id)
            return article
        if "slug" in sent:
            raise SlugTaken


async def replace_text(ctx: Ctx, article: Article, title: str, content: str, source: TextSource) -> Article:
    """Replace the text of a locked article; the old text becomes a revision."""
    changes = {"title": title, **await text_columns(ctx, content, article.locale)}
    return await save(ctx, article, changes, "markdown", source)


async def publish_text(ctx: Ctx, article: Article, title: str, content: str, source: TextSource) -> Article:
    """Publish a locked article with this text, in one change; the old text becomes a revision."""
    changes = live_columns(ctx, article)
    if (title, content) == (article.title, article.content):
        return await save(ctx, article, changes, "markdown")
    changes |= {"title": title, **await text_columns(ctx, content, article.locale)}
    return await save(ctx, article, changes, "markdown", source)


async def save(
    ctx: Ctx, article: Article, changes: dict[str, Any], format: Format, source: TextSource | None = None
) -> Article:
    """Change columns of a locked article, whose text is in Markdown, and emit the event."""
    if source is not None and article.has_unpublished_changes:
        changes = {"title": article.title, "content_markdown": article.content} | changes
        await _save_as_revision(ctx, article, changes)
    # These are sent together with the change, which locks the bot: fewer round trips until the commit.
    endpoints, questions = ask_for_endpoints(ctx), ask_for_golden_questions(ctx, [article.id])
    with slug_must_be_free():
        saved = await queries.update(ctx, article.id, changes, format, source)
    if (saved.slug, saved.locale) != (article.slug, article.locale):
        await queries.keep_former_slug(ctx, article, saved.slug)
    content = changes.get("content_markdown", article.content)
    after = replace(saved, content=content)
    record_published_version(ctx, article, after)
    await emit_change(ctx, article, after, endpoints)
    await follow_later(ctx, article, after)
    await warn_of_loss(ctx, questions, public_text(article), public_text(after))
    return saved


async def verify_texts(
    ctx: Ctx, article_ids: Sequence[str], verification: Verification, read_at: datetime | None = None
) -> None:
    """Record that the texts of published articles are right, except those changed after `read_at`."""
    await queries.record_verifications(ctx, article_ids, verification, read_at=read_at)


async def follow_version(ctx: Ctx, translation_id: str, version: int) -> None:
    """Record the version of the original that a translation follows."""
    await queries.set_translated_version(ctx, translation_id, version)


async def text_of_version(ctx: Ctx, article: Article, version: int) -> Article | Revision | None:
    """The article or the revision with the text of a version; None if it is no longer stored."""
    if version == article.version:
        return article
    return await revisions.find_version(ctx, article.id, version)


async def back_to_review(ctx: Ctx, article: Article, title: str, content: str, source: TextSource) -> Article:
    """Put a locked article with this text into the status `in_review`, so that a draft can represent it."""
    if article.has_unpublished_changes:
        raise Conflict("The article has unpublished changes in the editor: publish or discard them first.")
    changes: dict[str, Any] = {"status": "in_review"}
    if (title, content) == (article.title, article.content):
        return await save(ctx, article, changes, "markdown")
    changes |= {"title": title, **await text_columns(ctx, content, article.locale)}
    return await save(ctx, article, changes, "markdown", source)


async def find_working_copy(ctx: Ctx, article: Article) -> WorkingCopy | None:
    return await queries.find_working_copy(ctx, article.id) if article.has_unpublished_changes else None


def public_text(article: Article) -> PublicText | None:
    """The public text of an article; None while it is not live and public."""
    if not article.is_live or article.visibility != "public":
        return None
    return PublicText(article.title, article.description, article.readers_text)


def live_columns(ctx: Ctx, article: Article) -> dict[str, Any]:
    return {"status": "published", "published_at": article.published_at or ctx.now}


def author_columns(copy: WorkingCopy) -> dict[str, str]:
    return {"author_type": copy.author_type, "author_name": copy.author_name}


async def _save_as_revision(ctx: Ctx, article: Article, changes: dict[str, Any]) -> None:
    """Make a working copy the article's text for a moment, so that replacing it stores it as a revision."""
    copy = await find_working_copy(ctx, article)
    if copy is not None and _text_columns(copy) != {name: changes[name] for name in _text_columns(copy)}:
        columns = {**_text_columns(copy), **author_columns(copy)}
        await queries.update(ctx, article.id, columns, "markdown", TextSource("update"))
        await _notify_author(ctx, article, copy)


async def _notify_author(ctx: Ctx, article: Article, copy: WorkingCopy) -> None:
    """Notify the person whose unpublished changes a new text of the article has replaced."""
    if copy.author_type == "person":
        person_id = await find_member_id(ctx.tx, ctx.workspace_id, copy.author_name)
        await notify(ctx, [person_id], "conflict", NoticeSubject(article.id, article.title), REPLACED)


def _text_columns(copy: WorkingCopy) -> dict[str, str]:
    return {"title": copy.title, "content_markdown": copy.content}


async def _inherited(ctx: Ctx, ref: str | None) -> dict[str, Any]:
    """The values of a new article that were not sent: a translation has the same readers as its original."""
    try:
        article = await find_article(ctx, ref) if ref else None
    except NotFound:
        article = None
    if article is None:
        return {"collection_id": None, "visibility": "public"}
    if article.translation_of:
        article = await find_article(ctx, article.translation_of)
    return {"collection_id": article.collection_id, "visibility": article.visibility}


async def _find_root(ctx: Ctx, ref: str | None) -> str | None:
    """The id of the original that a translation belongs to.

    The original is locked: it can't be deleted, nor get another translation, before this one exists.
    """
    if ref is None:
        return None
    article = await referenced_article(ctx, ref, "translationOf")
    return (
        await referenced_article(ctx, article.translation_of or article.id, "translationOf", lock=True)
    ).id


async def _refuse_second_text(ctx: Ctx, root_id: str | None, locale: str) -> None:
    if root_id is not None and locale in await queries.locales_of(ctx, root_id):
        raise InvalidValue("locale", "the article already exists in this language")
