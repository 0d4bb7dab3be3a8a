"""Housekeeping that returns every hour: rows that have done their work are removed."""

from datetime import timedelta

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.config import settings
from instep.core.database import Database, Tx
from instep.core.jobs import Job, defer

PRUNE = "prune"
EVERY = timedelta(hours=1)
# No window is longer than an hour; twice that leaves nothing that still counts.
RATE_WINDOWS_KEPT = timedelta(hours=2)
# What is over opens nothing; a token that comes again so soon can still be told from an unknown one.
OAUTH_KEPT = timedelta(days=1)
# In one statement: each takes its revisions and drafts along.
PURGED_AT_ONCE = 200
PRUNED_AT_ONCE = 1_000


async def schedule_prune(database: Database) -> None:
    """Have it run an hour from now, once, however many processes ask."""
    async with database.enter_workspace("") as tx:
        await defer(tx.connection, PRUNE, {}, run_at=utc_now() + EVERY, dedupe=PRUNE)


async def prune(database: Database, job: Job) -> None:
    async with database.enter_workspace("") as tx:
        await tx.execute("select prune_rate_windows(%(age)s)", age=RATE_WINDOWS_KEPT)
        keys_kept = timedelta(hours=limits.IDEMPOTENCY_RETENTION_HOURS)
        await tx.execute("select prune_idempotency_keys(%(age)s)", age=keys_kept)
        await tx.execute("select prune_askings(%(age)s)", age=limits.QUESTION_LOG_RETENTION)
        await purge_deleted_articles(tx)
        await prune_events(tx)
        await prune_conversations(tx)
        idle, most = limits.SESSION_IDLE_TTL, limits.SESSION_MAX_AGE
        await tx.execute("select prune_sessions(%(idle)s, %(most)s)", idle=idle, most=most)
        await tx.execute("select prune_audit_entries(%(age)s)", age=limits.AUDIT_RETENTION)
        await tx.execute(
            "select prune_oauth(%(apps)s, %(kept)s)", apps=limits.UNUSED_APP_RETENTION, kept=OAUTH_KEPT
        )
    await schedule_prune(database)


async def purge_deleted_articles(tx: Tx) -> None:
    """Remove for good what has been in Recently deleted long enough."""
    sql = "select purge_deleted_articles(%(age)s, %(most)s)"
    while await tx.value(sql, age=limits.DELETED_ARTICLE_RETENTION, most=PURGED_AT_ONCE) == PURGED_AT_ONCE:
        pass


async def prune_events(tx: Tx) -> None:
    """Remove old events and the log of their deliveries."""
    sql = "select prune_events(%(age)s, %(most)s)"
    while await tx.value(sql, age=limits.EVENT_RETENTION, most=PRUNED_AT_ONCE) == PRUNED_AT_ONCE:
        pass


async def prune_conversations(tx: Tx) -> None:
    """Forget old leads, and old questions with their answers, also those that a person was asked about."""
    retention = timedelta(days=settings().conversation_retention_days)
    sql = "select prune_leads(%(age)s, %(most)s)"
    while await tx.value(sql, age=retention, most=PRUNED_AT_ONCE) == PRUNED_AT_ONCE:
        pass
    sql = "select prune_conversations(%(age)s, %(escalated)s, %(most)s)"
    ages = {"age": min(limits.CONVERSATION_RETENTION, retention), "escalated": retention}
    while await tx.value(sql, **ages, most=PRUNED_AT_ONCE) == PRUNED_AT_ONCE:
        pass
