"""The hourly job that deletes expired rows."""

from datetime import timedelta
from functools import partial
from typing import NamedTuple

import structlog

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


class Step(NamedTuple):
    """A function of the database that deletes rows older than these ages.

    With `rows` it deletes at most so many, and returns their number.
    """

    function: str
    ages: tuple[timedelta, ...] = ()
    rows: int | None = None


class PruneFailed(Exception):
    """Some steps have failed, and the log says why; the others succeeded."""


async def schedule_prune(database: Database) -> None:
    """Schedule one run in an hour, however many processes call this."""
    await schedule_recurring(database, PRUNE, PRUNE_INTERVAL)


async def prune(database: Database, job: Job) -> None:
    """Run each step even if others fail; raises `PruneFailed` at the end, so that the job runs again."""
    await schedule_next(partial(schedule_prune, database))
    failures = []
    for step in steps():
        try:
            async with database.enter_workspace("") as tx:
                await delete_expired(tx, step)
        except Exception:
            log.exception("expired rows could not be deleted", step=step.function)
            failures.append(step.function)
    if failures:
        raise PruneFailed(", ".join(failures))


async def delete_expired(tx: Tx, step: Step) -> None:
    """Run a step; one with a number of rows until it finds fewer."""
    ages = {f"age_{number}": age for number, age in enumerate(step.ages)}
    arguments = [*ages, "most"] if step.rows else list(ages)
    sql = f"select {step.function}({', '.join(f'%({name})s' for name in arguments)})"
    if step.rows is None:
        await tx.execute(sql, **ages)
        return
    while await tx.value(sql, **ages, most=step.rows) == step.rows:
        pass


def steps() -> list[Step]:
    retention = timedelta(days=settings().conversation_retention_days)
    return [
        Step("prune_rate_windows", (RATE_WINDOW_RETENTION,)),
        Step("prune_idempotency_keys", (timedelta(hours=limits.IDEMPOTENCY_RETENTION_HOURS),)),
        Step("prune_askings", (limits.QUESTION_LOG_RETENTION,)),
        Step("prune_visit_counts", (timedelta(days=settings().visit_count_retention_days),)),
        # Articles that have been in Recently deleted for long enough.
        Step("purge_deleted_articles", (limits.DELETED_ARTICLE_RETENTION,), ARTICLE_BATCH_ROWS),
        # Events with their deliveries.
        Step("prune_events", (limits.EVENT_RETENTION,), BATCH_ROWS),
        Step("prune_leads", (retention,), BATCH_ROWS),
        Step("prune_article_feedback", (retention,), BATCH_ROWS),
        # Escalated conversations are kept for longer than others.
        Step("prune_conversations", (min(limits.CONVERSATION_RETENTION, retention), retention), BATCH_ROWS),
        Step("prune_imports", (limits.IMPORT_RETENTION,), BATCH_ROWS),
        Step("prune_undelivered_emails", (limits.UNDELIVERED_EMAIL_RETENTION,)),
        Step("prune_sessions", (limits.SESSION_IDLE_TTL, limits.SESSION_MAX_AGE)),
        Step("prune_links"),
        # Subscriptions that their readers have not confirmed.
        Step("prune_subscriptions", (limits.SUBSCRIPTION_LINK_TTL,)),
        Step("prune_audit_entries", (limits.AUDIT_RETENTION,)),
        Step("prune_oauth", (limits.UNUSED_APP_RETENTION, EXPIRED_OAUTH_RETENTION)),
        Step("prune_trust_keys", (TRUST_KEY_RETENTION,)),
        Step("prune_domain_claims", (limits.DOMAIN_CLAIM_TTL,)),
    ]
