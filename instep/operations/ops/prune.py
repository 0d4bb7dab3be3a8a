"""The hourly job that deletes expired rows."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

import structlog

from instep.accounts.workspaces.domain_claims import prune_domain_claims
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job, schedule_next, schedule_recurring

log = structlog.get_logger()

PRUNE = "prune"
PRUNE_INTERVAL = timedelta(hours=1)
# No window is longer than an hour, so windows of this age no longer count.
RATE_WINDOW_RETENTION = timedelta(hours=2)
# Expired tokens are kept for a while, so that their reuse can be told from an unknown token.
EXPIRED_OAUTH_RETENTION = timedelta(days=1)
# Expired keys of CI jobs are kept for a while, so that audit entries can be traced to them.
TRUST_KEY_RETENTION = timedelta(days=7)
# Rows per statement. An article is deleted together with its revisions and drafts, so its batch is smaller.
ARTICLE_BATCH_ROWS = 200
BATCH_ROWS = 1_000


class PruneFailed(Exception):
    """Some steps have failed, and the log says why; the others succeeded."""


async def schedule_prune(database: Database) -> None:
    """Schedule one run in an hour, however many processes call this."""
    await schedule_recurring(database, PRUNE, PRUNE_INTERVAL)


async def prune(database: Database, job: Job) -> None:
    """Run each step even if others fail; raises `PruneFailed` at the end, so that the job runs again."""
    await schedule_next(partial(schedule_prune, database))
    failures = [step.__name__ for step in STEPS if not await succeeds(database, step)]
    if failures:
        raise PruneFailed(", ".join(failures))


async def succeeds(database: Database, step: Callable[[Tx], Awaitable[None]]) -> bool:
    try:
        async with database.enter_workspace("") as tx:
            await step(tx)
    except Exception:
        log.exception("expired rows could not be deleted", step=step.__name__)
        return False
    return True


async def prune_rate_windows(tx: Tx) -> None:
    await tx.execute("select prune_rate_windows(%(age)s)", age=RATE_WINDOW_RETENTION)


async def prune_idempotency_keys(tx: Tx) -> None:
    age = timedelta(hours=limits.IDEMPOTENCY_RETENTION_HOURS)
    await tx.execute("select prune_idempotency_keys(%(age)s)", age=age)


async def prune_questions(tx: Tx) -> None:
    await tx.execute("select prune_askings(%(age)s)", age=limits.QUESTION_LOG_RETENTION)


async def prune_visit_counts(tx: Tx) -> None:
    age = timedelta(days=settings().visit_count_retention_days)
    await tx.execute("select prune_visit_counts(%(age)s)", age=age)


async def purge_deleted_articles(tx: Tx) -> None:
    """Delete articles for good that have been in Recently deleted for the retention period."""
    sql = "select purge_deleted_articles(%(age)s, %(most)s)"
    await repeat(tx, sql, ARTICLE_BATCH_ROWS, age=limits.DELETED_ARTICLE_RETENTION)


async def prune_events(tx: Tx) -> None:
    """Delete old events with their deliveries."""
    await repeat(tx, "select prune_events(%(age)s, %(most)s)", BATCH_ROWS, age=limits.EVENT_RETENTION)


async def prune_leads(tx: Tx) -> None:
    await repeat(tx, "select prune_leads(%(age)s, %(most)s)", BATCH_ROWS, age=conversation_retention())


async def prune_article_feedback(tx: Tx) -> None:
    sql = "select prune_article_feedback(%(age)s, %(most)s)"
    await repeat(tx, sql, BATCH_ROWS, age=conversation_retention())


async def prune_conversations(tx: Tx) -> None:
    """Delete old conversations; escalated ones are kept for longer."""
    sql, retention = "select prune_conversations(%(age)s, %(escalated)s, %(most)s)", conversation_retention()
    age = min(limits.CONVERSATION_RETENTION, retention)
    await repeat(tx, sql, BATCH_ROWS, age=age, escalated=retention)


async def prune_imports(tx: Tx) -> None:
    sql = "select prune_imports(%(age)s, %(most)s)"
    await tx.execute(sql, age=limits.IMPORT_RETENTION, most=BATCH_ROWS)


async def prune_undelivered_emails(tx: Tx) -> None:
    await tx.execute("select prune_undelivered_emails(%(age)s)", age=limits.UNDELIVERED_EMAIL_RETENTION)


async def prune_sessions(tx: Tx) -> None:
    idle, most = limits.SESSION_IDLE_TTL, limits.SESSION_MAX_AGE
    await tx.execute("select prune_sessions(%(idle)s, %(most)s)", idle=idle, most=most)


async def prune_links(tx: Tx) -> None:
    await tx.execute("select prune_links()")


async def prune_subscriptions(tx: Tx) -> None:
    """Delete the subscriptions that their readers have not confirmed."""
    await tx.execute("select prune_subscriptions(%(age)s)", age=limits.SUBSCRIPTION_LINK_TTL)


async def prune_audit_entries(tx: Tx) -> None:
    await tx.execute("select prune_audit_entries(%(age)s)", age=limits.AUDIT_RETENTION)


async def prune_oauth(tx: Tx) -> None:
    sql = "select prune_oauth(%(apps)s, %(kept)s)"
    await tx.execute(sql, apps=limits.UNUSED_APP_RETENTION, kept=EXPIRED_OAUTH_RETENTION)


async def prune_trust_keys(tx: Tx) -> None:
    await tx.execute("select prune_trust_keys(%(kept)s)", kept=TRUST_KEY_RETENTION)


async def forget_domain_claims(tx: Tx) -> None:
    await prune_domain_claims(tx, limits.DOMAIN_CLAIM_TTL)


def conversation_retention() -> timedelta:
    return timedelta(days=settings().conversation_retention_days)


async def repeat(tx: Tx, sql: str, most: int, **values: Any) -> None:
    """Delete in batches of at most `most` rows, whose number the statement returns, until none is full."""
    while await tx.value(sql, **values, most=most) == most:
        pass


STEPS = (
    prune_rate_windows,
    prune_idempotency_keys,
    prune_questions,
    prune_visit_counts,
    purge_deleted_articles,
    prune_events,
    prune_leads,
    prune_article_feedback,
    prune_conversations,
    prune_imports,
    prune_undelivered_emails,
    prune_sessions,
    prune_links,
    prune_subscriptions,
    prune_audit_entries,
    prune_oauth,
    prune_trust_keys,
    forget_domain_claims,
)
