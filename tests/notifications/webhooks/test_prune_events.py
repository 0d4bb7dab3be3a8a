"""Old events are deleted together with the log of their deliveries."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import psycopg
import pytest

from instep.notifications.webhooks.sender import Sender
from instep.operations.ops.prune import PRUNE, prune
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from tests.support.cast import Cast, Client, Json
from tests.support.databases import until_blocked
from tests.support.deliveries import add_deliveries, claim, deliveries_of, outcome_of, record
from tests.support.http import ok
from tests.support.webhook_endpoints import WEBHOOKS, send_test
from tests.support.webhook_receiver import Receiver


async def test_events_are_pruned_with_their_deliveries_after_30_days(
    client: Client,
    webhook: Json,
    cast: Cast,
    sender: Sender,
    receiver: Receiver,
    owner: Tx,
    database: Database,
) -> None:
    old_done, young = await send_test(client, webhook), await send_test(client, webhook)
    await sender.run_due()
    receiver.status = 500
    old_waiting = await send_test(client, webhook)
    await sender.run_due()
    for delivery, age in ((old_done, 30), (old_waiting, 31), (young, 29)):
        await owner.execute(
            "update events set created_at = created_at - %(age)s where id = %(id)s",
            age=timedelta(days=age),
            id=delivery["eventId"],
        )

    await prune(database, Job(1, PRUNE, {}, 1))

    assert [each["id"] for each in await deliveries_of(client, webhook)] == [young["id"]]
    remaining = await owner.value(
        "select array_agg(id) from events where workspace_id = %(id)s", id=cast.acme.workspace_id
    )
    assert remaining == [young["eventId"]]


async def test_many_events_are_pruned_at_once(cast: Cast, owner: Tx, database: Database) -> None:
    await owner.execute(
        """
        insert into events (id, workspace_id, type, body, created_at)
        select 'evt_' || %(id)s || n, %(id)s, 'webhook.test', '', now() - interval '31 days'
        from generate_series(1, 2500) as n
        """,
        id=cast.acme.workspace_id,
    )

    await prune(database, Job(1, PRUNE, {}, 1))

    sql = "select count(*) from events where workspace_id = %(id)s"
    assert await owner.value(sql, id=cast.acme.workspace_id) == 0


async def delete(client: Client, webhook: Json, database: Database) -> Callable[[], Awaitable[object]]:
    async def delete_endpoint() -> None:
        ok(await client.delete(f"{WEBHOOKS}/{webhook['id']}"))

    return delete_endpoint


async def end_attempts(client: Client, webhook: Json, database: Database) -> Callable[[], Awaitable[object]]:
    claimed = sorted(await claim(database, 3), key=lambda delivery: delivery.id, reverse=True)
    return lambda: record(database, *(outcome_of(each, True) for each in claimed))


@pytest.mark.parametrize("prepare", [delete, end_attempts])
async def test_pruning_waits_in_no_circle(
    client: Client,
    webhook: Json,
    owner: Tx,
    database: Database,
    database_url: str,
    prepare: Callable[[Client, Json, Database], Awaitable[Callable[[], Awaitable[object]]]],
) -> None:
    """Unsorted, the two would lock the three deliveries from opposite ends and meet at the second one."""
    await add_deliveries(owner, webhook, 3)
    act = await prepare(client, webhook, database)
    await turn_around(owner)
    [second] = [each["id"] for each in await deliveries_of(client, webhook) if each["id"].endswith("2")]

    async with await psycopg.AsyncConnection.connect(database_url) as third:
        await third.execute("select from deliveries where id = %s for update", [second])
        pruning = asyncio.create_task(prune(database, Job(1, PRUNE, {}, 1)))
        await until_blocked(owner, 1)
        acting = asyncio.ensure_future(act())
        await until_blocked(owner, 2)
    await asyncio.gather(pruning, acting)

    assert await owner.value("select count(*) from deliveries") == 0


async def turn_around(owner: Tx) -> None:
    """Make the events old, oldest first, and their deliveries newest first."""
    await owner.execute(
        """
        update events e set created_at = now() - interval '31 days' + right(e.id, 1)::int * interval '1 s'
        from deliveries d where d.event_id = e.id
        """
    )
    for number in (3, 2, 1):
        await owner.execute(
            """
            update deliveries set created_at = now() + %(number)s * interval '1 s'
            where right(id, 1)::int = %(number)s
            """,
            number=number,
        )
