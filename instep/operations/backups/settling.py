"""Ends work of a restored installation that had external effects, so that it is not repeated.

Webhooks and chat channels already got the messages of the past, or missed them: none is sent again.
"""

from dataclasses import dataclass

from instep.content.articles.following import FOLLOW_TRANSLATIONS
from instep.content.parts.actions import SHOW_PART
from instep.drafting.tasks.actions import RUN_TASK
from instep.drafting.translations.missing_translations import TRANSLATE_ARTICLE
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import OPERATOR
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

# Jobs that only change the backup's own data continue, because their results are not in it. Recurring jobs
# are scheduled by every worker that starts, and messages to chat channels are dropped.
CONTINUED_JOBS = (
    *(RUN_TASK, DRAFT_GAP, RUN_IMPORT, SEND_PULL_REQUEST, RELEASE_DRAFTS, CHECK_REPOSITORY),
    *(FOLLOW_TRANSLATIONS, TRANSLATE_ARTICLE, SHOW_PART, UPDATE_API_REFERENCE),
    # They bring the one comment up to date, and refuse commands for what it does not show.
    *(REVIEW_PULL, RUN_PULL_COMMANDS),
)


@dataclass(frozen=True, slots=True)
class Settled:
    """The numbers of deliveries and messages that waited in the backup and are not sent."""

    deliveries: int
    messages: int


async def settle_past(tx: Tx) -> Settled:
    """End waiting deliveries and messages; they can be sent again by hand."""
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
