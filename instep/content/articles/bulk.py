"""Changes of many articles at once, and undoing them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from instep.content.articles import bulk_queries, deleted, overviews, queries
from instep.content.articles.actions import (
    archive_article,
    delete_article,
    publish_article,
    restore_article,
    unpublish_article,
    update_article,
)
from instep.content.articles.body_schemas import ArticleUpdate
from instep.content.articles.bulk_queries import ArticleState, BulkChangeOverview, StateChange
from instep.content.articles.schemas import Article, TextSource
from instep.content.articles.texts import find_article, save
from instep.content.articles.version_ranges import FIELDS
from instep.content.collections.actions import owner_columns, referenced_id
from instep.content.parts.readers_texts import text_columns
from instep.content.product_versions.actions import (
    lock_existing_versions,
    referenced_version,
    refuse_contradictions,
)
from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest, InvalidState, InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.web.errors import body_from
from instep.platform.web.shapes import Body, Locale

BulkVerb = Literal[
    "move", "owner", "visibility", "locale", "since", "until", "publish", "unpublish", "archive", "delete"
]
VERBS: tuple[BulkVerb, ...] = get_args(BulkVerb)
# The columns that a bulk change sets, besides the owner and the text.
STATE_COLUMNS = ("status", "visibility", "collection_id", "locale", "since_version", "until_version")
IN_REVIEW = "It is in review: apply or dismiss its draft instead."
CHANGED_SINCE = "It has changed since."


@dataclass(frozen=True, slots=True)
class BulkChange:
    """One change for many articles. The value is a collection, an email address, a visibility, and so on.

    An empty value means no collection, owner or bound; verbs of a status have none.
    """

    verb: BulkVerb
    value: str = ""


class ArticleLocale(Body):
    """The language of a text."""

    locale: Locale


@dataclass(frozen=True, slots=True)
class BulkRefusal:
    """An article that stays as it is, and the reason in a sentence."""

    article: ArticleState
    reason: str


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """The number of articles that have changed, without translations that changed with their original.

    `id` undoes the change: `undo_bulk_change`.
    """

    id: str
    changed: int
    refusals: list[BulkRefusal]


async def list_article_states(ctx: Ctx, article_ids: Sequence[str]) -> list[ArticleState]:
    """The articles with these ids, without those in Recently deleted, by title."""
    states = await bulk_queries.list_states(ctx, article_ids)
    chosen = [state for state in states.values() if state.id in article_ids and not state.is_deleted]
    return sorted(chosen, key=lambda state: state.title.casefold())


@writes
async def change_articles(ctx: Ctx, article_ids: Sequence[str], change: BulkChange) -> BulkOutcome:
    """Change up to `MAX_BULK_ARTICLES` articles, each as its own action does; refused ones stay as they are.

    The change can be undone for `BULK_UNDO_TTL`. Raises `InvalidRequest` for more articles or for none.
    """
    if not 0 < len(article_ids) <= limits.MAX_BULK_ARTICLES:
        raise InvalidRequest(f"Select between 1 and {limits.MAX_BULK_ARTICLES} articles.")
    before = await bulk_queries.list_states(ctx, article_ids)
    chosen = [before[id] for id in before if id in article_ids and not before[id].is_deleted]
    refusals = await attempt_each(ctx, chosen, lambda state: change_one(ctx, state, change))
    after = await bulk_queries.list_states(ctx, article_ids)
    changes = [StateChange(before[id], after[id]) for id in before if after.get(id, before[id]) != before[id]]
    change_id = new_id("bulk")
    count = count_originals(changes)
    await bulk_queries.insert(ctx, change_id, changes, count)
    return BulkOutcome(change_id, count, refusals)


async def list_bulk_changes(ctx: Ctx) -> list[BulkChangeOverview]:
    """List the newest bulk changes that can still be undone."""
    return await bulk_queries.list_newest(ctx)


@writes
async def undo_bulk_change(ctx: Ctx, change_id: str) -> BulkOutcome:
    """Give the articles of a bulk change the state that they had before; those changed since stay.

    A text that the change has published is a working copy again.
    """
    await lock_existing_versions(ctx)
    changes = await bulk_queries.take(ctx, change_id)
    if changes is None:
        raise InvalidState("This was undone already, or it is too long ago to be undone.")
    current = await bulk_queries.list_states(ctx, [change.after.id for change in changes])
    by_id = {change.after.id: change for change in changes}
    refusals = await attempt_each(
        ctx,
        [change.after for change in changes],
        lambda state: bring_back(ctx, by_id[state.id], current.get(state.id)),
    )
    refused = {refusal.article.id for refusal in refusals}
    undone = [change for change in changes if change.after.id not in refused]
    return BulkOutcome(change_id, count_originals(undone), refusals)


async def attempt_each(
    ctx: Ctx, states: Sequence[ArticleState], act: Callable[[ArticleState], Awaitable[object]]
) -> list[BulkRefusal]:
    """Act on each article in a transaction of its own, and collect the refusals."""
    refusals = []
    for state in states:
        try:
            async with ctx.tx.transaction():
                await act(state)
        except AppError as refusal:
            refusals.append(BulkRefusal(state, refusal.message))
    return refusals


async def change_one(ctx: Ctx, state: ArticleState, change: BulkChange) -> None:
    if state.status == "in_review" and change.verb in ("publish", "delete"):
        raise InvalidState(IN_REVIEW)
    await ACTS[change.verb](ctx, state.id, change.value)


def updating(field: str) -> "Act":
    """The act that sets one field of an article."""

    async def act(ctx: Ctx, article_id: str, value: str) -> None:
        await update_article(ctx, article_id, body_from(ArticleUpdate, {field: value or None}))

    return act


def without_value(action: Callable[[Ctx, str], Awaitable[object]]) -> "Act":
    async def act(ctx: Ctx, article_id: str, value: str) -> None:
        await action(ctx, article_id)

    return act


async def set_locale(ctx: Ctx, article_id: str, locale: str) -> None:
    """Say that the text of an article is in another language; its old address redirects."""
    locale = body_from(ArticleLocale, {"locale": locale}).locale
    article = await find_article(ctx, article_id, lock=True)
    if locale == article.locale:
        return
    if locale in await queries.locales_of(ctx, article.translation_of or article.id):
        raise InvalidValue("locale", "the article already exists in this language")
    # Parts and variables have texts in each language.
    text = await text_columns(ctx, article.content, locale)
    await save(ctx, article, {**text, "locale": locale}, "markdown")


Act = Callable[[Ctx, str, str], Awaitable[object]]
ACTS: Mapping[BulkVerb, Act] = {
    "move": updating("collectionId"),
    "owner": updating("owner"),
    "visibility": updating("visibility"),
    "locale": set_locale,
    "since": updating("sinceVersion"),
    "until": updating("untilVersion"),
    "publish": without_value(publish_article),
    "unpublish": without_value(unpublish_article),
    "archive": without_value(archive_article),
    "delete": without_value(delete_article),
}


async def bring_back(ctx: Ctx, change: StateChange, current: ArticleState | None) -> None:
    """Give an article the state before a bulk change, if it still has the one after it."""
    before, after = change.before, change.after
    if current != after:
        raise InvalidState(CHANGED_SINCE)
    # Lock the collection before the article, in the same order as when deleting it.
    await referenced_id(ctx, before.collection_id, "collectionId", lock="key share")
    # A translation comes back with its original.
    if after.is_deleted and await queries.find(ctx, before.id, "markdown") is None:
        await restore_article(ctx, before.id)
    article = await find_article(ctx, before.id, lock=True)
    if before.owner != after.owner:
        await queries.set_care(ctx, article.id, await owner_columns(ctx, {"owner": before.owner}))
    is_translation = article.translation_of is not None
    # A translation has the versions of its original, whichever they are now.
    names = [name for name in STATE_COLUMNS if not (is_translation and name in FIELDS)]
    columns = {name: getattr(before, name) for name in names}
    changes = {name: value for name, value in columns.items() if getattr(article, name) != value}
    versions = {name: changes[name] for name in FIELDS if name in changes}
    for name, version in versions.items():
        # The version may be deleted by now.
        await referenced_version(ctx, version, FIELDS[name])
    if before.version != after.version:
        changes |= await text_before(ctx, article, before.version)
        await save(ctx, article, changes, "markdown", TextSource("restore"))
    elif changes:
        await save(ctx, article, changes, "markdown")
    if versions and not is_translation:
        await set_translated_versions(ctx, article, versions)


async def set_translated_versions(ctx: Ctx, article: Article, versions: dict[str, Any]) -> None:
    """Give the translations of an original the versions that it has got back."""
    for translation in await deleted.lock_translations(ctx, article.id):
        await save(ctx, translation, versions, "markdown")
    await refuse_contradictions(ctx, article.version_family or article.id)


async def text_before(ctx: Ctx, article: Article, version: int) -> dict[str, Any]:
    """The columns of the text before a publication, with the published text as the working copy."""
    text = await overviews.find_version(ctx, article.id, version)
    if text is None:
        raise NotFound("This version of the article is no longer stored.")
    copy = queries.working_columns(ctx, article.title, article.content)
    return {"title": text.title, **await text_columns(ctx, text.content, article.locale), **copy}


def count_originals(changes: Sequence[StateChange]) -> int:
    ids = {change.before.id for change in changes}
    return sum(change.before.translation_of not in ids for change in changes)
