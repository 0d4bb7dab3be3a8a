"""In-process senders, endpoints that point at a receiver, and time that moves on."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import datetime

from instep.notifications.webhooks import outbox
from instep.notifications.webhooks.outbox import AttemptOutcome, ClaimedDelivery
from instep.notifications.webhooks.sender import Sender
from instep.platform.core.config import settings
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.client import OutboundClient
from tests.support.cast import Client, Json
from tests.support.http import all_pages, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook
from tests.support.webhook_receiver import Receiver


@asynccontextmanager
async def sending(database: Database) -> AsyncIterator[Sender]:
    """A sender without the system's certificates, which nothing here needs."""
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with aclosing(OutboundClient(settings().allow_list, trust=trust)) as caller:
        yield Sender(database, caller, key_ring())


@asynccontextmanager
async def at_work(*senders: Sender) -> AsyncIterator[None]:
    """Run the senders in the background, as in their own process, until the block ends."""
    stop = asyncio.Event()
    running = [asyncio.create_task(sender.run(stop)) for sender in senders]
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(*running)


@asynccontextmanager
async def attempt_under_way(sender: Sender, receiver: Receiver) -> AsyncIterator[None]:
    """Keep an attempt in progress: the endpoint has the request and answers when the block ends."""
    receiver.hold()
    attempt = asyncio.create_task(sender.run_due())
    await receiver.until_received(len(receiver.received) + 1)
    yield
    receiver.release()
    await attempt


async def connect(client: Client, receiver: Receiver, path: str = "/") -> Json:
    """Create an endpoint that points at the receiver."""
    return await create_webhook(client, url=receiver.url + path)


async def deliveries_of(client: Client, webhook: Json) -> list[Json]:
    """All deliveries to the endpoint, newest first."""
    return await all_pages(client, f"{WEBHOOKS}/{webhook['id']}/deliveries", page_size=100)


async def delivery_of(client: Client, webhook: Json) -> Json:
    """The only delivery to the endpoint."""
    [delivery] = await deliveries_of(client, webhook)
    return delivery


async def endpoint_of(client: Client, webhook: Json) -> Json:
    return ok(await client.get(f"{WEBHOOKS}/{webhook['id']}"))


async def enable(client: Client, webhook: Json) -> Json:
    return ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json={"status": "enabled"}))


async def make_due(owner: Tx, webhook: Json) -> None:
    """Make the endpoint's pending deliveries due now."""
    await owner.execute(
        """
        update deliveries set next_attempt_at = clock_timestamp()
        where endpoint_id = %(id)s and status = 'pending' and next_attempt_at > clock_timestamp()
        """,
        id=webhook["id"],
    )


async def end_leases(owner: Tx) -> None:
    """Expire all leases, so that attempts in progress count as lost."""
    await owner.execute(
        "update deliveries set leased_until = clock_timestamp() where leased_until is not null"
    )


async def until(is_true: Callable[[], Awaitable[bool]]) -> None:
    """Wait until the condition is true in the database."""
    async with asyncio.timeout(30):
        while not await is_true():
            pass


async def database_time(owner: Tx) -> datetime:
    moment: datetime = await owner.value("select clock_timestamp()")
    return moment


async def add_deliveries(owner: Tx, webhook: Json, count: int, bytes_each: int = 1_000) -> None:
    """Add this many due deliveries, with the same order as their ids."""
    await owner.execute(
        """
        with made as (
          insert into events (id, workspace_id, type, body, created_at)
          select 'evt_' || %(id)s || '_' || to_char(n, 'FM000000'), w.workspace_id, 'article.updated',
            convert_to(json_build_object('id', n, 'text', repeat('x', %(bytes)s))::text, 'UTF8'), now()
          from webhook_endpoints w, generate_series(1, %(count)s) as n where w.id = %(id)s
          returning id, workspace_id
        )
        insert into deliveries (id, workspace_id, endpoint_id, event_id, status, next_attempt_at, created_at)
        select replace(id, 'evt_', 'dlv_'), workspace_id, %(id)s, id, 'pending', now(), now() from made
        """,
        id=webhook["id"],
        count=count,
        bytes=bytes_each,
    )


async def claim(database: Database, most: int = 1) -> list[ClaimedDelivery]:
    """Claim deliveries, as a sender does before it sends."""
    async with database.enter_workspace("") as tx:
        return await outbox.claim(tx, most)


async def record(database: Database, *outcomes: AttemptOutcome) -> None:
    """Record outcomes, as a sender does after an attempt."""
    async with database.enter_workspace("") as tx:
        await outbox.record_outcomes(tx, list(outcomes))


def outcome_of(claimed: ClaimedDelivery, is_delivered: bool) -> AttemptOutcome:
    """The outcome of an attempt: the delivery arrived, or the endpoint answered 410 Gone."""
    return AttemptOutcome(
        id=claimed.id,
        number=claimed.number,
        http_status=200 if is_delivered else 410,
        duration_ms=1,
        error=None if is_delivered else "Gone.",
        answer="",
        delivered=is_delivered,
        is_gone=not is_delivered,
    )
