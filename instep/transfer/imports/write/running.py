"""Runs the import of a plan: files, collections, articles, redirects, entries, in batches that commit.

A run that is killed leaves whole batches. The next run of the same source finds them by their keys, writes
only what is missing, and doubles nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
from instep.transfer.imports.schemas import (
    WRITTEN,
    AbsentPage,
    FilePiece,
    ImportReport,
    Outcome,
    OutcomeCounts,
    Plan,
    PlannedEntry,
    PlannedPage,
    PlannedRedirect,
)
from instep.transfer.imports.tree.schemas import Loss, SourceFiles
from instep.transfer.imports.tree.written_pictures import content_of, name_of_path
from instep.transfer.imports.write.batch_writing import (
    ImportBatchResult,
    InspectedFile,
    archive_absent,
    ids_of_homes,
    import_collections,
    import_entries,
    import_files,
    import_moves,
    import_order,
    import_pages,
    import_questions,
    import_redirects,
    lost_file,
)
from instep.transfer.imports.write.page_writing import Ids

Item = TypeVar("Item")
# Called after each batch with the number of written items, and of all.
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Work:
    """What a plan writes."""

    pieces: dict[str, FilePiece]
    pages: list[PlannedPage]
    redirects: tuple[PlannedRedirect, ...]
    entries: list[PlannedEntry]
    absent_pages: list[AbsentPage]

    @property
    def total(self) -> int:
        return (
            len(self.absent_pages)
            + len(self.pieces)
            + len(self.pages)
            + len(self.redirects)
            + len(self.entries)
        )


def work_of(plan: Plan) -> Work:
    return Work(
        pieces=plan.files(),
        pages=[page for page in plan.pages if page.outcome in WRITTEN],
        redirects=plan.redirects if plan.report.redirects.created else (),
        entries=[entry for entry in plan.entries if entry.outcome in WRITTEN],
        absent_pages=[page for page in plan.report.absent_pages if page.outcome == "archived"],
    )


@dataclass(slots=True)
class ImportRun:
    """One run: where it writes, for whom, and how far it has come."""

    database: Database
    storage: FileStorage
    bot: Bot
    actor: Actor
    import_id: str
    plan: Plan
    files: SourceFiles
    work: Work
    tell: Tell
    done: int = 0
    losses: list[Loss] = field(default_factory=list)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Ctx]:
        payload = {"workspace": self.bot.workspace_id, "bot": str(self.bot.id)}
        async with job_context(self.database, payload, self.actor) as ctx, ctx.tx.transaction():
            yield ctx

    def advance(self, count: int) -> None:
        self.done += count
        self.tell(self.done, self.work.total)


async def run_plan(run: ImportRun) -> ImportReport:
    """Import everything; the report of what was done."""
    if run.plan.report.changes_nothing:
        return run.plan.report
    addresses = await store_files(run)
    if run.plan.report.moved:
        await write_moves(run)
    await write_collections(run)
    await write_pages(run, addresses)
    for absent_pages in batches(run.work.absent_pages, limits.IMPORT_BATCH_ARTICLES):
        await write_absent(run, absent_pages)
    for redirects in batches(run.work.redirects, limits.IMPORT_BATCH_REDIRECTS):
        await write_redirects(run, redirects)
    if run.plan.tree.questions:
        await write_questions(run)
    for entries in batches(run.work.entries, limits.IMPORT_BATCH_ARTICLES):
        await write_entries(run, addresses, entries)
    async with run.transaction() as ctx:
        await renew_statistics(ctx.tx, run.work.total)
    run.plan.report.losses += run.losses
    return run.plan.report


async def write_moves(run: ImportRun) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        await import_moves(ctx, run.import_id, run.plan)

    await attempt(run, write)


async def write_absent(run: ImportRun, absent_pages: Sequence[AbsentPage]) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        await archive_absent(ctx, run.import_id, run.plan, absent_pages, await ids_of(ctx, run, {}), result)

    result = await attempt(run, write)
    count_again(run.plan.report.pages, "archived", "absent", len(result.losses))
    run.advance(len(absent_pages))


async def write_collections(run: ImportRun) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        await import_collections(ctx, run.import_id, run.plan, result)

    result = await attempt(run, write)
    planned = {row.collection.key: row.outcome for row in run.plan.collections}
    recount(run.plan.report.collections, planned, result)


async def store_files(run: ImportRun) -> dict[str, str]:
    """Store the files that are not here yet; the paths of all by the digests of what was sent."""
    pieces = run.work.pieces
    async with run.transaction() as ctx:
        addresses = await find_sent_files(ctx, list(pieces))
    run.advance(len(addresses))
    missing = [piece for digest, piece in pieces.items() if digest not in addresses]
    inspected: list[InspectedFile] = []
    for pieces_at_once in batches(missing, limits.IMPORT_CONCURRENT_FILES):
        inspected += await inspect_files(run, pieces_at_once)
        size = sum(len(file.inspection.content) for file in inspected)
        if len(inspected) >= limits.IMPORT_BATCH_FILES or size >= limits.IMPORT_BATCH_FILE_BYTES:
            await write_files(run, inspected)
            inspected.clear()
    await write_files(run, inspected)
    async with run.transaction() as ctx:
        return addresses | await find_sent_files(ctx, [piece.digest for piece in missing])


async def inspect_files(run: ImportRun, pieces: Sequence[FilePiece]) -> list[InspectedFile]:
    """Inspect files concurrently; returns those that can be stored, and reports what is wrong with others."""

    async def inspect(piece: FilePiece) -> None:
        content = await asyncio.to_thread(content_of, run.files, piece.path)
        try:
            inspection = await inspect_upload(name_of_path(piece.path), content)
        except (InvalidRequest, UnsupportedType) as refusal:
            run.losses.append(lost_file(piece, refusal))
            count_lost_files(run, 1)
            run.advance(1)
        else:
            inspected.append(InspectedFile(piece, inspection))

    inspected: list[InspectedFile] = []
    async with asyncio.TaskGroup() as group:
        for piece in pieces:
            group.create_task(inspect(piece))
    return inspected


async def write_files(run: ImportRun, files: Sequence[InspectedFile]) -> None:
    if not files:
        return

    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        await import_files(ctx, run.import_id, run.storage, files, result)

    result = await attempt(run, write)
    count_lost_files(run, len(result.losses))
    run.advance(len(files))


def count_lost_files(run: ImportRun, number: int) -> None:
    counts = run.plan.report.files
    counts.stored, counts.listed = counts.stored - number, counts.listed + number


async def write_pages(run: ImportRun, files: dict[str, str]) -> None:
    """Originals come before the translations that name them; then all get their order."""
    originals = [page for page in run.work.pages if page.original_key is None]
    translations = [page for page in run.work.pages if page.original_key is not None]
    for pages in (originals, translations):
        for batch in batches(pages, limits.IMPORT_BATCH_ARTICLES):
            await write_batch(run, files, batch)
    if any(row.moved for row in run.plan.collections):
        await write_order(run)


async def write_batch(run: ImportRun, files: dict[str, str], pages: Sequence[PlannedPage]) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        await import_pages(ctx, run.import_id, run.plan, pages, await ids_of(ctx, run, files), result)
        await queries.set_progress(ctx, run.import_id, run.done + len(pages), run.work.total)

    result = await attempt(run, write)
    recount(run.plan.report.pages, {page.page.key: page.outcome for page in pages}, result)
    run.advance(len(pages))


async def write_order(run: ImportRun) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        await import_order(ctx, run.import_id, run.plan, await ids_of(ctx, run, {}))

    await attempt(run, write)


async def write_redirects(run: ImportRun, redirects: Sequence[PlannedRedirect]) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        await import_redirects(ctx, run.import_id, redirects, await ids_of(ctx, run, {}), result)

    result = await attempt(run, write)
    count_again(run.plan.report.redirects, "created", "failed", len(result.losses))
    run.advance(len(redirects))


async def write_questions(run: ImportRun) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        questions = run.plan.tree.questions
        await import_questions(ctx, run.import_id, questions, await ids_of(ctx, run, {}), result)

    result = await attempt(run, write)
    count_again(run.plan.report.questions, "created", "failed", len(result.losses))


async def write_entries(run: ImportRun, files: dict[str, str], entries: Sequence[PlannedEntry]) -> None:
    async def write(ctx: Ctx, result: ImportBatchResult) -> None:
        ids = await ids_of(ctx, run, files)
        await import_entries(ctx, run.import_id, run.plan, entries, ids, result)

    result = await attempt(run, write)
    recount(run.plan.report.entries, {entry.entry.key: entry.outcome for entry in entries}, result)
    run.advance(len(entries))


async def attempt(
    run: ImportRun, write: Callable[[Ctx, ImportBatchResult], Coroutine[Any, Any, None]]
) -> ImportBatchResult:
    """Write in one transaction, which is repeated after expensive work that it needs; keep the losses."""

    async def work() -> ImportBatchResult:
        result = ImportBatchResult([], {})
        async with run.transaction() as ctx:
            await write(ctx, result)
        return result

    result = await restartable(work)
    run.losses += result.losses
    return result


async def ids_of(ctx: Ctx, run: ImportRun, files: dict[str, str]) -> Ids:
    collections = await queries.ids_of(ctx, run.plan.source, "collection")
    homes = ids_of_homes(run.plan, collections)
    return Ids(homes, await queries.ids_of(ctx, run.plan.source, "page"), files)


def recount(counts: OutcomeCounts, planned: Mapping[str, Outcome], result: ImportBatchResult) -> None:
    """Correct the counts of the plan, whose outcomes are by key, where something came out differently."""
    for key, outcome in result.outcomes.items():
        count_again(counts, planned[key], outcome)


def count_again(counts: OutcomeCounts, planned: str, actual: str, number: int = 1) -> None:
    setattr(counts, planned, getattr(counts, planned) - number)
    setattr(counts, actual, getattr(counts, actual) + number)


def batches(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
