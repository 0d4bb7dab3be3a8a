"""Writes one page of a plan: a new article, a change, or a draft if it was also changed here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from instep.content.articles.body_schemas import ArticleCreate
from instep.content.articles.schemas import Article, TextSource
from instep.content.articles.texts import create, find_article, follow_version, live_columns, save
from instep.content.parts.expansion import escape_unknown, put_back
from instep.content.parts.readers_texts import text_columns
from instep.drafting.drafts.actions import queue_edit
from instep.drafting.drafts.proposals import EditProposal
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.slug_rules import SlugTaken
from instep.platform.identity.schemas import Ctx
from instep.transfer.imports import queries
from instep.transfer.imports.queries import ImportedText
from instep.transfer.imports.schemas import Facts, Outcome, Plan, PlannedPage, PlannedText

SOURCE = TextSource("import")
REASON = "This text changed both in the source of the import and here: compare the two versions."


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids here for the source's keys; `files` are the paths of files by the digest of the sent bytes.

    `parts` are the references to parts and variables of the help center, such as `part.billing-note`;
    `lost_texts` are, by language and reference, the texts of those that could not be created.
    """

    collections: Mapping[str, str]
    articles: Mapping[str, str]
    files: Mapping[str, str]
    parts: frozenset[str]
    lost_texts: Mapping[str, Mapping[str, str]]

    def stored_text(self, text: PlannedText, locale: str) -> str:
        """The text as an article stores it: what only looks like a reference to a part stays as it is."""
        content = put_back(text.written(self.files), self.lost_texts.get(locale, {}))
        return escape_unknown(content, self.parts)


async def write_page(
    ctx: Ctx, plan: Plan, page: PlannedPage, ids: Ids, earlier: Mapping[str, ImportedText]
) -> Outcome:
    """Create or change the article of a page, and store the facts of the source; return the outcome.

    `earlier` are the texts of the last import, by page key. Raises `InvalidRequest` or Pydantic's
    `ValidationError` if the page can't be written.
    """
    text = earlier.get(page.page.key)
    if text is None:
        article = await create_article(ctx, page, ids)
        await keep_outdated(ctx, page, article.id)
        await keep_page(ctx, plan, page, article.id, article.title, article.content, article.version)
        return "created"
    if text.is_deleted:
        return "deleted_here"
    content = ids.stored_text(page.text, page.locale)
    changes = await changed_columns(ctx, page, text, ids)
    if (page.title, content) == (text.title, text.content):
        version = text.version
        if changes:
            await save(ctx, await find_article(ctx, text.id, lock=True), changes, "markdown")
        outcome: Outcome = "updated"
    elif text.is_changed_here:
        await queue_draft(ctx, page, text, content)
        version, outcome = text.version, "draft"
    else:
        article = await find_article(ctx, text.id, lock=True)
        changes |= {"title": page.title, **await text_columns(ctx, content, article.locale)}
        version, outcome = (await save(ctx, article, changes, "markdown", SOURCE)).version, "updated"
        await keep_outdated(ctx, page, text.id)
    await keep_page(ctx, plan, page, text.id, page.title, content, version)
    return outcome


async def create_article(ctx: Ctx, page: PlannedPage, ids: Ids) -> Article:
    """Create the article of a new page, with its status in the source."""
    original = page.original_key
    if original is not None and original not in ids.articles:
        raise InvalidRequest(f"it is a translation of {original}, which was not imported.")
    fields: dict[str, Any] = {
        "title": page.title,
        "contentMarkdown": ids.stored_text(page.text, page.locale),
        "slug": page.slug,
        "locale": page.locale,
        **({"visibility": page.page.visibility} if page.page.visibility else {}),
        **({"collectionId": ids.collections.get(page.collection)} if page.collection else {}),
        **({"description": page.description} if page.description else {}),
        **({"position": page.position} if page.position is not None else {}),
        **({"translationOf": ids.articles[original]} if original else {}),
    }
    try:
        article = await create(ctx, ArticleCreate.model_validate(fields), "markdown", SOURCE, "draft")
    except SlugTaken:
        raise InvalidRequest(f"its slug “{page.slug}” was just taken; import again") from None
    if page.page.status == "draft":
        return article
    if page.page.status == "archived":
        return await save(ctx, article, {"status": "archived"}, "markdown")
    columns = live_columns(ctx, article)
    if page.page.published_at is not None:
        columns["published_at"] = page.page.published_at
    return await save(ctx, article, columns, "markdown")


async def keep_outdated(ctx: Ctx, page: PlannedPage, article_id: str) -> None:
    """A translation that is outdated in the source is outdated here, by a version that is not stored."""
    if page.page.is_outdated:
        await follow_version(ctx, article_id, 0)


async def changed_columns(ctx: Ctx, page: PlannedPage, text: ImportedText, ids: Ids) -> dict[str, Any]:
    """The columns, except the text, that changed only in the source."""
    article = await find_article(ctx, text.id)
    present = {
        "description": article.description,
        "collection_id": article.collection_id,
        "visibility": article.visibility,
    }
    before, after = as_stored(text.facts, ids), as_stored(page.facts, ids)
    columns = {name: value for name, value in after.items() if before[name] != value}
    columns = {name: value for name, value in columns.items() if present[name] == before[name]}
    # The page of an archived article returned to the source.
    is_back = bool(text.facts.get("pruned")) and article.status == "archived"
    return columns | (live_columns(ctx, article) if is_back else {})


def as_stored(facts: Facts, ids: Ids) -> dict[str, Any]:
    """The source's facts as columns of an article."""
    return {
        "description": facts.get("description"),
        "collection_id": ids.collections.get(facts.get("collection") or ""),
        "visibility": facts.get("visibility"),
    }


async def queue_draft(ctx: Ctx, page: PlannedPage, text: ImportedText, content: str) -> None:
    """Propose the source's current text, as an edit of the imported text."""
    proposal = EditProposal(
        content=content,
        base_version=text.version or 1,
        base_title=text.title,
        base_content=text.content,
        title=page.title if page.title != text.title else None,
        reason=REASON,
    )
    await queue_edit(ctx, text.id, proposal)


async def keep_page(
    ctx: Ctx, plan: Plan, page: PlannedPage, id: str, title: str, content: str, version: int | None
) -> None:
    """Store the origin of an article, for the next import of the source."""
    row = {
        "article_id": id,
        "digest": page.text.digest,
        "facts": page.facts,
        "title": title,
        "content": content,
        "version": version,
    }
    await queries.keep_ref(ctx, plan.source, "page", page.page.key, row)
