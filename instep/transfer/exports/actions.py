"""Exports a help center as files that people, git hosts and `instep import` can read."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Literal

from instep.content.files.schemas import StoredFile
from instep.content.files.storage import ObjectMissing, Storages
from instep.platform.core.database import Database
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import Bot, Ctx
from instep.transfer.exports import queries
from instep.transfer.exports.file_contents import (
    MANIFEST_FILE,
    MISSING_FILE,
    PARTS_FILE,
    QUESTIONS_FILE,
    REDIRECTS_FILE,
    VERSIONS_FILE,
    article_values,
    collection_page,
    entry_values,
    manifest,
    part_lines,
    question_lines,
    redirect_lines,
    version_lines,
)
from instep.transfer.exports.layout import COLLECTION_FILE, Layout, lay_out
from instep.transfer.exports.page_file import new_page
from instep.transfer.exports.relative_links import to_paths
from instep.transfer.exports.schemas import ArticleRow, CollectionRow, EntryRow, ExportOut

# The number of texts that are read at once and held in memory.
BATCH_TEXTS = 100
# A larger stored file is buffered on disk until it is written.
MAX_MEMORY_BYTES = 1024 * 1024
PIECE_BYTES = 256 * 1024
PageKind = Literal["articles", "translations", "changelog_entries"]


class TextMissing(Exception):
    """The text of a page was permanently deleted while the export was being written."""


@dataclass(frozen=True, slots=True)
class PageText:
    """An article or changelog entry whose Markdown is read only when its file is written."""

    kind: PageKind
    id: str
    values: dict[str, str | None]


# The source of an export's file: its bytes, a text in the database, or a stored file.
Part = bytes | PageText | StoredFile


@dataclass(frozen=True, slots=True)
class Export:
    """A help center's metadata; its texts and files are read one by one while they are written."""

    bot: Bot
    layout: Layout
    parts: dict[str, Part]
    counts: dict[str, int]
    # The paths that are left out because they were permanently deleted meanwhile or are missing from the
    # storage. Complete only after everything has been read.
    missing_files: list[str] = field(default_factory=list)

    def summary(self, path: str, size: int) -> ExportOut:
        parts = [self.parts[path] for path in self.missing_files]
        missing = Counter(part.kind if isinstance(part, PageText) else "files" for part in parts)
        counts = {name: count - missing[name] for name, count in self.counts.items()}
        return ExportOut(path=path, bytes=size, missing_files=self.missing_files, **counts)


async def prepare_export(ctx: Ctx) -> Export:
    """Read the contents of an export of the help center, and record the export in the audit log.

    It leaves out deleted articles, revisions, drafts of the review queue and files that no text shows. An
    article with unpublished changes is exported without them.
    """
    collections = await queries.list_collections(ctx)
    articles = await queries.list_articles(ctx)
    entries = await queries.list_entries(ctx)
    files = await queries.list_shown_files(ctx)
    versions = await queries.list_product_versions(ctx)
    layout = lay_out(ctx.bot, collections, articles, entries, files, versions)
    redirects = await queries.list_redirects(ctx)
    questions = await queries.list_golden_questions(ctx)
    shared_parts = await queries.list_parts(ctx)
    part_texts = await asyncio.to_thread(part_lines, ctx.bot, shared_parts, layout)
    parts: dict[str, Part] = {
        MANIFEST_FILE: manifest(ctx.bot),
        REDIRECTS_FILE: redirect_lines(ctx.bot, redirects, articles, layout),
        QUESTIONS_FILE: question_lines(questions, layout),
        **({PARTS_FILE: part_texts} if shared_parts else {}),
        **({VERSIONS_FILE: version_lines(versions)} if versions else {}),
        **page_parts(ctx.bot, layout, collections, articles, entries),
        **{layout.files[file.id]: file for file in files},
    }
    counts = {
        "articles": sum(row.translation_of is None for row in articles),
        "translations": sum(row.translation_of is not None for row in articles),
        "collections": len(collections),
        "changelog_entries": len(entries),
        "files": len(files),
        "redirects": len(redirects),
        "golden_questions": len(questions),
        "parts": len(shared_parts),
        "unpublished_changes": sum(row.has_unpublished_changes for row in articles),
    }
    await record(ctx.tx, ctx.workspace_id, ctx.actor, "export_help_center", None, ctx.bot.id)
    return Export(ctx.bot, layout, {path: parts[path] for path in sorted(parts)}, counts)


def page_parts(
    bot: Bot,
    layout: Layout,
    collections: Sequence[CollectionRow],
    articles: Sequence[ArticleRow],
    entries: Sequence[EntryRow],
) -> dict[str, Part]:
    by_id = {row.id: row for row in articles}
    collections_by_id = {row.id: row for row in collections}
    parts: dict[str, Part] = {}
    for collection in collections:
        folder = layout.folders[collection.id]
        parts[folder + COLLECTION_FILE] = collection_page(collection, folder).text.encode()
    for row in articles:
        values = article_values(bot, row, layout, collections_by_id, by_id.get(row.translation_of or ""))
        kind: PageKind = "articles" if row.translation_of is None else "translations"
        parts[layout.articles[row.id]] = PageText(kind, row.id, values)
    for entry in entries:
        path = layout.entries[entry.id]
        parts[path] = PageText("changelog_entries", entry.id, entry_values(entry, path))
    return parts


async def read_parts(
    export: Export, database: Database, storages: Storages
) -> AsyncIterator[tuple[str, AsyncIterator[bytes]]]:
    """Yield each file of an export, sorted by path, with its bytes in pieces.

    No database connection is held while the pieces of a file are written. A stored file is read completely
    before its first piece, so that a missing one is left out as a whole. The last file lists the omissions.
    """
    export.missing_files.clear()
    paths = list(export.parts)
    for start in range(0, len(paths), BATCH_TEXTS):
        batch = paths[start : start + BATCH_TEXTS]
        texts = await read_texts(export, database, batch)
        for path in batch:
            with tempfile.SpooledTemporaryFile(MAX_MEMORY_BYTES) as spool:
                try:
                    async for piece in pieces_of(export, storages, path, texts):
                        spool.write(piece)
                except (ObjectMissing, TextMissing):
                    export.missing_files.append(path)
                    continue
                spool.seek(0)
                yield path, pieces_in(spool)
    if export.missing_files:
        yield MISSING_FILE, one_piece("".join(f"{path}\n" for path in export.missing_files).encode())


async def pieces_in(file: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := file.read(PIECE_BYTES):
        yield piece


async def one_piece(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def read_texts(export: Export, database: Database, paths: Sequence[str]) -> dict[str, str]:
    """The Markdown of the files that are pages, by the id of the article or entry."""
    ids = [part.id for path in paths if isinstance(part := export.parts[path], PageText)]
    async with database.enter_workspace(export.bot.workspace_id) as tx:
        return {row.id: row.content for row in await queries.list_texts(tx, export.bot, ids)}


async def pieces_of(
    export: Export, storages: Storages, path: str, texts: dict[str, str]
) -> AsyncIterator[bytes]:
    part = export.parts[path]
    if isinstance(part, bytes):
        yield part
    elif isinstance(part, PageText):
        if part.id not in texts:
            # An empty text instead would clear the article wherever the export is imported.
            raise TextMissing
        content = to_paths(texts[part.id], path, export.layout.site)
        yield new_page(part.values, content).text.encode()
    else:
        workspace_id = export.bot.workspace_id
        pieces = storages.at(part.location).read(workspace_id, part.object_key, 0, part.bytes)
        async for piece in pieces:
            yield piece
