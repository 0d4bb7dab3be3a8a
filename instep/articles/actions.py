"""What can be done with articles and their revisions."""

from dataclasses import replace
from typing import Any

from instep.articles import deleted, queries, revisions
from instep.articles.events import emit_deletion
from instep.articles.queries import NO_WORKING_COPY, ArticleCriteria
from instep.articles.schemas import (
    Article,
    ArticleCreate,
    ArticleUpdate,
    DeletedArticle,
    Deletion,
    Revision,
    RevisionDiff,
    TextSource,
    TextUpdate,
)
from instep.articles.texts import (
    author_columns,
    content_columns,
    create,
    find_article,
    find_working_copy,
    live_columns,
    public_text,
    replace_text,
    save,
)
from instep.collections.actions import find_collection, referenced_id
from instep.core.errors import InvalidState, NotFound
from instep.core.etags import refuse_stale
from instep.core.markdown import Format, render_bounded
from instep.core.paging import Page, PageRequest
from instep.golden.actions import warn_of_articles
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.text.diff import compare
from instep.text.slugs import free_slug

CREATED = TextSource("create")
CURRENT = "current"


async def list_articles(
    ctx: Ctx, criteria: ArticleCriteria, format: Format, page: PageRequest
) -> Page[Article]:
    """List the articles, newest change first."""
    if criteria.collection_id is not None:
        collection = await find_collection(ctx, criteria.collection_id)
        criteria = replace(criteria, collection_id=collection.id)
    return await queries.list_page(ctx, criteria, format, page)


async def get_article(ctx: Ctx, ref: str, format: Format = "markdown") -> Article:
    """Get an article by its id, its slug or a slug that it had before."""
    return await find_article(ctx, ref, format)


@writes
async def create_article(
    ctx: Ctx, new: ArticleCreate, format: Format = "markdown", source: TextSource = CREATED
) -> Article:
    """Create an article. It is a draft: nothing is live until it is published."""
    return await create(ctx, new, format, source, "draft")


@writes
async def update_article(
    ctx: Ctx, ref: str, update: ArticleUpdate, format: Format = "markdown", if_match: str | None = None
) -> Article:
    """Change the fields of an article that are sent. The text of a published article is live at once."""
    sent = update.model_dump()
    # The collection is locked before the article: deleting it locks both in this order.
    if "collection_id" in sent:
        collection_ref = sent["collection_id"]
        sent["collection_id"] = await referenced_id(ctx, collection_ref, "collectionId", lock="key share")
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    changes = await _changed_columns(ctx, article, sent)
    if not changes:
        return await _in_format(ctx, article, format)
    source = TextSource("update") if changes.keys() & {"title", "content_markdown"} else None
    return await save(ctx, article, changes, format, source)


@writes
async def publish_article(
    ctx: Ctx, ref: str, format: Format = "markdown", if_match: str | None = None
) -> Article:
    """Make an article live: on the help center, in the search and in answers.

    Unpublished changes of its text go live too. Without any, a published article stays as it is.
    """
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    copy = await find_working_copy(ctx, article)
    if article.is_live and copy is None:
        return await _in_format(ctx, article, format)
    if article.status == "in_review":
        await queries.resolve_review(ctx, [article.id], "applied")
    changes = live_columns(ctx, article)
    if copy is None:
        return await save(ctx, article, changes, format)
    changes |= {**author_columns(copy), "title": copy.title, **await content_columns(ctx, copy.content)}
    return await save(ctx, article, changes, format, TextSource("publish"))


@writes
async def unpublish_article(ctx: Ctx, ref: str, format: Format = "markdown") -> Article:
    """Take a published article out of the help center; it is a draft again."""
    article = await find_article(ctx, ref, lock=True)
    if article.status not in ("published", "archived"):
        raise InvalidState("Only a published or archived article can be unpublished.")
    return await save(ctx, article, {"status": "draft"}, format)


@writes
async def delete_article(ctx: Ctx, ref: str) -> Deletion:
    """Move an article and its translations to Recently deleted, for 30 days.

    Until then they can be restored. They are found nowhere else, and their slugs are free at once.
    """
    article = await find_article(ctx, ref, lock=True)
    texts = [article, *await deleted.lock_translations(ctx, article.id)]
    ids = [text.id for text in texts]
    await queries.resolve_review(ctx, ids, "dismissed")
    deleted_at = await deleted.delete(ctx, ids)
    await emit_deletion(ctx, texts)
    await warn_of_articles(ctx, [text.id for text in texts if public_text(text) is not None])
    return Deletion(article.id, deleted_at, ids[1:])


@writes
async def restore_article(ctx: Ctx, ref: str) -> Article:
    """Bring an article back from Recently deleted, and the translations deleted with it, all as drafts.

    If another article took the slug in the meantime it keeps it; the restored one gets a numbered slug.
    """
    article = await _find_deleted(ctx, ref)
    # The root is locked before its translations, as in deleting. It is read again under the lock, because
    # another request may have restored it in the meantime.
    await deleted.lock(ctx, article.translation_of or article.id)
    article = await _find_deleted(ctx, article.id)
    await _refuse_restoring_alone(ctx, article)
    texts = await deleted.lock_deleted_with(ctx, article)
    stamp = await deleted.stamp_restoration(ctx)
    for text in texts:
        slug = free_slug(text.slug, await queries.slugs_like(ctx, text.slug, text.locale))
        await deleted.restore(ctx, text, slug, stamp)
        if slug != text.slug:
            await queries.keep_former_slug(ctx, text, slug)
    return await find_article(ctx, article.id)


@writes
async def save_working_copy(ctx: Ctx, ref: str, update: TextUpdate, if_match: str | None = None) -> Article:
    """Save what the editor holds; a published article keeps its live text until it is published again.

    No face calls it yet: it waits for the editor of the dashboard.
    """
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    edited = await find_working_copy(ctx, article) or article
    sent = update.model_dump()
    title, content = sent.get("title", edited.title), sent.get("content_markdown", edited.content)
    if (title, content) == (edited.title, edited.content):
        return article
    if not article.is_live:
        return await replace_text(ctx, article, title, content, TextSource("update"))
    is_live_text = (title, content) == (article.title, article.content)
    changes = NO_WORKING_COPY if is_live_text else _working_columns(ctx, title, content)
    return await save(ctx, article, changes, "markdown")


async def list_revisions(ctx: Ctx, ref: str, page: PageRequest) -> Page[Revision]:
    """List the texts that an article had before, newest first."""
    article = await find_article(ctx, ref)
    return await revisions.list_page(ctx, article.id, page)


async def get_revision(ctx: Ctx, ref: str, revision_id: str, format: Format = "markdown") -> Revision:
    """Get a text that an article had before."""
    revision = await _find_revision(ctx, await find_article(ctx, ref), revision_id)
    if format == "html":
        return replace(revision, content=await render_bounded(revision.content))
    return revision


async def diff_revision(ctx: Ctx, ref: str, revision_id: str, compare_to: str = CURRENT) -> RevisionDiff:
    """Compare a text that an article had before with its present one, or with another revision.

    The diff leads from the revision to `compareTo`. Where the titles differ too, both texts begin with
    their title in it, as a heading `# Title` and an empty line; else it is a diff of the Markdown alone.
    """
    article = await find_article(ctx, ref)
    revision = await _find_revision(ctx, article, revision_id)
    other = article if compare_to == CURRENT else await _find_revision(ctx, article, compare_to)
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
    revision = await _find_revision(ctx, article, revision_id)
    if (revision.title, revision.content) == (article.title, article.content):
        return article
    return await replace_text(ctx, article, revision.title, revision.content, TextSource("restore"))


async def _find_deleted(ctx: Ctx, ref: str) -> DeletedArticle:
    article = None if await queries.find(ctx, ref, "markdown") else await deleted.find(ctx, ref)
    if article is None:
        await find_article(ctx, ref)
        raise InvalidState("This article is not deleted: there is nothing to restore.")
    return article


async def _refuse_restoring_alone(ctx: Ctx, article: DeletedArticle) -> None:
    """A translation needs its article, and may not be a second text in its language."""
    if article.translation_of is None:
        return
    if await queries.find(ctx, article.translation_of, "markdown") is None:
        raise InvalidState("Restore the article first that this one translates: it is deleted too.")
    if article.locale in await queries.locales_of(ctx, article.translation_of):
        raise InvalidState("The article has another text in this language by now: delete that one first.")


async def _find_revision(ctx: Ctx, article: Article, revision_id: str) -> Revision:
    revision = await revisions.find(ctx, article.id, revision_id)
    if revision is None:
        raise NotFound("This article has no such revision.")
    return revision


async def _in_format(ctx: Ctx, article: Article, format: Format) -> Article:
    return article if format == "markdown" else await find_article(ctx, article.id, format)


async def _changed_columns(ctx: Ctx, article: Article, sent: dict[str, Any]) -> dict[str, Any]:
    """The columns that the fields sent really change; an empty description clears it."""
    changes: dict[str, Any] = {}
    if (content := sent.pop("content_markdown", article.content)) != article.content:
        changes |= await content_columns(ctx, content)
    if "description" in sent:
        sent["description"] = sent["description"] or None
    return changes | {name: value for name, value in sent.items() if getattr(article, name) != value}


def _working_columns(ctx: Ctx, title: str, content: str) -> dict[str, Any]:
    return {
        "working_title": title,
        "working_markdown": content,
        "working_author_type": ctx.actor.type,
        "working_author_name": ctx.actor.name,
        "working_saved_at": ctx.now,
    }
