"""The job of an alert: read the address, return the connection, send, record the outcome."""

from collections import Counter
from datetime import timedelta

from instep.notifications.alerts import queries
from instep.notifications.alerts.actions import seal_context
from instep.notifications.alerts.hooks import IncomingWebhook, read_hook
from instep.notifications.alerts.sending import NotSent, send_message
from instep.platform.core import limits
from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.core.database import Database
from instep.platform.core.jobs import MAX_ATTEMPTS, Job, Postponed
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx

# A job waits this long if its workspace has the maximum number of alerts in flight.
BUSY_WAIT = timedelta(seconds=2)
MESSENGER = Actor("task", "Instep", can_write=True)


class AlertSender:
    """Sends alerts; a slow channel only delays alerts of its own workspace."""

    def __init__(self, database: Database, client: OutboundClient) -> None:
        self._database = database
        self._client = client
        self._in_flight = Counter[str]()

    async def __call__(self, job: Job) -> None:
        workspace = job.payload["workspace"]
        if self._in_flight[workspace] >= limits.MAX_CONCURRENT_ALERTS:
            raise Postponed(BUSY_WAIT)
        self._in_flight[workspace] += 1
        try:
            await self._send(job)
        finally:
            self._in_flight[workspace] -= 1
            if not self._in_flight[workspace]:
                del self._in_flight[workspace]

    async def _send(self, job: Job) -> None:
        """Fail the job only if a retry can help; other failures are recorded in the target."""
        failure = await self._attempt(job.payload)
        if failure and not failure.is_final and job.attempts < MAX_ATTEMPTS:
            raise failure

    async def _attempt(self, payload: dict[str, str]) -> NotSent | None:
        failure = None
        try:
            async with job_context(self._database, payload, MESSENGER) as ctx:
                hook = await find_hook(ctx, payload["target"])
            if hook is None:
                return None
            await send_message(self._client, hook, payload["title"], payload["text"], payload["url"])
        except NotSent as error:
            failure = error
        async with job_context(self._database, payload, MESSENGER) as ctx:
            await queries.record_attempt(ctx, payload["target"], failure.message if failure else None)
        return failure


async def find_hook(ctx: Ctx, target_id: str) -> IncomingWebhook | None:
    row = await queries.find_sealed(ctx, target_id)
    if row is None:
        return None
    try:
        return read_hook(key_ring().open(row.sealed, *seal_context(ctx, target_id)))
    except (Unreadable, ValueError):
        raise NotSent(
            "Its address can't be read with the current secret key: remove the target and add it again.",
            is_final=True,
        ) from None
