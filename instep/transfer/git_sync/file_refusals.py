"""Reports a refused file and continues the sync with the others."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from instep.platform.core.errors import AppError, Unavailable
from instep.platform.core.restarts import WorkNeeded
from instep.transfer.git_sync.work import SyncWork


async def attempt_file(work: SyncWork, path: str, change: Awaitable[None]) -> AppError | None:
    """Apply the change of a file; if it is refused, roll it back, report the refusal and return it.

    If the change needs work first, it is rolled back without a report, and the sync is attempted again.
    """
    row = work.rows.get(path)
    before = replace(row) if row is not None else None
    folders = work.folders.copy()
    results, write = len(work.sync.results), work.sync.writes.get(path)
    try:
        async with work.ctx.tx.transaction():
            await change
    except AppError as refusal:
        if isinstance(refusal, Unavailable) and not isinstance(refusal, WorkNeeded):
            raise
        restore_row(work, path, before)
        work.folders = folders
        work.sync.drop_results_after(results)
        if write is None:
            work.sync.writes.pop(path, None)
        if not isinstance(refusal, WorkNeeded):
            work.sync.report(path, "refused", refusal.message)
        return refusal
    return None


def restore_row(work: SyncWork, path: str, row: Any) -> None:
    work.rows.pop(path, None)
    if row is not None:
        work.rows[path] = row
