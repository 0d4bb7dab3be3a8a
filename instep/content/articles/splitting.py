"""Splits an article in several versions of the product into two, so that their texts can differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from instep.content.articles import deleted, queries, splitting_queries
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.articles.schemas import Article, TextSource
from instep.content.articles.texts import create, find_article, live_columns, save
from instep.content.product_versions.actions import (
    list_all_versions,
    lock_versions,
    referenced_version,
    refuse_contradictions,
)
from instep.content.product_versions.schemas import ProductVersion
from instep.platform.core.errors import InvalidState, NotFound
from instep.platform.core.etags import refuse_stale
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.slugs import free_slug, slugify

COPY = TextSource("create")
SPLIT_LATER = "This article is in review: apply or dismiss its draft first."


@dataclass(frozen=True, slots=True)
class Halves:
    """The two articles of a split: for the older versions, and for the newer ones."""

    older: Article
    newer: Article


@dataclass(frozen=True, slots=True)
class Reach:
    """The versions of an article whose text a change of one version replaces, and those that keep theirs."""

    versions: list[ProductVersion]
    others: list[ProductVersion]


@dataclass(frozen=True, slots=True)
class OtherVersions:
    """The versions of a copy: the end of its slug, its columns, and the ids of all of them."""

    name: str
    columns: dict[str, Any]
    version_ids: list[str]


@writes
async def split_by_version(ctx: Ctx, ref: str, version: str, if_match: str | None = None) -> Article:
    """Make a copy of an article, so that the texts before a version and from it on can differ.

    The article with the current version keeps the id and the address; the other one is new, and this returns
    it. It has the same text, collection and status, and so have the copies of its translations;
    those in review are not copied.
    """
    await lock_versions(ctx)
    article = await find_article(ctx, ref, lock=True)
    refuse_stale(if_match, article.etag)
    boundary = await referenced_version(ctx, version, "version")
    assert boundary is not None, "a version is named"
    halves = await split(ctx, article, boundary)
    copy = halves.older if halves.newer.id == article.id else halves.newer
    return await find_article(ctx, copy.id)


async def split(ctx: Ctx, article: Article, version: ProductVersion) -> Halves:
    """Split a locked article before a version, inside an action that has locked the versions."""
    if article.translation_of is not None:
        raise InvalidState("A translation is split with its original: split that article.")
    if article.status == "in_review":
        raise InvalidState(SPLIT_LATER)
    versions = await list_all_versions(ctx)
    first, last = bounds_of(article, versions)
    if not first < version.position <= last:
        raise InvalidState(f"This article is not both in {version.slug} and in an older version.")
    before = versions[version.position - 1]
    older = {"since_version": article.since_version, "until_version": before.id}
    newer = {"since_version": version.id, "until_version": article.until_version}
    keeps_newer = version.position <= home_position(versions, first, last)
    bounds, copy_bounds = (newer, older) if keeps_newer else (older, newer)
    translations = await deleted.lock_translations(ctx, article.id)
    original = await save(ctx, article, bounds, "markdown")
    for translation in translations:
        await save(ctx, translation, bounds, "markdown")
    family = article.version_family or article.id
    positions = range(first, version.position) if keeps_newer else range(version.position, last + 1)
    other = OtherVersions(
        before.slug if keeps_newer else version.slug,
        {**copy_bounds, "version_family": family},
        [versions[position].id for position in positions],
    )
    copy = await _copy(ctx, article, other, None)
    for translation in translations:
        # The draft that shows a translation in review is of one article.
        if translation.status != "in_review":
            await _copy(ctx, translation, other, copy)
    await refuse_contradictions(ctx, family)
    return Halves(copy, original) if keeps_newer else Halves(original, copy)


async def read_reach(ctx: Ctx, article: Article, version_id: str) -> Reach:
    """The versions of the article or translation that a change of a version reaches.

    A change of the current version or of a later one reaches the versions after it too, which contain it. A
    change of an older version reaches that version alone, because later ones have branches of their own.
    """
    versions = await list_all_versions(ctx)
    version = next((version for version in versions if version.id == version_id), None)
    if version is None:
        raise NotFound.of("version")
    first, last = bounds_of(article, versions)
    if not first <= version.position <= last:
        raise InvalidState(
            f"The article is no longer in the version {version.slug}: dismiss the draft or the place."
        )
    end = version.position if version.status == "older" else last
    others = versions[first : version.position] + versions[end + 1 : last + 1]
    return Reach(versions[version.position : end + 1], others)


async def isolate(ctx: Ctx, article: Article, reach: Reach) -> Article:
    """The article or translation with the text of the versions in reach, split off from the others."""
    if not reach.others:
        return article
    if article.status == "in_review":
        raise InvalidState(SPLIT_LATER)
    root_id = article.translation_of
    root = await find_article(ctx, root_id or article.id, lock=True)
    first, last = reach.versions[0], reach.versions[-1]
    # The older versions first, so that the slugs of both copies have one version.
    if any(older.position < first.position for older in reach.others):
        root = (await split(ctx, root, first)).newer
    for newer in reach.others:
        if newer.position == last.position + 1:
            root = (await split(ctx, root, newer)).older
    if root_id is None:
        return root
    root = await find_article(ctx, root.id)
    translation_id = next(row["id"] for row in root.translations if row["locale"] == article.locale)
    return await find_article(ctx, translation_id, lock=True)


def bounds_of(article: Article, versions: Sequence[ProductVersion]) -> tuple[int, int]:
    """The positions of the first and the last version of an article."""
    positions = {version.id: version.position for version in versions}
    first = positions.get(article.since_version or "", 0)
    return first, positions.get(article.until_version or "", len(versions) - 1)


def home_position(versions: Sequence[ProductVersion], first: int, last: int) -> int:
    """The position of the current version, or of the nearest one between the bounds of an article."""
    current = next(version.position for version in versions if version.is_current)
    return max(first, min(current, last))


async def _copy(ctx: Ctx, article: Article, other: OtherVersions, original: Article | None) -> Article:
    """A copy of an article for other versions; of a translation, if it gets the copy of its original."""
    base = slugify(f"{article.slug}-{other.name}", "article")
    fields = {
        "slug": free_slug(base, await queries.slugs_like(ctx, base, article.locale)),
        "title": article.title,
        "content_markdown": article.content,
        "description": article.description or "",
        "collection_id": article.collection_id,
        "visibility": article.visibility,
        "locale": article.locale,
        "position": article.position,
        **({"translation_of": original.id} if original else {}),
    }
    body = ArticleCreate.model_construct(set(fields), **fields)
    copy = await find_article(ctx, (await create(ctx, body, "markdown", COPY, "draft")).id, lock=True)
    changes = dict[str, Any]() if original else other.columns
    if article.is_live:
        await splitting_queries.copy_publication(ctx, article.id, copy)
    if article.status != "draft":
        changes = changes | (live_columns(ctx, article) if article.is_live else {"status": article.status})
    if changes:
        copy = await save(ctx, copy, changes, "markdown")
    await splitting_queries.copy_standing(ctx, article.id, copy.id)
    await splitting_queries.copy_dismissals(ctx, article.id, copy.id)
    await splitting_queries.move_proposals(ctx, article, copy, other.version_ids)
    return copy
