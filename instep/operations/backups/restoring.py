"""Restores a backup into an empty installation.

All of the file is checked before anything is changed. Then the database is marked as unfinished, so that no
server starts on it, until every step has succeeded; an interrupted restore can be repeated.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg

from instep.content.articles.following import FOLLOW_TRANSLATIONS
from instep.content.files.storage import open_bucket
from instep.content.parts.actions import SHOW_PART
from instep.drafting.tasks.actions import RUN_TASK
from instep.drafting.translations.missing_translations import TRANSLATE_ARTICLE
from instep.operations.backups.backup_file import Archive, open_archive
from instep.operations.backups.emptiness import clear, refuse_occupied
from instep.operations.backups.erasure_ledger import read_ledgers
from instep.operations.backups.errors import RestoreFailed, RestoreRefused
from instep.operations.backups.loading import load_tables
from instep.operations.backups.manifest import Manifest
from instep.operations.backups.snapshot import OPTIONS
from instep.operations.backups.tables import try_lock
from instep.operations.ops.rotation import count_sealed
from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import OUTAGES, Tx
from instep.platform.core.outages import outage_of
from instep.platform.core.postgres import running_postgres
from instep.platform.core.settings import Settings
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import OPERATOR
from instep.platform.migrations import UNFINISHED_RESTORE, head, migrate_to, revisions
from instep.platform.web.shapes import Out
from instep.transfer.api_references.actions import UPDATE_API_REFERENCE
from instep.transfer.imports.actions import RUN_IMPORT
from instep.transfer.repositories.schemas import (
    CHECK_REPOSITORY,
    RELEASE_DRAFTS,
    REVIEW_PULL,
    RUN_PULL_COMMANDS,
    SEND_PULL_REQUEST,
)
from instep.visitors.insights.schemas import DRAFT_GAP
from instep.visitors.privacy.erasure_marks import ErasureMark
from instep.visitors.privacy.visitor_data import repeat_erasures

# Jobs that only change the backup's own data continue, because their results are not in it. Recurring jobs
# are scheduled by every worker that starts, and messages to chat channels are dropped.
CONTINUED_JOBS = (
    *(RUN_TASK, DRAFT_GAP, RUN_IMPORT, SEND_PULL_REQUEST, RELEASE_DRAFTS, CHECK_REPOSITORY),
    *(FOLLOW_TRANSLATIONS, TRANSLATE_ARTICLE, SHOW_PART, UPDATE_API_REFERENCE),
    # They bring the one comment up to date, and refuse commands for what it does not show.
    *(REVIEW_PULL, RUN_PULL_COMMANDS),
)
# A second restore into the same database is refused instead of waiting.
RESTORE_LOCK = 4_927_001_736

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Settled:
    """The numbers of deliveries and messages that waited in the backup and are not sent."""

    deliveries: int
    messages: int


async def settle_past(tx: Tx) -> Settled:
    """End waiting deliveries and messages, which receivers got or missed; they can be sent again by hand."""
    deliveries = await tx.execute(
        """
        update deliveries set status = 'failed', next_attempt_at = null, leased_until = null,
            attempts_begun = attempts_begun + 1,
            attempts = with_attempt(attempts, jsonb_build_object(
                'number', attempts_begun + 1, 'at', now(), 'http_status', null, 'duration_ms', 0,
                'error', 'The installation was restored from a backup: redeliver it if it is still needed.',
                'answer', null), %(kept)s)
        where status = 'pending'
        """,
        kept=limits.MAX_ATTEMPTS_LOGGED,
    )
    # No endpoint is disabled for failures from before the backup.
    await tx.execute("update webhook_endpoints set failing_since = null where status = 'enabled'")
    # Readers may have received emails since the backup, and may have used the links that confirm a
    # subscription.
    await tx.execute("update subscriptions set notified_at = now(), token_hash = null")
    messages = await tx.execute(
        "delete from jobs where workspace_id <> '' and kind <> all (%(kinds)s)", kinds=list(CONTINUED_JOBS)
    )
    await tx.execute("delete from jobs where workspace_id = ''")
    await tx.execute("update jobs set worker = null, run_at = now() where run_at is not null")
    for workspace_id in await tx.value("select coalesce(array_agg(id order by id), '{}') from workspaces"):
        await record(tx, workspace_id, OPERATOR, "restore_backup")
    return Settled(deliveries, messages)


class BackupContents(Out):
    """The contents of a backup: the result of `instep restore --check`."""

    version: str
    revision: str
    created_at: datetime
    tables: int
    rows: int
    files: int
    missing_files: int


class Restored(BackupContents):
    """The result of `instep restore`, with the numbers of things that differ from the backup."""

    erased_visitors: int
    ended_deliveries: int
    dropped_messages: int
    unreadable_secrets: int


def check_backup(path: Path) -> BackupContents:
    """Check all of a backup; raises `BackupRefused`."""
    with open_archive(path) as archive:
        refuse_unknown(archive.manifest)
        return BackupContents(**manifest_facts(archive.manifest))


def restore_backup(settings: Settings, path: Path, progress: Progress) -> Restored:
    """Restore into the empty installation of these settings.

    Raises `BackupRefused` and `RestoreRefused` before anything is changed, and `RestoreFailed` later.
    """
    progress("Checking the backup …")
    with open_archive(path) as archive:
        refuse_unknown(archive.manifest)
        marks = read_ledgers(settings, path)
        with running_postgres(settings) as postgres:
            try:
                return fill(settings, postgres.url, archive, marks, progress)
            except OUTAGES as error:
                raise RestoreFailed(unfinished(outage_of(error).message)) from None
            except psycopg.Error as error:
                raise RestoreFailed(unfinished(str(error).partition("\n")[0])) from None


def fill(
    settings: Settings, url: str, archive: Archive, marks: list[ErasureMark], progress: Progress
) -> Restored:
    """Load a backup into an empty database with the backup's schema, and then migrate it.

    `marks` are erasures to repeat. Raises `RestoreRefused` if the database is not empty, or
    another restore is running.
    """
    bucket = open_bucket(settings.files) if settings.files else None
    manifest = archive.manifest
    with (
        psycopg.connect(url, autocommit=True, options=OPTIONS) as connection,
        try_lock(connection, RESTORE_LOCK) as is_locked,
    ):
        if not is_locked:
            raise RestoreRefused("Another restore into this database is running: wait until it has finished.")
        refuse_occupied(connection)
        clear(connection)
        migrate_to(url, manifest.revision)
        with connection.transaction():
            load_tables(connection, archive, bucket, progress)
        if manifest.revision != head():
            progress("Bringing the schema up to date …")
            migrate_to(url, head())
        restored = asyncio.run(finish(url, manifest, marks))
        connection.execute("analyze")
        connection.execute(f"drop table {UNFINISHED_RESTORE}".encode())
    return restored


async def finish(url: str, manifest: Manifest, marks: list[ErasureMark]) -> Restored:
    """Repeat erasures and end waiting work, in one transaction."""
    async with await psycopg.AsyncConnection.connect(url, options=OPTIONS) as connection:
        tx = Tx(connection)
        erased_visitors = await repeat_erasures(tx, marks)
        settled = await settle_past(tx)
        sealed = await count_sealed(tx, key_ring())
    return Restored(
        **manifest_facts(manifest),
        erased_visitors=erased_visitors,
        ended_deliveries=settled.deliveries,
        dropped_messages=settled.messages,
        unreadable_secrets=sealed.unreadable,
    )


def refuse_unknown(manifest: Manifest) -> None:
    if manifest.revision not in revisions():
        raise RestoreRefused(
            f"The backup was made by version {manifest.version} of Instep, whose schema {manifest.revision} "
            "this version does not know: restore it with the version that made it."
        )


def unfinished(reason: str) -> str:
    return f"The restore failed ({reason.rstrip('.')}): fix the cause and run the same command again."


def manifest_facts(manifest: Manifest) -> dict[str, Any]:
    return {
        "version": manifest.version,
        "revision": manifest.revision,
        "created_at": manifest.created_at,
        "tables": len(manifest.tables),
        "rows": manifest.rows,
        "files": manifest.objects.count,
        "missing_files": manifest.objects.missing,
    }


def describe_restored(restored: Restored) -> str:
    """Sentences about the result of a restore, for the operator."""
    moment = isoformat(restored.created_at)
    lines = [
        f"Restored {restored.rows:,} rows of {restored.tables} tables as they were at {moment}.",
        "People must sign in again, AI clients must be connected again, and open invitations must be"
        " created again.",
        f"API keys that were revoked after {moment} work again, and people who were disabled since can"
        " sign in: check `instep key list` and `instep user list`.",
    ]
    notes = [
        (restored.files, "Files of the bucket that were restored too", ""),
        (restored.missing_files, "Files that were missing from their storage before the backup", ""),
        (restored.erased_visitors, "Erasures of visitors after the backup that were repeated", ""),
        (
            restored.ended_deliveries,
            "Pending webhook deliveries that are not sent",
            " Redeliver those you need.",
        ),
        (restored.dropped_messages, "Pending chat messages that are not sent", ""),
        (
            restored.unreadable_secrets,
            "Secrets that can't be read with the keys that are set",
            " Put the secret key of the former installation into INSTEP_SECRET_KEY, or into "
            "INSTEP_SECRET_KEY_PREVIOUS.",
        ),
    ]
    return "\n".join([*lines, *(f"{note}: {count:,}.{advice}" for count, note, advice in notes if count)])
