"""Exports: a whole help center as files that people, git hosts and `instep import` read."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from instep.core.database import Database, Tx
from instep.exports import queries
from instep.exports.file_contents import (
    MANIFEST_FILE,
    MISSING_FILE,
    QUESTIONS_FILE,
    REDIRECTS_FILE,
    article_values,
    collection_page,
    entry_values,
    manifest,
    question_lines,
    redirect_lines,
)
from instep.exports.layout import COLLECTION_FILE, Layout, lay_out
from instep.exports.page_file import new_page
from instep.exports.relative_links import to_paths
from instep.exports.schemas import ArticleRow, CollectionRow, EntryRow, ExportOut, MarkdownRow
from instep.files.schemas import StoredFile
from instep.files.storage import ObjectMissing, Storages
from instep.identity.audit import record
from instep.identity.schemas import Bot, Ctx

# Texts that are read, and are in memory, at a time.
BATCH_TEXTS = 100
ReadTexts = Callable[[Tx, Bot, Sequence[str]], Awaitable[list[MarkdownRow]]]


@dataclass(frozen=True, slots=True)
class PageText:
    """A file whose Markdown is read when it is written: an article's or a changelog entry's."""

    kind: Literal["article", "entry"]
    id: str
    values: dict[str, str | None]


# What a file of an export is made of: its bytes, a text in the database, or a stored file.
Part = bytes | PageText | StoredFile


@dataclass(frozen=True, slots=True)
class Export:
    """Everything of a help center but the texts and files themselves, which are read one after the other."""

    bot: Bot
    layout: Layout
    parts: dict[str, Part]
    counts: dict[str, int]
    # The paths of files that the storage has lost, known when everything has been read.
    missing_files: list[str] = field(default_factory=list)

    def summary(self, path: str, size: int) -> ExportOut:
        counts = {**self.counts, "files": self.counts["files"] - len(self.missing_files)}
        return ExportOut(path=path, bytes=size, missing_files=self.missing_files, **counts)


async def prepare_export(ctx: Ctx) -> Export:
    """Read what an export of the help center holds, and record it in the audit log.

    Deleted articles, revisions, drafts of the review queue and files that no text shows are not in it. Of an
    article with unpublished changes it holds the article's own text.
    """
    collections = await queries.list_collections(ctx)
    articles = await queries.list_articles(ctx)
    entries = await queries.list_entries(ctx)
    files = await queries.list_shown_files(ctx)
    layout = lay_out(ctx.bot, collections, articles, entries, files)
    redirects = await queries.list_redirects(ctx)
    questions = await queries.list_golden_questions(ctx)
    parts: dict[str, Part] = {
        MANIFEST_FILE: manifest(ctx.bot),
        REDIRECTS_FILE: redirect_lines(ctx.bot, redirects, articles, layout),
        QUESTIONS_FILE: question_lines(questions, layout),
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
        parts[layout.articles[row.id]] = PageText("article", row.id, values)
    for entry in entries:
        path = layout.entries[entry.id]
        parts[path] = PageText("entry", entry.id, entry_values(entry, path))
    return parts


async def read_parts(
    export: Export, database: Database, storages: Storages
) -> AsyncIterator[tuple[str, AsyncIterator[bytes]]]:
    """Each file of an export, in the order of their paths, with its bytes in pieces.

    No connection is held while the pieces of a file are written. A file that the storage has lost is left
    out; the last file names all of these.
    """
    export.missing_files.clear()
    paths = list(export.parts)
    for start in range(0, len(paths), BATCH_TEXTS):
        batch = paths[start : start + BATCH_TEXTS]
        texts = await read_texts(export, database, batch)
        for path in batch:
            try:
                pieces = await begun(pieces_of(export, storages, path, texts))
            except ObjectMissing:
                export.missing_files.append(path)
            else:
                yield path, pieces
    if export.missing_files:
        yield MISSING_FILE, one_piece("".join(f"{path}\n" for path in export.missing_files).encode())


async def begun(content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same content, whose first piece is there already, so that a missing object begins no file."""
    first = await anext(content, b"")

    async def pieces() -> AsyncIterator[bytes]:
        yield first
        async for piece in content:
            yield piece

    return pieces()


async def one_piece(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def read_texts(export: Export, database: Database, paths: Sequence[str]) -> dict[str, str]:
    """The Markdown of those of the files that are pages, by the ids of what they hold."""
    pages = [part for path in paths if isinstance(part := export.parts[path], PageText)]
    texts: dict[str, str] = {}
    readers: tuple[tuple[str, ReadTexts], ...] = (
        ("article", queries.list_article_texts),
        ("entry", queries.list_entry_texts),
    )
    async with database.enter_workspace(export.bot.workspace_id) as tx:
        for kind, read in readers:
            ids = [page.id for page in pages if page.kind == kind]
            texts |= {row.id: row.content for row in (await read(tx, export.bot, ids) if ids else [])}
    return texts


async def pieces_of(
    export: Export, storages: Storages, path: str, texts: dict[str, str]
) -> AsyncIterator[bytes]:
    part = export.parts[path]
    if isinstance(part, bytes):
        yield part
    elif isinstance(part, PageText):
        # An article may have been removed for good since; then its text is empty.
        content = to_paths(texts.get(part.id, ""), path, export.layout.site)
        yield new_page(part.values, content).text.encode()
    else:
        workspace_id = export.bot.workspace_id
        pieces = storages.at(part.location).read(workspace_id, part.object_key, 0, part.bytes)
        async for piece in pieces:
            yield piece
