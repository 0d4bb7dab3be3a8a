"""The order of turns: many senders, limits per endpoint and workspace, and neighbors that hang."""

from asyncio import timeout
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import datetime
from statistics import median

import psycopg

from instep.notifications.webhooks import outbox
from instep.notifications.webhooks.sender import Sender
from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast, Client, Json, create_company
from tests.support.deliveries import (
    add_deliveries,
    at_work,
    claim,
    connect,
    outcome_of,
    record,
    sending,
    until,
)
from tests.support.http import at_once
from tests.support.webhook_endpoints import send_test
from tests.support.webhook_receiver import Receiver, receiving

AT_ONE_ENDPOINT = 4
OF_ONE_WORKSPACE = 20
WAITING = 18
# The number of index and table scans by the connection.
LOOKS = "select idx_scan + seq_scan from pg_stat_xact_user_tables where relname = 'deliveries'"


async def test_concurrent_claims_share_no_delivery_and_keep_the_bounds(
    client: Client,
    globex: Client,
    cast: Cast,
    sender: Sender,
    receiver: Receiver,
    owner: Tx,
    database: Database,
) -> None:
    busy, quiet = client, globex
    endpoints = [await connect(busy, receiver, f"/{number}") for number in range(7)]
    endpoints.append(await connect(quiet, receiver, "/quiet"))
    for endpoint in endpoints:
        await add_deliveries(owner, endpoint, 30)

    for _ in range(3):
        claims = await at_once(8, lambda _: claim(database, 7))
        deliveries = [delivery for claimed in claims for delivery in claimed]
        assert len({delivery.id for delivery in deliveries}) == len(deliveries)
        of_busy = [each for each in deliveries if each.workspace_id == cast.acme.workspace_id]
        assert len(of_busy) == OF_ONE_WORKSPACE
        assert len(deliveries) == OF_ONE_WORKSPACE + AT_ONE_ENDPOINT
        per_endpoint = [sum(each.endpoint_id == target["id"] for each in deliveries) for target in endpoints]
        assert max(per_endpoint) == AT_ONE_ENDPOINT
        # Each endpoint gets a turn before any gets a second one.
        assert min(per_endpoint) >= 2
        await record(database, *(outcome_of(each, True) for each in deliveries))


async def test_two_senders_keep_to_four_at_an_endpoint_and_twenty_of_a_workspace(
    client: Client, sender: Sender, receiver: Receiver, owner: Tx, database_url: str
) -> None:
    endpoints = [await connect(client, receiver, f"/{number}") for number in range(6)]
    for endpoint in endpoints:
        await add_deliveries(owner, endpoint, 40)
    receiver.hold()

    async with own_sender(database_url) as other, at_work(sender, other):
        await receiver.until_received(OF_ONE_WORKSPACE)
        receiver.release()
        await receiver.until_received(6 * 40)

    assert receiver.most_in_all == OF_ONE_WORKSPACE
    assert max(receiver.most.values()) == AT_ONE_ENDPOINT
    assert len({request.delivery for request in receiver.received}) == len(receiver.received) == 6 * 40


async def test_a_sender_that_freezes_while_it_takes_deliveries_holds_up_no_other(
    webhook: Json, owner: Tx, database: Database, database_url: str
) -> None:
    await add_deliveries(owner, webhook, 2, bytes_each=5_000_000)

    with closing(psycopg.connect(database_url)) as frozen:
        # The claim is sent, but its result is never read.
        frozen.pgconn.send_query(b"select * from claim_deliveries(1, 4, 20, '20 seconds', 50)")
        await until_carried_out(owner, frozen.info.backend_pid)
        async with timeout(5):
            assert len(await claim(database, 4)) == 1


async def until_carried_out(owner: Tx, backend: int) -> None:
    """Wait until the claim is answered or its result waits to be read."""
    sql = """
        select query like '%%claim_deliveries%%' and (state = 'idle' or wait_event = 'ClientWrite')
        from pg_stat_activity where pid = %(pid)s
    """
    await until(lambda: owner.value(sql, pid=backend))


async def test_due_deliveries_are_sent_in_their_order(
    webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    await add_deliveries(owner, webhook, 40)
    # The due times are in reverse order of the ids.
    await owner.execute(
        """
        update deliveries set next_attempt_at = now() - make_interval(mins => right(id, 6)::int)
        where endpoint_id = %(id)s
        """,
        id=webhook["id"],
    )

    await sender.run_due()

    numbers = [request.event["id"] for request in receiver.received]
    for at in range(0, 40, AT_ONE_ENDPOINT):
        assert set(numbers[at : at + AT_ONE_ENDPOINT]) == set(range(40 - at, 36 - at, -1))


async def test_endpoints_that_wait_for_a_retry_cost_a_claim_nothing(
    client: Client, sender: Sender, receiver: Receiver, database: Database
) -> None:
    # Leftovers of other tests are either delivered or measured separately.
    await sender.run_due()
    cost_of_others = await cost_of_claim(database)
    endpoints = [await connect(client, receiver, f"/{number}") for number in range(WAITING)]
    for endpoint in endpoints:
        await send_test(client, endpoint)
    receiver.status = 500
    await sender.run_due()

    assert await cost_of_claim(database) - cost_of_others < WAITING


async def cost_of_claim(database: Database) -> int:
    """The number of scans by a claim that finds nothing."""
    # PostgreSQL adds a connection's counts to the totals and resets them at the end of a transaction.
    async with database.enter_workspace("") as tx, tx.transaction():
        before: int = await tx.value(LOOKS)
        assert await outbox.claim(tx, 1) == []
        after: int = await tx.value(LOOKS)
    return after - before


async def test_a_neighbour_that_hangs_delays_nobody_elses_first_attempt(
    client: Client, api: Api, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    async with receiving() as hanging:
        hanging.hold()
        for number in range(20):
            await add_deliveries(owner, await connect(client, hanging, f"/{number}"), 100)
        async with at_work(sender):
            await hanging.until_received(OF_ONE_WORKSPACE)
            delays = [await delay_of_another(api, owner, receiver, number) for number in range(10)]
            assert len(hanging.received) == OF_ONE_WORKSPACE
            await hanging.close()

    assert median(delays) < 1
    assert max(delays) < 5


async def delay_of_another(api: Api, owner: Tx, receiver: Receiver, number: int) -> float:
    """Seconds between another company's event and its first attempt."""
    company = await create_company(owner, f"Company {number}")
    client = api(company.write_key)
    webhook = await connect(client, receiver, f"/{number}")
    before = len(receiver.received)
    delivery = await send_test(client, webhook)
    await receiver.until_received(before + 1)
    request = receiver.received[-1]
    assert (request.delivery, request.attempt) == (delivery["id"], 1)
    return (request.at - datetime.fromisoformat(delivery["createdAt"])).total_seconds()


@asynccontextmanager
async def own_sender(database_url: str) -> AsyncIterator[Sender]:
    """A sender with its own connections, as in another process."""
    database = Database(database_url, size=4)
    await database.open()
    try:
        async with sending(database) as sender:
            yield sender
    finally:
        await database.close()
