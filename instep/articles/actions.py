"""What can be done with articles and their revisions."""

from dataclasses import replace
from typing import Any

from instep.articles import queries, revisions
from instep.articles.queries import Filter
from instep.articles.schemas import Article, ArticleCreate, ArticleUpdate, Revision, Source
from instep.collections.actions import find_collection
from instep.core.errors import InvalidRequest, InvalidState, NotFound
from instep.core.etags import refuse_stale
from instep.core.ids import new_id
from instep.core.markdown import render_bounded
from instep.core.paging import Listed, PageRequest
from instep.core.slugs import SlugTaken, free_slug, slug_must_be_free, slugify
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.web.shapes import Format

CREATED = Source("create")


async def list_articles(ctx: Ctx, wanted: Filter, form: Format, page: PageRequest) -> Listed[Article]:
    """List the articles, newest change first."""
    if wanted.collection_id is not None:
        wanted = replace(wanted, collection_id=(await find_collection(ctx, wanted.collection_id)).id)
    return await queries.list_page(ctx, wanted, form, page)


async def get_article(ctx: Ctx, ref: str, form: Format = "markdown") -> Article:
    """Get an article by its id, its slug or a slug that it had before."""
    return await find_article(ctx, ref, form)


@writes
async def create_article(
    ctx: Ctx, new: ArticleCreate, form: Format = "markdown", source: Source = CREATED
) -> Article:
    """Create an article. It is a draft: nothing is live until it is published."""
    sent = new.model_dump()
    locale = sent.get("locale") or ctx.bot.locale
    root_id = await find_root(ctx, new.translation_of)
    await refuse_second_text(ctx, root_id, locale)
    row: dict[str, Any] = {
        "title": new.title,
        "description": sent.get("description") or None,
        "content_markdown": new.content_markdown,
        "content_html": await render_bounded(new.content_markdown),
        "collection_id": await find_collection_id(ctx, new.collection_id),
        "visibility": new.visibility,
        "position": sent.get("position"),
        "locale": locale,
        "translation_of": root_id,
        "origin": source.origin,
    }
    base = sent.get("slug") or slugify(new.title, "article")
    while True:
        slug = sent.get("slug") or free_slug(base, await queries.slugs_like(ctx, base, locale))
        made = await queries.insert(ctx, {**row, "id": new_id("art"), "slug": slug}, form)
        if made is not None:
            return made
        await refuse_second_text(ctx, root_id, locale)
        if "slug" in sent:
            raise SlugTaken


@writes
async def update_article(
    ctx: Ctx, ref: str, update: ArticleUpdate, form: Format = "markdown", if_match: str | None = None
) -> Article:
    """Change the fields of an article that are sent. The text of a published article is live at once."""
    sent = update.model_dump()
    # The collection is locked before the article: deleting it locks both in this order.
    if "collection_id" in sent:
        sent["collection_id"] = await find_collection_id(ctx, sent["collection_id"])
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    changes = await changed_columns(article, sent)
    if not changes:
        return await in_form(ctx, article, form)
    source = Source("update") if changes.keys() & {"title", "content_markdown"} else None
    return await save(ctx, article, changes, form, source)


@writes
async def publish_article(
    ctx: Ctx, ref: str, form: Format = "markdown", if_match: str | None = None
) -> Article:
    """Make an article live: on the help center, in the search and in answers."""
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    if article.is_live:
        return await in_form(ctx, article, form)
    published_at = article.published_at or ctx.now
    return await save(ctx, article, {"status": "published", "published_at": published_at}, form)


@writes
async def unpublish_article(ctx: Ctx, ref: str, form: Format = "markdown") -> Article:
    """Take a published article out of the help center; it is a draft again."""
    article = await find_article(ctx, ref, lock=True)
    if article.status not in ("published", "archived"):
        raise InvalidState("Only a published or archived article can be unpublished.")
    return await save(ctx, article, {"status": "draft"}, form)


async def replace_text(ctx: Ctx, article: Article, title: str, content: str, source: Source) -> Article:
    """Put another text into an article that is locked; the replaced one becomes a revision."""
    changes = {"title": title, **await content_columns(content)}
    return await save(ctx, article, changes, "markdown", source)


async def list_revisions(ctx: Ctx, ref: str, page: PageRequest) -> Listed[Revision]:
    """List the texts that an article had before, newest first."""
    article = await find_article(ctx, ref)
    return await revisions.list_page(ctx, article.id, page)


async def get_revision(ctx: Ctx, ref: str, revision_id: str, form: Format = "markdown") -> Revision:
    """Get a text that an article had before."""
    article = await find_article(ctx, ref)
    revision = await revisions.find(ctx, article.id, revision_id)
    if revision is None:
        raise NotFound("This article has no such revision.")
    if form == "html":
        return replace(revision, content=await render_bounded(revision.content))
    return revision


async def find_article(ctx: Ctx, ref: str, form: Format = "markdown", *, lock: bool = False) -> Article:
    article = await queries.find(ctx, ref, form, lock=lock)
    if article is None and (moved := await queries.find_former(ctx, ref)):
        article = await queries.find(ctx, moved, form, lock=lock)
    if article is None:
        raise NotFound("There is no such article.")
    return article


async def save(
    ctx: Ctx, article: Article, changes: dict[str, Any], form: Format, source: Source | None = None
) -> Article:
    with slug_must_be_free():
        saved = await queries.update(ctx, article.id, changes, form, source)
    if saved.slug != article.slug:
        await queries.keep_former_slug(ctx, article, saved.slug)
    return saved


async def in_form(ctx: Ctx, article: Article, form: Format) -> Article:
    return article if form == "markdown" else await find_article(ctx, article.id, form)


async def changed_columns(article: Article, sent: dict[str, Any]) -> dict[str, Any]:
    """The columns that the fields sent really change; an empty description clears it."""
    changes: dict[str, Any] = {}
    if (content := sent.pop("content_markdown", article.content)) != article.content:
        changes |= await content_columns(content)
    if "description" in sent:
        sent["description"] = sent["description"] or None
    return changes | {name: value for name, value in sent.items() if getattr(article, name) != value}


async def content_columns(content: str) -> dict[str, str]:
    return {"content_markdown": content, "content_html": await render_bounded(content)}


async def find_collection_id(ctx: Ctx, ref: str | None) -> str | None:
    """A reference in a body to what does not exist is a bad value, not a missing page."""
    if ref is None:
        return None
    try:
        return (await find_collection(ctx, ref, lock="key share")).id
    except NotFound:
        raise InvalidRequest(
            "`collectionId`: there is no such collection.",
            details=[("collectionId", "there is no such collection")],
        ) from None


async def find_root(ctx: Ctx, ref: str | None) -> str | None:
    """The article that a translation belongs to; a translation of a translation attaches to the root."""
    if ref is None:
        return None
    root = await queries.find(ctx, ref, "markdown")
    if root is None:
        message = "there is no such article"
        raise InvalidRequest(f"`translationOf`: {message}.", details=[("translationOf", message)])
    return root.translation_of or root.id


async def refuse_second_text(ctx: Ctx, root_id: str | None, locale: str) -> None:
    if root_id is not None and locale in await queries.locales_of(ctx, root_id):
        message = "the article has a text in this language already"
        raise InvalidRequest(f"`locale`: {message}.", details=[("locale", message)])
