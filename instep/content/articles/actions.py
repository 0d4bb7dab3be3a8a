"""Operations on articles and their revisions."""

from dataclasses import replace
from typing import Any

from instep.content.articles import deleted, overviews, queries, revisions
from instep.content.articles.body_schemas import ArticleCreate, ArticleUpdate, ArticleVerify
from instep.content.articles.events import emit_change, emit_deletion
from instep.content.articles.queries import NO_WORKING_COPY, ArticleCriteria
from instep.content.articles.revision_schemas import Revision, RevisionDiff, VersionOverview, VersionText
from instep.content.articles.schemas import (
    Article,
    ArticleCount,
    ArticleOverview,
    DeletedArticle,
    DeletedOverview,
    Deletion,
    FamilyMember,
    LinkTarget,
    OverviewCriteria,
    Step,
    TextSource,
    Verification,
    WorkingCopy,
)
from instep.content.articles.texts import (
    author_columns,
    create,
    find_article,
    find_working_copy,
    live_columns,
    public_text,
    replace_text,
    save,
)
from instep.content.articles.version_ranges import changed_versions, version_columns
from instep.content.collections.actions import find_collection_id, owner_columns, referenced_id
from instep.content.golden.actions import warn_of_articles
from instep.content.parts.readers_texts import preview_text, text_columns
from instep.content.product_versions.actions import lock_versions, referenced_version, refuse_contradictions
from instep.notifications.webhooks.emit import ask_for_endpoints
from instep.platform.core.errors import InvalidState, NotFound
from instep.platform.core.etags import refuse_stale
from instep.platform.core.markdown import Format, render_bounded
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import compare
from instep.platform.text.slugs import free_slug

CREATED = TextSource("create")
NO_COMMIT = ArticleVerify()
CURRENT = "current"


async def list_articles(
    ctx: Ctx, criteria: ArticleCriteria, format: Format, page: PageRequest, version: str | None = None
) -> Page[Article]:
    """List the articles, newest change first."""
    if (named := await referenced_version(ctx, version, "version")) is not None:
        criteria = replace(criteria, version=named.position)
    if criteria.collection_id is not None:
        collection_id = await find_collection_id(ctx, criteria.collection_id)
        criteria = replace(criteria, collection_id=collection_id)
    return await queries.list_page(ctx, criteria, format, page)


async def get_article(ctx: Ctx, ref: str, format: Format = "markdown") -> Article:
    """Get an article by its id, its slug or a slug that it had before."""
    return await find_article(ctx, ref, format)


async def list_link_targets(ctx: Ctx, words: str, locale: str) -> list[LinkTarget]:
    """List the articles in a language whose title or slug matches the typed words, to link to one."""
    return await queries.list_link_targets(ctx, words, locale)


async def list_article_overviews(
    ctx: Ctx, criteria: OverviewCriteria, page: PageRequest
) -> Page[ArticleOverview]:
    """List articles without their texts: in a collection's order, or else newest change first."""
    if criteria.collection_id:
        collection_id = await find_collection_id(ctx, criteria.collection_id)
        criteria = replace(criteria, collection_id=collection_id)
    return await overviews.list_page(ctx, criteria, page)


async def list_due_articles(ctx: Ctx, page: PageRequest) -> Page[ArticleOverview]:
    """List the published articles that need a look or are stale, without their texts."""
    return await overviews.list_due(ctx, page)


async def get_article_overview(ctx: Ctx, ref: str) -> ArticleOverview:
    """Get an article as the dashboard shows it, without its text."""
    return await overviews.find(ctx, (await find_article(ctx, ref)).id)


async def count_articles(ctx: Ctx) -> list[ArticleCount]:
    """Count the originals of each collection and language."""
    return await overviews.count(ctx)


async def list_family(ctx: Ctx, article: Article) -> list[FamilyMember]:
    """List the articles about the same topic for other versions of the product, the newest first."""
    return await queries.list_family(ctx, article)


async def list_former_slugs(ctx: Ctx, ref: str) -> list[str]:
    """List the former slugs of an article; their URLs redirect to it."""
    return await overviews.list_former_slugs(ctx, (await find_article(ctx, ref)).id)


async def list_deleted_articles(ctx: Ctx, page: PageRequest) -> Page[DeletedOverview]:
    """List Recently deleted, last deletion first; translations belong to the article deleted with them."""
    return await overviews.list_deleted(ctx, page)


async def get_working_copy(ctx: Ctx, ref: str) -> WorkingCopy | None:
    """Get the saved text that is not published yet; None if there is none."""
    return await find_working_copy(ctx, await find_article(ctx, ref))


async def get_translated_text(ctx: Ctx, translation: Article) -> VersionText:
    """Get the version of the original that a translation was written from, as far as revisions go back."""
    return await overviews.find_source_text(ctx, translation.id)


async def list_versions(ctx: Ctx, ref: str) -> list[VersionOverview]:
    """List the stored versions of an article, the current one first."""
    return await overviews.list_versions(ctx, (await find_article(ctx, ref)).id)


async def get_version(ctx: Ctx, ref: str, version: int) -> VersionText:
    """Get the title and text of a version of an article."""
    text = await overviews.find_version(ctx, (await find_article(ctx, ref)).id, version)
    if text is None:
        raise NotFound("This version of the article is no longer stored.")
    return text


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
    """Change only the sent fields of an article. Changes to a published article are live immediately.

    Changing `owner` or `reviewBy` does not change `updatedAt` and sends no event: readers see neither. The
    translations of an article have its versions.
    """
    sent = update.model_dump()
    versions = await version_columns(ctx, sent)
    # Lock the collection before the article, in the same order as when deleting it.
    if "collection_id" in sent:
        collection_ref = sent["collection_id"]
        sent["collection_id"] = await referenced_id(ctx, collection_ref, "collectionId", lock="key share")
    care = await owner_columns(ctx, sent)
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    if care:
        await queries.set_care(ctx, article.id, care)
        article = await find_article(ctx, article.id)
    if versions.get("version_family") == article.id:
        versions["version_family"] = None
    changes = await _changed_columns(ctx, article, sent | versions)
    if not changes:
        return await _in_format(ctx, article, format)
    source = TextSource("update") if changes.keys() & {"title", "content_markdown"} else None
    versions = changed_versions(changes, article.translation_of)
    saved = await save(ctx, article, changes, format, source)
    if versions.get("version_family") is not None:
        # If the family began with this article, all its members join the other family.
        await queries.move_family(ctx, article.id, versions["version_family"])
    if versions:
        for translation in await deleted.lock_translations(ctx, article.id):
            await save(ctx, translation, versions, "markdown")
        await refuse_contradictions(ctx, saved.version_family or saved.id)
    return saved


@writes
async def publish_article(
    ctx: Ctx, ref: str, format: Format = "markdown", if_match: str | None = None
) -> Article:
    """Make an article live: on the help center, in the search and in answers.

    Unpublished changes of its text go live too. Without any, a published article does not change.
    """
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    copy = await find_working_copy(ctx, article)
    if article.is_live and copy is None:
        return await _in_format(ctx, article, format)
    if article.status == "in_review":
        await queries.resolve_review(ctx, [article.id], "applied")
    changes = live_columns(ctx, article)
    verification = Verification("person") if ctx.actor.type == "person" else None
    if copy is None:
        seen = queries.verified_columns(ctx, verification) if verification else {}
        return await save(ctx, article, changes | seen, format)
    text = await text_columns(ctx, copy.content, article.locale)
    changes |= {**author_columns(copy), "title": copy.title, **text}
    return await save(ctx, article, changes, format, TextSource("publish", verification=verification))


@writes
async def verify_article(
    ctx: Ctx, ref: str, request: ArticleVerify = NO_COMMIT, if_match: str | None = None
) -> Article:
    """Confirm that the live text of an article is still correct, without changing it.

    This settles readers' reports that it is outdated, and a `reviewBy` that has come or comes within 30 days.
    While an edit or a place is waiting for review, the article still needs review.
    """
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    if not article.is_live:
        raise InvalidState("Only a published article can be verified: publishing it verifies it too.")
    await queries.record_verifications(
        ctx, [article.id], Verification("person", request.model_dump().get("commit"))
    )
    return await find_article(ctx, article.id)


@writes
async def unpublish_article(ctx: Ctx, ref: str, if_match: str | None = None) -> Article:
    """Remove a published article from the help center; it is a draft again."""
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    if article.status not in ("published", "archived"):
        raise InvalidState("Only a published or archived article can be unpublished.")
    return await save(ctx, article, {"status": "draft"}, "markdown")


@writes
async def archive_article(ctx: Ctx, ref: str, if_match: str | None = None) -> Article:
    """Archive an article: it leaves the help center, and editors can still find it."""
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    if article.status not in ("draft", "published"):
        raise InvalidState("Only a draft or a published article can be archived.")
    return await save(ctx, article, {"status": "archived"}, "markdown")


@writes
async def move_article(ctx: Ctx, ref: str, step: Step) -> Article:
    """Move an article one position up or down in its collection; at the end it does not move.

    All translations move with it, whichever of them is named.
    """
    await overviews.lock_order(ctx)
    article = await find_article(ctx, ref)
    root = await find_article(ctx, article.translation_of or article.id)
    neighbour_id = await overviews.find_neighbour(ctx, root.id, step)
    if neighbour_id is None:
        return article
    if (await find_article(ctx, neighbour_id)).position == root.position:
        await overviews.number_positions(ctx, root.collection_id)
    # Lock several articles in the order of their ids, and before their translations, as when deleting.
    first, second = [await find_article(ctx, id, lock=True) for id in sorted((root.id, neighbour_id))]
    translations = [
        text for original in (first, second) for text in await deleted.lock_translations(ctx, original.id)
    ]
    endpoints = ask_for_endpoints(ctx)
    await overviews.set_positions(ctx, {first.id: second.position, second.id: first.position})
    # The position is a field that subscribers read, and it has changed in every language.
    for before in (first, second, *translations):
        await emit_change(ctx, before, await find_article(ctx, before.id), endpoints)
    return await find_article(ctx, article.id)


@writes
async def delete_article(ctx: Ctx, ref: str, if_match: str | None = None) -> Deletion:
    """Move an article and its translations to Recently deleted, for 30 days.

    They can be restored until then. They appear nowhere else, and their slugs can be used again immediately.
    """
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    texts = [article, *await deleted.lock_translations(ctx, article.id)]
    ids = [text.id for text in texts]
    await queries.resolve_review(ctx, ids, "dismissed")
    deleted_at = await deleted.delete(ctx, ids)
    await emit_deletion(ctx, texts)
    await warn_of_articles(ctx, [text.id for text in texts if public_text(text) is not None])
    return Deletion(article.id, deleted_at, ids[1:])


@writes
async def restore_article(ctx: Ctx, ref: str) -> Article:
    """Restore an article from Recently deleted, and the translations deleted with it, all as drafts.

    If another article took the slug in the meantime it keeps it; the restored one gets a numbered slug.
    """
    await lock_versions(ctx)
    article = await _find_deleted(ctx, ref)
    # Lock the root before its translations, as when deleting. Read it again under the lock, because
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
    restored = await find_article(ctx, article.id)
    await refuse_contradictions(ctx, restored.version_family or restored.id)
    return restored


@writes
async def discard_working_copy(ctx: Ctx, ref: str, if_match: str | None = None) -> Article:
    """Discard unpublished changes from an editor; the live text stays."""
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    if not article.has_unpublished_changes:
        raise InvalidState("The article has no unpublished changes: there is nothing to discard.")
    return await save(ctx, article, NO_WORKING_COPY, "markdown")


async def list_revisions(ctx: Ctx, ref: str, page: PageRequest) -> Page[Revision]:
    """List the replaced texts of an article, newest first."""
    article = await find_article(ctx, ref)
    return await revisions.list_page(ctx, article.id, page)


async def get_revision(ctx: Ctx, ref: str, revision_id: str, format: Format) -> Revision:
    """Get a replaced text of an article."""
    article = await find_article(ctx, ref)
    revision = await _find_revision(ctx, article, revision_id)
    if format == "html":
        text = await preview_text(ctx, revision.content, article.locale)
        return replace(revision, content=await render_bounded(text))
    return revision


async def diff_revision(ctx: Ctx, ref: str, revision_id: str, compare_to: str) -> RevisionDiff:
    """Compare a replaced text of an article with its current one, or with another revision.

    The diff goes from the revision to `compareTo`. If the titles differ too, both texts begin with their
    title, as a heading `# Title` and an empty line; otherwise it compares only the Markdown.
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
async def restore_revision(ctx: Ctx, ref: str, revision_id: str, if_match: str | None) -> Article:
    """Restore a replaced title and text of an article; its status does not change.

    A published article shows them immediately. The replaced text becomes a revision. If title and text are
    already the same, nothing changes.
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
    """Refuse a translation without its original, or one whose language has another text by now."""
    if article.translation_of is None:
        return
    if await queries.find(ctx, article.translation_of, "markdown") is None:
        raise InvalidState("Restore the original of this translation first: it is deleted too.")
    if article.locale in await queries.locales_of(ctx, article.translation_of):
        raise InvalidState("The article now has another text in this language: delete that one first.")


async def _find_revision(ctx: Ctx, article: Article, revision_id: str) -> Revision:
    revision = await revisions.find(ctx, article.id, revision_id)
    if revision is None:
        raise NotFound("This article has no such revision.")
    return revision


async def _in_format(ctx: Ctx, article: Article, format: Format) -> Article:
    return article if format == "markdown" else await find_article(ctx, article.id, format)


async def _changed_columns(ctx: Ctx, article: Article, sent: dict[str, Any]) -> dict[str, Any]:
    """The columns that the sent fields really change; an empty description clears it."""
    changes: dict[str, Any] = {}
    if (content := sent.pop("content_markdown", article.content)) != article.content:
        changes |= await text_columns(ctx, content, article.locale)
    if "description" in sent:
        sent["description"] = sent["description"] or None
    return changes | {name: value for name, value in sent.items() if getattr(article, name) != value}
