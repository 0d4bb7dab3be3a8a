"""What can be done with articles and their revisions."""

from dataclasses import replace
from typing import Any

from instep.articles import deleted, queries, revisions
from instep.articles.events import emit_change, tell_deletion
from instep.articles.queries import NO_WORKING_COPY, Filter
from instep.articles.schemas import (
    Article,
    ArticleCreate,
    ArticleUpdate,
    DeletedArticle,
    Deletion,
    Revision,
    RevisionDiff,
    Source,
    Status,
    TextUpdate,
    WorkingCopy,
)
from instep.collections.actions import find_collection, referenced_id
from instep.core.errors import InvalidState, InvalidValue, NotFound
from instep.core.etags import refuse_stale
from instep.core.ids import new_id
from instep.core.markdown import render_bounded
from instep.core.paging import Page, PageRequest
from instep.core.slugs import SlugTaken, slug_must_be_free
from instep.golden.actions import warn_of_articles, warn_of_loss
from instep.golden.schemas import PublicText
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.text.diff import compare
from instep.text.slugs import free_slug, slugify
from instep.web.shapes import Format

CREATED = Source("create")
CURRENT = "current"


async def list_articles(ctx: Ctx, wanted: Filter, form: Format, page: PageRequest) -> Page[Article]:
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
    return await make_article(ctx, new, form, source, "draft")


async def create_for_review(ctx: Ctx, new: ArticleCreate, source: Source) -> Article:
    """Make the article behind a draft of the review queue: publishing or deleting it settles the draft."""
    return await make_article(ctx, new, "markdown", source, "in_review")


async def make_article(ctx: Ctx, new: ArticleCreate, form: Format, source: Source, status: Status) -> Article:
    sent = new.model_dump()
    locale = sent.get("locale") or ctx.bot.locale
    # The collection is locked before the article: deleting it locks both in this order.
    collection_id = await referenced_id(ctx, new.collection_id, "collectionId", lock="key share")
    root_id = await find_root(ctx, sent.get("translation_of"))
    await refuse_second_text(ctx, root_id, locale)
    row: dict[str, Any] = {
        "title": new.title,
        "description": sent.get("description") or None,
        "content_markdown": new.content_markdown,
        "content_html": await render_bounded(new.content_markdown),
        "collection_id": collection_id,
        "visibility": new.visibility,
        "position": sent.get("position"),
        "locale": locale,
        "translation_of": root_id,
        "status": status,
        "origin": source.origin,
        "draft_id": source.draft_id,
    }
    base = sent.get("slug") or slugify(new.title, "article")
    while True:
        slug = sent.get("slug") or free_slug(base, await queries.slugs_like(ctx, base, locale))
        made = await queries.insert(ctx, {**row, "id": new_id("art"), "slug": slug}, form)
        if made is not None:
            return made
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
        collection_ref = sent["collection_id"]
        sent["collection_id"] = await referenced_id(ctx, collection_ref, "collectionId", lock="key share")
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
    """Make an article live: on the help center, in the search and in answers.

    Unpublished changes of its text go live too. Without any, a published article stays as it is.
    """
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    copy = await find_working_copy(ctx, article)
    if article.is_live and copy is None:
        return await in_form(ctx, article, form)
    if article.status == "in_review":
        await queries.resolve_review(ctx, [article.id], "applied")
    changes = live_columns(ctx, article)
    if copy is None:
        return await save(ctx, article, changes, form)
    changes |= {**author_columns(copy), "title": copy.title, **await content_columns(copy.content)}
    return await save(ctx, article, changes, form, Source("publish"))


@writes
async def unpublish_article(ctx: Ctx, ref: str, form: Format = "markdown") -> Article:
    """Take a published article out of the help center; it is a draft again."""
    article = await find_article(ctx, ref, lock=True)
    if article.status not in ("published", "archived"):
        raise InvalidState("Only a published or archived article can be unpublished.")
    return await save(ctx, article, {"status": "draft"}, form)


@writes
async def delete_article(ctx: Ctx, ref: str) -> Deletion:
    """Move an article and its translations to Recently deleted, for 30 days.

    Until then they can be restored. They are found nowhere else, and their slugs are free at once.
    """
    article = await find_article(ctx, ref, lock=True)
    together = [article, *await deleted.lock_translations(ctx, article.id)]
    ids = [each.id for each in together]
    await queries.resolve_review(ctx, ids, "dismissed")
    deleted_at = await deleted.delete(ctx, ids)
    await tell_deletion(ctx, together)
    await warn_of_articles(ctx, [each.id for each in together if public_text(each) is not None])
    return Deletion(article.id, deleted_at, ids[1:])


@writes
async def restore_article(ctx: Ctx, ref: str) -> Article:
    """Bring an article back from Recently deleted, and the translations deleted with it, all as drafts.

    Who took the slug of one meanwhile keeps it: the restored article gets a numbered one.
    """
    found = await find_deleted(ctx, ref)
    # The root before its translations, as in deleting; whoever comes second sees what the first has done.
    await deleted.lock(ctx, found.translation_of or found.id)
    article = await find_deleted(ctx, found.id)
    await refuse_restoring_alone(ctx, article)
    together = await deleted.lock_deleted_with(ctx, article)
    stamp = await deleted.stamp_restoring(ctx)
    for each in together:
        slug = free_slug(each.slug, await queries.slugs_like(ctx, each.slug, each.locale))
        await deleted.restore(ctx, each, slug, stamp)
        if slug != each.slug:
            await queries.keep_former_slug(ctx, each, slug)
    return await find_article(ctx, article.id)


@writes
async def save_working_copy(ctx: Ctx, ref: str, update: TextUpdate, if_match: str | None = None) -> Article:
    """Save what the editor holds; of a published article the live text stays until it is published again."""
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    edited = await find_working_copy(ctx, article) or article
    sent = update.model_dump()
    title, content = sent.get("title", edited.title), sent.get("content_markdown", edited.content)
    if (title, content) == (edited.title, edited.content):
        return article
    if not article.is_live:
        return await replace_text(ctx, article, title, content, Source("update"))
    is_live_text = (title, content) == (article.title, article.content)
    changes = NO_WORKING_COPY if is_live_text else working_columns(ctx, title, content)
    return await save(ctx, article, changes, "markdown")


async def replace_text(ctx: Ctx, article: Article, title: str, content: str, source: Source) -> Article:
    """Put another text into an article that is locked; the replaced one becomes a revision."""
    changes = {"title": title, **await content_columns(content)}
    return await save(ctx, article, changes, "markdown", source)


async def publish_text(ctx: Ctx, article: Article, title: str, content: str, source: Source) -> Article:
    """Make a locked article live with this text, in one change; the text before it becomes a revision."""
    changes = live_columns(ctx, article)
    if (title, content) == (article.title, article.content):
        return await save(ctx, article, changes, "markdown")
    changes |= {"title": title, **await content_columns(content)}
    return await save(ctx, article, changes, "markdown", source)


async def list_revisions(ctx: Ctx, ref: str, page: PageRequest) -> Page[Revision]:
    """List the texts that an article had before, newest first."""
    article = await find_article(ctx, ref)
    return await revisions.list_page(ctx, article.id, page)


async def get_revision(ctx: Ctx, ref: str, revision_id: str, form: Format = "markdown") -> Revision:
    """Get a text that an article had before."""
    revision = await find_revision(ctx, await find_article(ctx, ref), revision_id)
    if form == "html":
        return replace(revision, content=await render_bounded(revision.content))
    return revision


async def diff_revision(ctx: Ctx, ref: str, revision_id: str, compare_to: str = CURRENT) -> RevisionDiff:
    """Compare a text that an article had before with its present one, or with another revision.

    The diff leads from the revision to `compareTo`. Where the titles differ too, both texts begin with
    their title in it, as a heading `# Title` and an empty line; else it is a diff of the Markdown alone.
    """
    article = await find_article(ctx, ref)
    revision = await find_revision(ctx, article, revision_id)
    other = article if compare_to == CURRENT else await find_revision(ctx, article, compare_to)
    names = (f"version {revision.version}", f"version {other.version}")
    texts = [text.content for text in (revision, other)]
    if revision.title != other.title:
        texts = [f"# {text.title}\n\n{text.content}" for text in (revision, other)]
    return RevisionDiff(revision, compare_to, await compare(texts[0], texts[1], names))


@writes
async def restore_revision(ctx: Ctx, ref: str, revision_id: str, if_match: str | None = None) -> Article:
    """Give an article a title and text again that it had before; its status stays.

    A published article shows it at once. The replaced text becomes a revision in turn; where title and text
    are the same already, nothing is done.
    """
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    revision = await find_revision(ctx, article, revision_id)
    if (revision.title, revision.content) == (article.title, article.content):
        return article
    return await replace_text(ctx, article, revision.title, revision.content, Source("restore"))


async def find_article(ctx: Ctx, ref: str, form: Format = "markdown", *, lock: bool = False) -> Article:
    article = await queries.find(ctx, ref, form, lock=lock)
    if article is None and (moved := await queries.find_former(ctx, ref)):
        article = await queries.find(ctx, moved, form, lock=lock)
    if article is None:
        raise NotFound("There is no such article.")
    return article


async def find_deleted(ctx: Ctx, ref: str) -> DeletedArticle:
    article = None if await queries.find(ctx, ref, "markdown") else await deleted.find(ctx, ref)
    if article is None:
        await find_article(ctx, ref)
        raise InvalidState("This article is not deleted: there is nothing to restore.")
    return article


async def refuse_restoring_alone(ctx: Ctx, article: DeletedArticle) -> None:
    """A translation needs its article, and may not be a second text in its language."""
    if article.translation_of is None:
        return
    if await queries.find(ctx, article.translation_of, "markdown") is None:
        raise InvalidState("Restore the article first that this one translates: it is deleted too.")
    if article.locale in await queries.locales_of(ctx, article.translation_of):
        raise InvalidState("The article has another text in this language by now: delete that one first.")


async def find_revision(ctx: Ctx, article: Article, revision_id: str) -> Revision:
    revision = await revisions.find(ctx, article.id, revision_id)
    if revision is None:
        raise NotFound("This article has no such revision.")
    return revision


async def find_working_copy(ctx: Ctx, article: Article) -> WorkingCopy | None:
    return await queries.find_working_copy(ctx, article.id) if article.has_unpublished_changes else None


async def save(
    ctx: Ctx, article: Article, changes: dict[str, Any], form: Format, source: Source | None = None
) -> Article:
    """Change columns of an article that is locked and holds its text in Markdown, and tell of it."""
    if source is not None and article.has_unpublished_changes:
        changes = {"title": article.title, "content_markdown": article.content} | changes
        await keep_working_copy(ctx, article, changes)
    with slug_must_be_free():
        saved = await queries.update(ctx, article.id, changes, form, source)
    if saved.slug != article.slug:
        await queries.keep_former_slug(ctx, article, saved.slug)
    content = changes.get("content_markdown", article.content)
    after = replace(saved, content=content)
    await emit_change(ctx, article, after)
    await warn_of_loss(ctx, article.id, public_text(article), public_text(after))
    return saved


def public_text(article: Article) -> PublicText | None:
    """What an article tells everybody, if anything."""
    if not article.is_live or article.visibility != "public":
        return None
    return PublicText(article.title, article.description, article.content)


async def keep_working_copy(ctx: Ctx, article: Article, changes: dict[str, Any]) -> None:
    """Make a working copy the article's text for a moment, so that it is a version before it is replaced."""
    copy = await find_working_copy(ctx, article)
    if copy is not None and text_columns(copy) != {name: changes[name] for name in text_columns(copy)}:
        columns = {**text_columns(copy), **author_columns(copy)}
        await queries.update(ctx, article.id, columns, "markdown", Source("update"))


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


def live_columns(ctx: Ctx, article: Article) -> dict[str, Any]:
    return {"status": "published", "published_at": article.published_at or ctx.now}


def text_columns(copy: WorkingCopy) -> dict[str, str]:
    return {"title": copy.title, "content_markdown": copy.content}


def author_columns(copy: WorkingCopy) -> dict[str, str]:
    return {"author_type": copy.author_type, "author_name": copy.author_name}


def working_columns(ctx: Ctx, title: str, content: str) -> dict[str, Any]:
    return {
        "working_title": title,
        "working_markdown": content,
        "working_author_type": ctx.actor.type,
        "working_author_name": ctx.actor.name,
        "working_saved_at": ctx.now,
    }


async def content_columns(content: str) -> dict[str, str]:
    return {"content_markdown": content, "content_html": await render_bounded(content)}


async def find_root(ctx: Ctx, ref: str | None) -> str | None:
    """The article that a translation belongs to; a translation of a translation attaches to the root.

    It is locked: it can't be deleted, nor get another translation, before this one is there.
    """
    if ref is None:
        return None
    try:
        found = await find_article(ctx, ref)
        return (await find_article(ctx, found.translation_of or found.id, lock=True)).id
    except NotFound:
        raise InvalidValue("translationOf", "there is no such article") from None


async def refuse_second_text(ctx: Ctx, root_id: str | None, locale: str) -> None:
    if root_id is not None and locale in await queries.locales_of(ctx, root_id):
        raise InvalidValue("locale", "the article has a text in this language already")
