"""The hourly job that deletes expired rows."""

from datetime import timedelta

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.config import settings
from instep.core.database import Database, Tx
from instep.core.jobs import Job, defer

PRUNE = "prune"
PRUNE_INTERVAL = timedelta(hours=1)
# No window is longer than an hour, so windows of this age no longer count.
RATE_WINDOW_RETENTION = timedelta(hours=2)
# Expired tokens are kept for a while, so that their reuse can be told from an unknown token.
EXPIRED_OAUTH_RETENTION = timedelta(days=1)
# Expired keys of CI jobs are kept for a while, so that the audit can be followed to them.
TRUST_KEY_RETENTION = timedelta(days=7)
# Rows per statement. An article is deleted together with its revisions and drafts, so its batch is smaller.
ARTICLE_BATCH_ROWS = 200
BATCH_ROWS = 1_000


async def schedule_prune(database: Database) -> None:
    """Schedule one run in an hour, however many processes call this."""
    async with database.enter_workspace("") as tx:
        await defer(tx, PRUNE, {}, run_at=utc_now() + PRUNE_INTERVAL, dedupe=PRUNE)


async def prune(database: Database, job: Job) -> None:
    async with database.enter_workspace("") as tx:
        await tx.execute("select prune_rate_windows(%(age)s)", age=RATE_WINDOW_RETENTION)
        key_age = timedelta(hours=limits.IDEMPOTENCY_RETENTION_HOURS)
        await tx.execute("select prune_idempotency_keys(%(age)s)", age=key_age)
        await tx.execute("select prune_askings(%(age)s)", age=limits.QUESTION_LOG_RETENTION)
        visit_age = timedelta(days=settings().visit_count_retention_days)
        await tx.execute("select prune_visit_counts(%(age)s)", age=visit_age)
        await purge_deleted_articles(tx)
        await prune_events(tx)
        await prune_conversations(tx)
        idle, most = limits.SESSION_IDLE_TTL, limits.SESSION_MAX_AGE
        await tx.execute(
            "select prune_imports(%(age)s, %(most)s)", age=limits.IMPORT_RETENTION, most=BATCH_ROWS
        )
        await tx.execute("select prune_sessions(%(idle)s, %(most)s)", idle=idle, most=most)
        await tx.execute("select prune_links()")
        await tx.execute("select prune_audit_entries(%(age)s)", age=limits.AUDIT_RETENTION)
        await tx.execute(
            "select prune_oauth(%(apps)s, %(kept)s)",
            apps=limits.UNUSED_APP_RETENTION,
            kept=EXPIRED_OAUTH_RETENTION,
        )
        await tx.execute("select prune_trust_keys(%(kept)s)", kept=TRUST_KEY_RETENTION)
    await schedule_prune(database)


async def purge_deleted_articles(tx: Tx) -> None:
    """Delete articles for good that have been in Recently deleted for the retention period."""
    sql = "select purge_deleted_articles(%(age)s, %(most)s)"
    while (
        await tx.value(sql, age=limits.DELETED_ARTICLE_RETENTION, most=ARTICLE_BATCH_ROWS)
        == ARTICLE_BATCH_ROWS
    ):
        pass


async def prune_events(tx: Tx) -> None:
    """Delete old events with their deliveries."""
    sql = "select prune_events(%(age)s, %(most)s)"
    while await tx.value(sql, age=limits.EVENT_RETENTION, most=BATCH_ROWS) == BATCH_ROWS:
        pass


async def prune_conversations(tx: Tx) -> None:
    """Delete old leads, feedback and conversations; escalated conversations are kept for longer."""
    retention = timedelta(days=settings().conversation_retention_days)
    sql = "select prune_leads(%(age)s, %(most)s)"
    while await tx.value(sql, age=retention, most=BATCH_ROWS) == BATCH_ROWS:
        pass
    sql = "select prune_article_feedback(%(age)s, %(most)s)"
    while await tx.value(sql, age=retention, most=BATCH_ROWS) == BATCH_ROWS:
        pass
    sql = "select prune_conversations(%(age)s, %(escalated)s, %(most)s)"
    ages = {"age": min(limits.CONVERSATION_RETENTION, retention), "escalated": retention}
    while await tx.value(sql, **ages, most=BATCH_ROWS) == BATCH_ROWS:
        pass
