"""Runs the import of a plan: files, collections, articles, redirects, entries, in batches that commit.

A killed run leaves complete batches. The next run of the same source finds them by their keys and writes only
the rest, without duplicates.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from instep.content.files.actions import find_sent_files, inspect_upload
from instep.content.files.kinds import UnsupportedType
from instep.content.files.storage import FileStorage
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.restarts import restartable
from instep.platform.core.statistics import renew_statistics
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.transfer.imports import queries
from instep.transfer.imports.schemas import FileCounts, FilePiece, ImportReport, Outcome, OutcomeCounts, Plan
from instep.transfer.imports.tree.schemas import Loss, SourceFiles
from instep.transfer.imports.tree.written_pictures import content_of, name_of_path
from instep.transfer.imports.write.batch_writing import (
    Batch,
    InspectedFile,
    archive_absent,
    ids_of,
    import_collections,
    import_entries,
    import_files,
    import_moves,
    import_order,
    import_pages,
    import_parts,
    import_questions,
    import_ranges,
    import_redirects,
    import_versions,
    lost_file,
)

Item = TypeVar("Item")
BatchAction = Callable[[Ctx, str, Batch, Sequence[Item]], Awaitable[str]]
# Called after each batch with the number of written items and the total.
Tell = Callable[[int, int], None]


@dataclass(slots=True)
class ImportRun:
    """One run: its target, its actor, and its progress."""

    database: Database
    storage: FileStorage
    bot: Bot
    actor: Actor
    import_id: str
    plan: Plan
    files: SourceFiles
    tell: Tell
    done: int = 0
    losses: list[Loss] = field(default_factory=list)
    # The paths of stored files by the digest of the sent bytes.
    addresses: dict[str, str] = field(default_factory=dict)
    # By language and reference, the texts of parts that could not be created.
    lost_texts: dict[str, dict[str, str]] = field(default_factory=dict)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Ctx]:
        payload = {"workspace": self.bot.workspace_id, "bot": str(self.bot.id)}
        async with job_context(self.database, payload, self.actor) as ctx, ctx.tx.transaction():
            yield ctx

    def advance(self, count: int) -> None:
        self.done += count
        self.tell(self.done, self.plan.total)

    async def write(
        self, action: BatchAction[Item], items: Sequence[Item], size: int | None = None
    ) -> dict[str, Outcome]:
        """Write items in batches of `size`, which count as progress, or all in one batch.

        Losses are collected; returns the outcomes other than planned, by key.
        """
        outcomes: dict[str, Outcome] = {}
        for start in range(0, len(items), size or len(items) or 1):
            some = items[start : start + size] if size else items
            batch = await restartable(partial(self.attempt, action, some, size is not None))
            outcomes |= batch.outcomes
            self.losses += batch.losses
            if size:
                self.advance(len(some))
        return outcomes

    async def attempt(self, action: BatchAction[Item], items: Sequence[Item], is_progress: bool) -> Batch:
        """Write a batch in one transaction, which is retried after expensive work that it needs."""
        async with self.transaction() as ctx:
            ids = await ids_of(ctx, self.plan, self.addresses, self.lost_texts)
            batch = Batch(self.plan, self.storage, ids)
            await action(ctx, self.import_id, batch, items)
            if is_progress:
                await queries.set_progress(ctx, self.import_id, self.done + len(items), self.plan.total)
        return batch


async def run_plan(run: ImportRun) -> ImportReport:
    """Run the whole import; return the report."""
    plan, report = run.plan, run.plan.report
    if report.changes_nothing:
        return report
    await store_files(run)
    with counting(run, report.parts, "created", "failed"):
        run.lost_texts = lost_texts_of(run, await run.write(import_parts, plan.written_parts))
    await run.write(import_versions, plan.tree.versions)
    await run.write(import_moves, report.moved)
    outcomes: dict[str, Outcome] = {row.collection.key: row.outcome for row in plan.collections}
    recount(report.collections, outcomes, await run.write(import_collections, plan.collections))
    outcomes = {page.page.key: page.outcome for page in plan.written_pages}
    # Translations come after the originals to which they refer.
    for is_translation in (False, True):
        pages = [page for page in plan.written_pages if (page.original_key is not None) == is_translation]
        actual = await run.write(import_pages, pages, limits.IMPORT_BATCH_ARTICLES)
        recount(report.pages, outcomes, actual)
    pages_of_versions = [row.page for row in plan.written_pages if row.page.since or row.page.until]
    await run.write(import_ranges, pages_of_versions)
    await run.write(import_order, [row for row in plan.collections if row.moved])
    with counting(run, report.pages, "archived", "absent"):
        await run.write(archive_absent, plan.archived_pages, limits.IMPORT_BATCH_ARTICLES)
    with counting(run, report.redirects, "created", "failed"):
        await run.write(import_redirects, plan.written_redirects, limits.IMPORT_BATCH_REDIRECTS)
    with counting(run, report.questions, "created", "failed"):
        await run.write(import_questions, plan.tree.questions)
    outcomes = {entry.entry.key: entry.outcome for entry in plan.written_entries}
    actual = await run.write(import_entries, plan.written_entries, limits.IMPORT_BATCH_ARTICLES)
    recount(report.entries, outcomes, actual)
    async with run.transaction() as ctx:
        await renew_statistics(ctx.tx, plan.total)
    report.losses += run.losses
    return report


def lost_texts_of(run: ImportRun, failed: Mapping[str, Outcome]) -> dict[str, dict[str, str]]:
    """The texts of parts that could not be created, by the language that shows them, and reference."""
    default, texts = run.bot.locale, dict[str, dict[str, str]]()
    keys = {(row.part.reference, row.locale) for row in run.plan.parts}
    lost = [row for row in run.plan.parts if row.outcome == "created" and row.key in failed]
    for locale in {page.locale for page in run.plan.pages} | {default} if lost else ():
        texts[locale] = {
            row.part.reference: row.text.written(run.addresses)
            for row in lost
            if row.locale == locale or (row.locale == default and (row.part.reference, locale) not in keys)
        }
    return texts


async def store_files(run: ImportRun) -> None:
    """Store the files that are not stored yet."""
    pieces = run.plan.files
    async with run.transaction() as ctx:
        run.addresses |= await find_sent_files(ctx, list(pieces))
    run.advance(len(run.addresses))
    missing = [piece for digest, piece in pieces.items() if digest not in run.addresses]
    inspected: list[InspectedFile] = []
    with counting(run, run.plan.report.files, "stored", "listed"):
        for start in range(0, len(missing), limits.IMPORT_CONCURRENT_FILES):
            inspected += await inspect_files(run, missing[start : start + limits.IMPORT_CONCURRENT_FILES])
            size = sum(len(file.inspection.content) for file in inspected)
            if len(inspected) >= limits.IMPORT_BATCH_FILES or size >= limits.IMPORT_BATCH_FILE_BYTES:
                await run.write(import_files, inspected, limits.IMPORT_BATCH_FILES)
                inspected.clear()
        await run.write(import_files, inspected, limits.IMPORT_BATCH_FILES)
    async with run.transaction() as ctx:
        run.addresses |= await find_sent_files(ctx, [piece.digest for piece in missing])


async def inspect_files(run: ImportRun, pieces: Sequence[FilePiece]) -> list[InspectedFile]:
    """Inspect files concurrently; return those that can be stored, and report the others."""

    async def inspect(piece: FilePiece) -> None:
        content = await asyncio.to_thread(content_of, run.files, piece.path)
        try:
            inspection = await inspect_upload(name_of_path(piece.path), content)
        except (InvalidRequest, UnsupportedType) as refusal:
            run.losses.append(lost_file(piece, refusal))
            run.advance(1)
        else:
            inspected.append(InspectedFile(piece, inspection))

    inspected: list[InspectedFile] = []
    async with asyncio.TaskGroup() as group:
        for piece in pieces:
            group.create_task(inspect(piece))
    return inspected


@contextmanager
def counting(run: ImportRun, counts: OutcomeCounts | FileCounts, planned: str, actual: str) -> Iterator[None]:
    """Correct the counts of the plan by one for each loss in this context."""
    losses = len(run.losses)
    yield
    count_again(counts, planned, actual, len(run.losses) - losses)


def recount(counts: OutcomeCounts, planned: Mapping[str, Outcome], actual: Mapping[str, Outcome]) -> None:
    """Correct the planned counts for outcomes that differ from the plan."""
    for key, outcome in actual.items():
        count_again(counts, planned[key], outcome)


def count_again(counts: OutcomeCounts | FileCounts, planned: str, actual: str, number: int = 1) -> None:
    setattr(counts, planned, getattr(counts, planned) - number)
    setattr(counts, actual, getattr(counts, actual) + number)
