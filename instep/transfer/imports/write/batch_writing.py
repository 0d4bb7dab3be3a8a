"""Writes one batch of a plan into the bot, in the caller's transaction.

Every action is idempotent: it finds the writes of an earlier attempt by the keys of the source.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from instep.content.articles.actions import update_article
from instep.content.articles.body_schemas import ArticleUpdate
from instep.content.articles.overviews import lock_order, set_positions
from instep.content.articles.paths import path_of_article
from instep.content.articles.texts import find_article, save
from instep.content.changelog import actions as changelog
from instep.content.changelog.schemas import ChangelogEntryCreate, ChangelogEntryUpdate
from instep.content.collections.actions import create_collection, find_collection, update_collection
from instep.content.collections.schemas import CollectionCreate, CollectionUpdate
from instep.content.files.actions import Inspection, store_inspected
from instep.content.files.storage import FileStorage
from instep.content.golden.actions import add_golden_question, list_golden_questions_of
from instep.content.golden.schemas import normalized_question
from instep.content.parts.actions import import_part
from instep.content.parts.expansion import references_in
from instep.content.parts.readers_texts import list_references
from instep.content.parts.schemas import PartCreate
from instep.content.product_versions.actions import add_product_version, list_all_versions
from instep.content.product_versions.schemas import ProductVersionCreate
from instep.content.redirects.actions import add_redirects, repoint_redirects
from instep.content.redirects.schemas import FormerPath
from instep.platform.core.errors import AppError, Conflict, InvalidRequest, InvalidState, NotFound
from instep.platform.core.restarts import NeededWork, WorkNeeded
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.transfer.exports.file_contents import VERSIONS_FILE
from instep.transfer.imports import queries
from instep.transfer.imports.plan.ordering import new_positions, placed
from instep.transfer.imports.plan.planning import changed_facts
from instep.transfer.imports.schemas import (
    AbsentPage,
    Facts,
    FilePiece,
    Outcome,
    Plan,
    PlannedCollection,
    PlannedEntry,
    PlannedPage,
    PlannedPart,
    PlannedRedirect,
)
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    ImportedQuestion,
    ImportedVersion,
    Loss,
    MovedPage,
)
from instep.transfer.imports.tree.written_pictures import name_of_path, named_path
from instep.transfer.imports.write.page_writing import Ids, write_page

# Refusals of a single item, after which an import goes on.
REFUSALS = (InvalidRequest, InvalidState, NotFound, Conflict, ValidationError)
LOST_BOUNDS = "versions of the page, which is in all versions now"
LOST_TOPIC = "topic of the page, which has no link to the pages of other versions now"


@dataclass(slots=True)
class Batch:
    """The context of writing a batch, and its result: losses, and outcomes other than planned, by key."""

    plan: Plan
    storage: FileStorage
    ids: Ids
    losses: list[Loss] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)


@writes
async def import_collections(
    ctx: Ctx, import_id: str, batch: Batch, collections: Sequence[PlannedCollection]
) -> str:
    """Create and change collections, parents first, as in the plan.

    The content of a refused collection goes to its parent; `ids_of` does this for pages.
    """
    ids = await queries.ids_of(ctx, batch.plan.source, "collection")
    for planned in collections:
        key, what = planned.collection.key, _lost_part(planned, ids)
        async with attempt_item(ctx, batch, planned.collection.path or key, what, key):
            await _write_collection(ctx, batch.plan, planned, ids)
        if key in batch.outcomes:
            _stand_for_parent(planned, ids)
    return import_id


@asynccontextmanager
async def attempt_item(
    ctx: Ctx, batch: Batch, path: str, what: str, key: str | None = None
) -> AsyncIterator[None]:
    """A transaction for one change; a refused one is a loss, and the failed outcome of `key`."""
    try:
        async with ctx.tx.transaction():
            yield
    except REFUSALS as error:
        if key is not None:
            batch.outcomes[key] = "failed"
        batch.losses.append(Loss(path, f"{what}: {reason_of(error)}"))


async def ids_of(
    ctx: Ctx, plan: Plan, files: Mapping[str, str], lost_texts: Mapping[str, Mapping[str, str]]
) -> Ids:
    """The ids here for the source's keys; a refused collection has the id of its parent."""
    homes = await queries.ids_of(ctx, plan.source, "collection")
    for planned in plan.collections:
        _stand_for_parent(planned, homes)
    pages = await queries.ids_of(ctx, plan.source, "page")
    return Ids(homes, pages, files, await list_references(ctx), lost_texts)


def _stand_for_parent(planned: PlannedCollection, ids: dict[str, str]) -> None:
    parent_id = ids.get(planned.parent or "")
    if parent_id is not None:
        ids.setdefault(planned.collection.key, parent_id)


def _lost_part(planned: PlannedCollection, ids: Mapping[str, str]) -> str:
    if planned.collection.key in ids:
        return f"changes to the collection “{planned.title}”"
    return f"collection “{planned.title}”, whose pages are moved to its parent"


async def _write_collection(ctx: Ctx, plan: Plan, planned: PlannedCollection, ids: dict[str, str]) -> None:
    key = planned.collection.key
    collection_id = ids.get(key)
    if collection_id is None:
        collection_id = await _create_collection(ctx, planned, ids)
    elif planned.outcome == "updated" and planned.earlier is not None:
        await _update_collection(ctx, planned, planned.earlier.facts, ids)
    elif planned.outcome == "unchanged":
        return
    # The order is stored by `import_order`, after the pages.
    facts = {**planned.facts, "order": planned.earlier.order if planned.earlier else []}
    row = {"collection_id": collection_id, "digest": "", "facts": facts, "title": "", "content": ""}
    await queries.keep_ref(ctx, plan.source, "collection", key, row)
    ids[key] = collection_id


@dataclass(frozen=True, slots=True)
class InspectedFile:
    """An inspected file of the source that can be stored."""

    piece: FilePiece
    inspection: Inspection


@writes
async def import_files(ctx: Ctx, import_id: str, batch: Batch, files: Sequence[InspectedFile]) -> str:
    """Store files; a refused one is a loss."""
    for file in files:
        name, digest = name_of_path(file.piece.path), file.piece.digest
        try:
            await store_inspected(ctx, batch.storage, name, digest, file.inspection)
        except InvalidRequest as refusal:
            batch.losses.append(lost_file(file.piece, refusal))
    return import_id


def lost_file(piece: FilePiece, refusal: AppError) -> Loss:
    return Loss(named_path(piece.path), f"file that can't be stored: {refusal.message}")


@writes
async def import_pages(ctx: Ctx, import_id: str, batch: Batch, pages: Sequence[PlannedPage]) -> str:
    """Create and change articles."""
    earlier = await queries.list_texts(ctx, batch.plan.source, [page.page.key for page in pages])
    needed = NeededWork()
    for page in pages:
        path, key = page.page.path, page.page.key
        try:
            async with attempt_item(ctx, batch, path, "page that can't be imported", key):
                batch.outcomes[key] = await write_page(ctx, batch.plan, page, batch.ids, earlier)
        except WorkNeeded:
            needed.take()
    await needed.do_before_next_attempt()
    return import_id


@writes
async def import_moves(ctx: Ctx, import_id: str, batch: Batch, moved: Sequence[MovedPage]) -> str:
    """Replace the keys of pages that were moved in the source by their current ones."""
    await queries.rename_refs(ctx, batch.plan.source, moved)
    return import_id


@writes
async def archive_absent(ctx: Ctx, import_id: str, batch: Batch, absent_pages: Sequence[AbsentPage]) -> str:
    """Archive articles whose pages the source no longer has, except those that were changed here.

    Their addresses redirect to the same pages as in the source.
    """
    texts = await queries.list_texts(ctx, batch.plan.source, [page.key for page in absent_pages])
    former_paths = []
    for page in absent_pages:
        text = texts.get(page.key)
        if text is None or text.is_deleted:
            continue
        article = await find_article(ctx, text.id, lock=True)
        if text.is_changed_here or article.status not in ("draft", "published"):
            what = (
                f"page that is no longer in the source: “{page.slug}” is kept because it was just "
                "changed here"
            )
            batch.losses.append(Loss(page.key, what))
            continue
        await save(ctx, article, {"status": "archived"}, "markdown")
        # The article is restored if its page returns.
        await queries.add_facts(ctx, batch.plan.source, "page", page.key, {"pruned": True})
        if (heir_id := batch.ids.articles.get(page.heir or "")) is not None:
            await repoint_redirects(ctx, article.id, heir_id)
            path = path_of_article(ctx.bot.locale, article.locale, article.slug)
            former_paths.append(FormerPath(path, heir_id))
    await add_redirects(ctx, former_paths)
    return import_id


@writes
async def import_order(ctx: Ctx, import_id: str, batch: Batch, reordered: Sequence[PlannedCollection]) -> str:
    """Put articles in the order of the source if it changed since the last import."""
    await lock_order(ctx)
    # A refused collection shares its id with its parent, which is earlier in the plan.
    collections: dict[str, PlannedCollection] = {}
    for row in reordered:
        collection_id = batch.ids.collections.get(row.collection.key)
        if collection_id is not None:
            collections.setdefault(collection_id, row)
    places = await queries.list_places(ctx, list(collections))
    positions = {place.id: place.position for place in places}
    changed: dict[str, int] = {}
    for collection_id, planned in collections.items():
        present = [place.id for place in places if place.collection_id == collection_id]
        target, moved = [
            [batch.ids.articles[key] for key in keys if key in batch.ids.articles]
            for keys in (planned.order, planned.moved)
        ]
        changed |= new_positions(placed(present, target, moved), positions)
        facts = {"order": list(planned.order)}
        await queries.add_facts(ctx, batch.plan.source, "collection", planned.collection.key, facts)
    await set_positions(ctx, changed)
    return import_id


@writes
async def import_redirects(
    ctx: Ctx, import_id: str, batch: Batch, redirects: Sequence[PlannedRedirect]
) -> str:
    """Add redirects from former addresses to the articles."""
    former_paths = []
    for redirect in redirects:
        article_id = batch.ids.articles.get(redirect.page_key or "")
        if article_id is not None or redirect.url is not None:
            former_paths.append(FormerPath(redirect.path, article_id, redirect.url))
    for path in await add_redirects(ctx, former_paths):
        batch.losses.append(
            Loss(
                path,
                "old address that can't be redirected: the bot has reached the maximum number of redirects",
            )
        )
    return import_id


@writes
async def import_questions(
    ctx: Ctx, import_id: str, batch: Batch, questions: Sequence[ImportedQuestion]
) -> str:
    """Add the golden questions of articles; existing ones stay unchanged."""
    for question in questions:
        article_id = batch.ids.articles.get(question.page)
        if article_id is None or await _has_question(ctx, article_id, question.question):
            continue
        async with attempt_item(ctx, batch, question.page, "golden question that can't be added"):
            await add_golden_question(ctx, question.question, article_id, question.section, question.says)
    return import_id


async def _has_question(ctx: Ctx, article_id: str, question: str) -> bool:
    rows = await list_golden_questions_of(ctx, article_id)
    return normalized_question(question) in [row.question for row in rows]


@writes
async def import_parts(ctx: Ctx, import_id: str, batch: Batch, parts: Sequence[PlannedPart]) -> str:
    """Create and change parts and variables, those inside others first."""
    waiting = list(parts)
    while waiting:
        names = {row.part.reference for row in waiting}
        ready = [row for row in waiting if not names & set(references_in(row.part.text))] or waiting
        for row in ready:
            copied = ", so pages contain a copy of it" if row.outcome == "created" else ""
            what = f"{row.part.reference} that can't be kept{copied}"
            fields = {"kind": row.part.kind, "name": row.part.name, "locale": row.locale}
            fields["text"] = row.text.written(batch.ids.files)
            key = row.part.key or row.part.reference
            async with attempt_item(ctx, batch, row.part.path, what, row.key):
                new = PartCreate.model_validate(fields)
                await import_part(ctx, new, batch.plan.source, key, row.text.digest)
        waiting = [row for row in waiting if row not in ready]
    return import_id


@writes
async def import_entries(ctx: Ctx, import_id: str, batch: Batch, entries: Sequence[PlannedEntry]) -> str:
    """Create and change entries of the changelog."""
    known_ids, needed = await queries.ids_of(ctx, batch.plan.source, "entry"), NeededWork()
    for entry in entries:
        path, key = entry.entry.path, entry.entry.key
        try:
            async with attempt_item(ctx, batch, path, "changelog entry that can't be imported", key):
                await _write_entry(ctx, batch, entry, known_ids.get(key))
        except WorkNeeded:
            needed.take()
    await needed.do_before_next_attempt()
    return import_id


async def _create_collection(ctx: Ctx, planned: PlannedCollection, ids: Mapping[str, str]) -> str:
    fields: dict[str, Any] = {
        "title": planned.title,
        "slug": planned.slug,
        "visibility": planned.collection.visibility,
        "parentId": ids.get(planned.parent) if planned.parent else None,
        **({"description": planned.description} if planned.description else {}),
        **({"icon": planned.collection.icon} if planned.collection.icon else {}),
    }
    return (await create_collection(ctx, CollectionCreate.model_validate(fields))).id


async def _update_collection(
    ctx: Ctx, planned: PlannedCollection, before: Facts, ids: Mapping[str, str]
) -> None:
    """Update the values that changed in the source, except those that someone changed here."""
    collection = await find_collection(ctx, ids[planned.collection.key])
    present = {
        "title": collection.title,
        "description": collection.description,
        "parentId": collection.parent_id,
        "visibility": collection.visibility,
    }
    fields = {}
    for name, value in changed_facts(before, planned.facts).items():
        wire_name = "parentId" if name == "parent" else name
        old = ids.get(before.get(name) or "") if name == "parent" else before.get(name)
        if present[wire_name] == old:
            fields[wire_name] = ids.get(str(value)) if name == "parent" and value else value
    await update_collection(ctx, collection.id, CollectionUpdate.model_validate(fields))


async def _write_entry(ctx: Ctx, batch: Batch, entry: PlannedEntry, known_id: str | None) -> None:
    content = batch.ids.stored_text(entry.text, ctx.bot.locale)
    fields = {"title": entry.title, "contentMarkdown": content}
    if known_id is not None:
        entry_id = known_id
        await changelog.update_changelog_entry(ctx, entry_id, ChangelogEntryUpdate.model_validate(fields))
    else:
        if entry.entry.source_url is not None:
            fields["sourceUrl"] = entry.entry.source_url
        row = await changelog.create_entry(ctx, ChangelogEntryCreate.model_validate(fields), entry.slug)
        entry_id = row.id
        if entry.entry.status == "archived":
            await changelog.archive_changelog_entry(ctx, entry_id)
        if entry.entry.status == "published":
            await changelog.publish_past_entry(ctx, row, entry.entry.published_at or ctx.now)
    ref = {
        "entry_id": entry_id,
        "digest": entry.text.digest,
        "facts": {},
        "title": entry.title,
        "content": content,
    }
    await queries.keep_ref(ctx, batch.plan.source, "entry", entry.entry.key, ref)


def reason_of(error: AppError | ValidationError) -> str:
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
    return error.message


@writes
async def import_versions(ctx: Ctx, import_id: str, batch: Batch, versions: Sequence[ImportedVersion]) -> str:
    """Create the versions that the help center lacks; existing ones stay unchanged.

    A new one comes before the next one of the export that is there, or else it is the newest.
    """
    present = [version.slug for version in await list_all_versions(ctx)]
    has_versions = bool(present)
    for index, version in enumerate(versions):
        if version.slug in present:
            continue
        later = next((other.slug for other in versions[index:] if other.slug in present), None)
        position = present.index(later) if later else len(present)
        fields = {
            "slug": version.slug,
            "name": version.name,
            "branches": list(version.branches),
            "position": position,
            "isCurrent": version.is_current and not has_versions,
        }
        what = f"version “{version.slug}” that can't be created"
        async with attempt_item(ctx, batch, VERSIONS_FILE, what):
            await add_product_version(ctx, ProductVersionCreate.model_validate(fields))
            present.insert(position, version.slug)
    return import_id


@writes
async def import_ranges(ctx: Ctx, import_id: str, batch: Batch, pages: Sequence[ImportedPage]) -> str:
    """Set the first and the last version of articles, and then their families; versions set here stay."""
    new = [page for page in pages if await _lacks_versions(ctx, batch, page)]
    for page in new:
        bounds = {"sinceVersion": page.since, "untilVersion": page.until}
        sent = {name: slug for name, slug in bounds.items() if slug}
        await _set_versions(ctx, batch, page, sent, LOST_BOUNDS)
    for page in new:
        head_id = batch.ids.articles.get(page.version_of or "")
        await _set_versions(ctx, batch, page, {"versionOf": head_id} if head_id else {}, LOST_TOPIC)
    return import_id


async def _lacks_versions(ctx: Ctx, batch: Batch, page: ImportedPage) -> bool:
    article_id = batch.ids.articles.get(page.key)
    if article_id is None:
        return False
    article = await find_article(ctx, article_id)
    return (article.since_version, article.until_version, article.version_family) == (None, None, None)


async def _set_versions(
    ctx: Ctx, batch: Batch, page: ImportedPage, fields: dict[str, str], lost: str
) -> None:
    if fields:
        async with attempt_item(ctx, batch, page.path, lost):
            await update_article(ctx, batch.ids.articles[page.key], ArticleUpdate.model_validate(fields))
