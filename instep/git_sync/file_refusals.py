"""What can't be done with one file is told, and the others go on."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from instep.core.errors import AppError, Unavailable
from instep.core.restarts import WorkNeeded
from instep.git_sync.work import SyncWork


async def attempted(work: SyncWork, path: str, change: Awaitable[None]) -> AppError | None:
    """Do what a file asks for; when it is refused, nothing of it has happened, and the reason is told.

    Where it needs work between two attempts at the sync, nothing has happened either.
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
        work.sync.take_back(results)
        if write is None:
            work.sync.writes.pop(path, None)
        if not isinstance(refusal, WorkNeeded):
            work.sync.tell(path, "refused", refusal.message)
        return refusal
    return None


def restore_row(work: SyncWork, path: str, row: Any) -> None:
    work.rows.pop(path, None)
    if row is not None:
        work.rows[path] = row
