"""The job behind an alert: read the address, let the connection go, send, record how it ended."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

from instep.alerts import queries
from instep.alerts.actions import place
from instep.alerts.hooks import IncomingWebhook, read_hook
from instep.alerts.sending import NotSent, send
from instep.core import limits
from instep.core.clock import utc_now
from instep.core.crypto import Unreadable, key_ring
from instep.core.database import Database
from instep.core.jobs import MAX_ATTEMPTS, Job, Postponed
from instep.core.outbound.client import OutboundClient
from instep.identity.queries import find_bot
from instep.identity.schemas import Actor, Ctx

# A workspace with as many alerts under way as it may have waits so long, and others get their turn.
BUSY_WAIT = timedelta(seconds=2)
MESSENGER = Actor("task", "Instep", can_write=True)


class AlertSender:
    """Sends alerts; a channel that answers slowly holds up those of its own workspace only."""

    def __init__(self, database: Database, caller: OutboundClient) -> None:
        self._database = database
        self._caller = caller
        self._under_way = Counter[str]()

    async def __call__(self, job: Job) -> None:
        workspace = job.payload["workspace"]
        if self._under_way[workspace] >= limits.MAX_CONCURRENT_ALERTS:
            raise Postponed(BUSY_WAIT)
        self._under_way[workspace] += 1
        try:
            await self._send(job)
        finally:
            self._under_way[workspace] -= 1
            if not self._under_way[workspace]:
                del self._under_way[workspace]

    async def _send(self, job: Job) -> None:
        """The job ends well where trying again is of no use: what is wrong is shown with the target."""
        failure = await self._attempt(job.payload)
        if failure and not failure.is_final and job.attempts < MAX_ATTEMPTS:
            raise failure

    async def _attempt(self, payload: dict[str, str]) -> NotSent | None:
        failure = None
        try:
            async with context(self._database, payload) as ctx:
                hook = await find_hook(ctx, payload["target"])
            if hook is None:
                return None
            await send(self._caller, hook, payload["title"], payload["text"], payload["url"])
        except NotSent as not_sent:
            failure = not_sent
        async with context(self._database, payload) as ctx:
            await queries.record(ctx, payload["target"], failure.message if failure else None)
        return failure


async def find_hook(ctx: Ctx, target_id: str) -> IncomingWebhook | None:
    row = await queries.find_sealed(ctx, target_id)
    if row is None:
        return None
    try:
        return read_hook(key_ring().open(row.sealed, *place(ctx, target_id)))
    except (Unreadable, ValueError):
        raise NotSent(
            "Its address can't be read with the present secret key: remove the target and add it again.",
            is_final=True,
        ) from None


@asynccontextmanager
async def context(database: Database, payload: dict[str, str]) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(payload["workspace"]) as tx:
        yield Ctx(tx, await find_bot(tx, UUID(payload["bot"])), MESSENGER, utc_now())
