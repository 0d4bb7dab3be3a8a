"""Runs the import of a plan: files, collections, articles, redirects, entries, in batches that commit.

A run that is killed leaves whole batches. The next run of the same source finds them by their keys, writes
only what is missing, and doubles nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from instep.core import limits
from instep.core.database import Database
from instep.core.errors import InvalidRequest
from instep.core.restarts import restartable
from instep.files.actions import find_sent_files, inspect_upload
from instep.files.kinds import UnsupportedType
from instep.files.storage import FileStorage
from instep.identity.job_context import job_context
from instep.identity.schemas import Actor, Bot, Ctx
from instep.imports import queries
from instep.imports.batch_writing import (
    Ids,
    InspectedFile,
    Written,
    ids_of_homes,
    import_collections,
    import_entries,
    import_files,
    import_order,
    import_pages,
    import_questions,
    import_redirects,
    lost_file,
)
from instep.imports.schemas import (
    WRITTEN,
    FilePiece,
    ImportReport,
    Outcome,
    OutcomeCounts,
    Plan,
    PlannedEntry,
    PlannedPage,
    PlannedRedirect,
)
from instep.imports.tree import Loss, SourceFiles

Item = TypeVar("Item")
# Told after each batch: how much is done of how much.
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Work:
    """What a plan writes."""

    pieces: dict[str, FilePiece]
    pages: list[PlannedPage]
    redirects: tuple[PlannedRedirect, ...]
    entries: list[PlannedEntry]

    @property
    def total(self) -> int:
        return len(self.pieces) + len(self.pages) + len(self.redirects) + len(self.entries)


def work_of(plan: Plan) -> Work:
    return Work(
        pieces=plan.files(),
        pages=[page for page in plan.pages if page.outcome in WRITTEN],
        redirects=plan.redirects if plan.report.redirects.created else (),
        entries=[entry for entry in plan.entries if entry.outcome in WRITTEN],
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

    await write_collections(run)
    await write_pages(run, addresses)
    for redirects in batches(run.work.redirects, limits.IMPORT_BATCH_REDIRECTS):
        await write_redirects(run, redirects)
    if run.plan.tree.questions:
        await write_questions(run)
    for entries in batches(run.work.entries, limits.IMPORT_BATCH_ARTICLES):
        await write_entries(run, addresses, entries)
    run.plan.report.losses += run.losses
    return run.plan.report


async def write_collections(run: ImportRun) -> None:
    written = Written([], {})

    async def write(ctx: Ctx) -> None:
        written.losses.clear()
        written.outcomes.clear()
        await import_collections(ctx, run.import_id, run.plan, written)

    await attempt(run, write)
    run.losses += written.losses
    counts = run.plan.report.collections
    for planned in run.plan.collections:
        if planned.collection.key in written.outcomes:
            count_anew(counts, planned.outcome, "failed")


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
        content = await asyncio.to_thread(run.files.read, piece.path)
        try:
            inspection = await inspect_upload(piece.path.rpartition("/")[2], content)
        except (InvalidRequest, UnsupportedType) as refusal:
            lose_file(run, lost_file(piece, refusal))
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
    written = Written([], {})

    async def write(ctx: Ctx) -> None:
        written.losses.clear()
        await import_files(ctx, run.import_id, run.storage, files, written)

    await attempt(run, write)
    for loss in written.losses:
        lose_file(run, loss)
    run.advance(len(files))


def lose_file(run: ImportRun, loss: Loss) -> None:
    run.losses.append(loss)
    counts = run.plan.report.files
    counts.stored, counts.listed = counts.stored - 1, counts.listed + 1


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
    written = Written([], {})

    async def write(ctx: Ctx) -> None:
        written.losses.clear()
        await import_pages(ctx, run.import_id, run.plan, pages, await ids_of(ctx, run, files), written)
        await queries.set_progress(ctx, run.import_id, run.done + len(pages), run.work.total)

    await attempt(run, write)
    run.losses += written.losses
    recount(run.plan.report, pages, written)
    run.advance(len(pages))


async def write_order(run: ImportRun) -> None:
    async def write(ctx: Ctx) -> None:
        await import_order(ctx, run.import_id, run.plan, await ids_of(ctx, run, {}))

    await attempt(run, write)


async def write_redirects(run: ImportRun, redirects: Sequence[PlannedRedirect]) -> None:
    written = Written([], {})

    async def write(ctx: Ctx) -> None:
        written.losses.clear()
        await import_redirects(ctx, run.import_id, redirects, await ids_of(ctx, run, {}), written)

    await attempt(run, write)
    run.losses += written.losses
    run.advance(len(redirects))


async def write_questions(run: ImportRun) -> None:
    written = Written([], {})

    async def write(ctx: Ctx) -> None:
        written.losses.clear()
        questions = run.plan.tree.questions
        await import_questions(ctx, run.import_id, questions, await ids_of(ctx, run, {}), written)

    await attempt(run, write)
    run.losses += written.losses


async def write_entries(run: ImportRun, files: dict[str, str], entries: Sequence[PlannedEntry]) -> None:
    written = Written([], {})

    async def write(ctx: Ctx) -> None:
        written.losses.clear()
        ids = await ids_of(ctx, run, files)
        await import_entries(ctx, run.import_id, run.plan, entries, ids, written)

    await attempt(run, write)
    run.losses += written.losses
    run.advance(len(entries))


async def attempt(run: ImportRun, write: Callable[[Ctx], Coroutine[Any, Any, None]]) -> None:
    """One transaction, which is repeated after expensive work that it needs."""

    async def work() -> None:
        async with run.transaction() as ctx:
            await write(ctx)

    await restartable(work)


async def ids_of(ctx: Ctx, run: ImportRun, files: dict[str, str]) -> Ids:
    collections = await queries.ids_of(ctx, run.plan.source, "collection")
    homes = ids_of_homes(run.plan, collections)
    return Ids(homes, await queries.ids_of(ctx, run.plan.source, "page"), files)


def recount(report: ImportReport, pages: Sequence[PlannedPage], written: Written) -> None:
    """Correct the counts of the plan where something came out differently."""
    for page in pages:
        outcome = written.outcomes[page.page.key]
        if outcome != page.outcome:
            count_anew(report.pages, page.outcome, outcome)


def count_anew(counts: OutcomeCounts, planned: Outcome, actual: Outcome) -> None:
    setattr(counts, planned, getattr(counts, planned) - 1)
    setattr(counts, actual, getattr(counts, actual) + 1)


def batches(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
