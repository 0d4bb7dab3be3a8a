"""Senders that die, meet each other or lose the database; endpoints that vanish; neighbours that hang."""

import asyncio
from asyncio import timeout
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import datetime
from statistics import median

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from instep.core.database import Database, Tx
from instep.core.errors import Unavailable
from instep.webhooks import outbox
from instep.webhooks.outbox import Claimed, Outcome
from instep.webhooks.sender import Sender
from tests.cast import Api, Cast
from tests.cast import found as found_company
from tests.web.asking import at_once, found
from tests.webhooks.endpoints import WEBHOOKS, send_test
from tests.webhooks.receiver import Receiver, receiving
from tests.webhooks.sending import (
    add_deliveries,
    at_work,
    attempt_under_way,
    connect,
    deliveries_of,
    delivery_of,
    end_leases,
    endpoint_of,
    sending,
)

AT_ONE_ENDPOINT = 4
OF_ONE_WORKSPACE = 20


async def test_the_delivery_of_a_lost_sender_is_sent_again_with_a_higher_attempt(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx, database: Database
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    sent = await send_test(client, webhook)
    await claim(database)
    assert await sender.run_due() == 0

    await end_leases(owner)
    assert await sender.run_due() == 1

    [request] = receiver.received
    assert (request.delivery, request.attempt) == (sent["id"], 2)
    delivery = await delivery_of(client, webhook)
    lost, last = delivery["attempts"]
    assert (lost["number"], lost["httpStatus"], lost["answer"]) == (1, None, None)
    assert lost["error"] == "The sender was stopped during this attempt."
    assert datetime.fromisoformat(lost["at"]) < datetime.fromisoformat(last["at"])
    assert (last["number"], last["httpStatus"], delivery["status"]) == (2, 200, "delivered")


async def test_lost_attempts_leave_it_all_its_retries(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx, database: Database
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    for _ in range(60):
        await claim(database)
        await end_leases(owner)
    receiver.status = 500

    assert await sender.run_due() == 1

    assert receiver.received[0].attempt == 61
    delivery = await delivery_of(client, webhook)
    assert delivery["status"] == "pending"
    # The log stays short.
    assert [attempt["number"] for attempt in delivery["attempts"]] == list(range(12, 62))


@pytest.mark.parametrize("is_delivered", [True, False])
async def test_who_comes_back_after_a_later_attempt_has_begun_changes_nothing(
    api: Api,
    cast: Cast,
    sender: Sender,
    receiver: Receiver,
    owner: Tx,
    database: Database,
    is_delivered: bool,
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    [zombie] = await claim(database)
    await end_leases(owner)

    async with attempt_under_way(sender, receiver):
        during = await delivery_of(client, webhook)
        await record(database, outcome_of(zombie, is_delivered))
        assert await delivery_of(client, webhook) == during
    after = await delivery_of(client, webhook)
    await record(database, outcome_of(zombie, is_delivered))

    assert await delivery_of(client, webhook) == after
    assert (after["status"], len(after["attempts"])) == ("delivered", 2)
    assert (await endpoint_of(client, webhook))["status"] == "enabled"


async def test_an_outcome_that_is_told_twice_counts_once(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, database: Database
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    [claimed] = await claim(database)

    await record(database, outcome_of(claimed, False))
    once = await delivery_of(client, webhook)
    await record(database, outcome_of(claimed, False))

    assert await delivery_of(client, webhook) == once
    assert len(once["attempts"]) == 1


async def test_who_was_late_but_not_replaced_counts(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    """The database was away for longer than the lease."""
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    async with attempt_under_way(sender, receiver):
        await end_leases(owner)

    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 1)
    assert len(receiver.received) == 1


async def test_an_endpoint_may_be_deleted_during_an_attempt(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook, other = await connect(client, receiver), await connect(client, receiver, "/other")
    await send_test(client, webhook)
    kept = await send_test(client, other)
    async with attempt_under_way(sender, receiver):
        await receiver.until_received(2)
        found(await client.delete(f"{WEBHOOKS}/{webhook['id']}"))

    left = await owner.value("select array_agg(id) from deliveries")
    assert left == [kept["id"]]
    assert (await delivery_of(client, other))["status"] == "delivered"
    assert await sender.run_due() == 0


async def test_a_redelivery_asked_for_during_an_attempt_sends_nothing_twice_at_once(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, database: Database
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    delivery = await send_test(client, webhook)
    async with attempt_under_way(sender, receiver):
        path = f"{WEBHOOKS}/{webhook['id']}/deliveries/{delivery['id']}/redeliver"
        found(await client.post(path))
        assert await claim(database) == []

    assert (await delivery_of(client, webhook))["status"] == "delivered"
    assert receiver.most["/"] == 1


async def test_what_ends_while_the_database_is_away_is_recorded_afterwards(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, database: Database, database_url: str
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    for _ in range(3):
        await send_test(client, webhook)
    receiver.hold()
    sent = asyncio.create_task(sender.run_due())
    await receiver.until_received(3)

    database.pool.timeout = 0.1
    async with outage(database_url):
        receiver.release()
        with pytest.raises(Unavailable):
            await sent
    database.pool.timeout = 30
    assert await sender.run_due() == 0

    deliveries = await deliveries_of(client, webhook)
    assert [(each["status"], len(each["attempts"])) for each in deliveries] == [("delivered", 1)] * 3
    assert len(receiver.received) == 3


async def test_a_sender_that_goes_on_outlives_an_outage(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, database: Database, database_url: str
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    receiver.hold()
    async with at_work(sender):
        await send_test(client, webhook)
        await receiver.until_received(1)
        database.pool.timeout = 0.1
        async with outage(database_url):
            receiver.release()
            with pytest.raises(Unavailable):
                async with database.enter_workspace("") as tx:
                    await tx.value("select 1")
        database.pool.timeout = 30
        await send_test(client, webhook)
        await receiver.until_received(2)

    assert {each["status"] for each in await deliveries_of(client, webhook)} == {"delivered"}
    assert {request.attempt for request in receiver.received} == {1}


async def test_a_sender_that_is_told_to_stop_records_what_is_under_way(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    receiver.hold()
    stop = asyncio.Event()
    running = asyncio.create_task(sender.run(stop))
    await receiver.until_received(1)

    stop.set()
    await send_test(client, webhook)
    receiver.release()
    await running

    assert [each["status"] for each in await deliveries_of(client, webhook)] == ["pending", "delivered"]
    assert len(receiver.received) == 1


async def test_of_many_who_claim_at_once_each_delivery_has_one_and_the_bounds_hold(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx, database: Database
) -> None:
    busy, quiet = api(cast.acme.write_key), api(cast.globex.write_key)
    endpoints = [await connect(busy, receiver, f"/{number}") for number in range(7)]
    endpoints.append(await connect(quiet, receiver, "/quiet"))
    for endpoint in endpoints:
        await add_deliveries(owner, endpoint, 30)

    for _ in range(3):
        claims = await at_once(8, lambda _: claim(database, 7))
        taken = [delivery for claimed in claims for delivery in claimed]
        assert len({delivery.id for delivery in taken}) == len(taken)
        of_busy = [each for each in taken if each.workspace_id == cast.acme.workspace_id]
        assert len(of_busy) == OF_ONE_WORKSPACE
        assert len(taken) == OF_ONE_WORKSPACE + AT_ONE_ENDPOINT
        per_endpoint = [sum(each.endpoint_id == one["id"] for each in taken) for one in endpoints]
        assert max(per_endpoint) == AT_ONE_ENDPOINT
        # Everyone has a turn before somebody has a second one.
        assert min(per_endpoint) >= 2
        await record(database, *(outcome_of(each, True) for each in taken))


async def test_two_senders_keep_to_four_at_an_endpoint_and_twenty_of_a_workspace(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx, database_url: str
) -> None:
    client = api(cast.acme.write_key)
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
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx, database: Database, database_url: str
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await add_deliveries(owner, webhook, 2, bytes_each=5_000_000)

    with closing(psycopg.connect(database_url)) as frozen:
        # Asked for, and never read.
        frozen.pgconn.send_query(b"select * from claim_deliveries(1, 4, 20, '20 seconds')")
        await until_carried_out(owner, frozen.info.backend_pid)
        async with timeout(5):
            assert len(await claim(database, 4)) == 1


async def until_carried_out(owner: Tx, backend: int) -> None:
    """Until the claim is answered, or waits for its answer to be read."""
    sql = """
        select query like '%%claim_deliveries%%' and (state = 'idle' or wait_event = 'ClientWrite')
        from pg_stat_activity where pid = %(pid)s
    """
    async with timeout(5):
        while not await owner.value(sql, pid=backend):
            pass


async def test_what_is_due_goes_out_in_its_order(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await add_deliveries(owner, webhook, 40)
    # Against the order of their ids.
    await owner.run(
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


async def test_a_neighbour_that_hangs_delays_nobody_elses_first_attempt(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    noisy = api(cast.acme.write_key)
    async with receiving() as hanging:
        hanging.hold()
        for number in range(20):
            await add_deliveries(owner, await connect(noisy, hanging, f"/{number}"), 100)
        async with at_work(sender):
            await hanging.until_received(OF_ONE_WORKSPACE)
            delays = [await delay_of_another(api, owner, receiver, number) for number in range(10)]
            assert len(hanging.received) == OF_ONE_WORKSPACE
            await hanging.close()

    assert median(delays) < 1
    assert max(delays) < 5


async def delay_of_another(api: Api, owner: Tx, receiver: Receiver, number: int) -> float:
    """Seconds from the event of another company to its first attempt."""
    company = await found_company(owner, f"Company {number}")
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
    """As in another process: with connections of its own."""
    database = Database(database_url, size=4)
    await database.open()
    try:
        async with sending(database) as sender:
            yield sender
    finally:
        await database.close()


async def claim(database: Database, most: int = 1) -> list[Claimed]:
    """What a sender does before it sends."""
    async with database.enter_workspace("") as tx:
        return await outbox.claim(tx, most)


async def record(database: Database, *outcomes: Outcome) -> None:
    """What a sender does afterwards."""
    async with database.enter_workspace("") as tx:
        await outbox.record(tx, list(outcomes))


def outcome_of(claimed: Claimed, is_delivered: bool) -> Outcome:
    """It arrived, or the endpoint wants no more."""
    return Outcome(
        id=claimed.id,
        number=claimed.number,
        http_status=200 if is_delivered else 410,
        duration_ms=1,
        error=None if is_delivered else "Gone.",
        answer="",
        delivered=is_delivered,
        gone=not is_delivered,
    )


@asynccontextmanager
async def outage(database_url: str) -> AsyncIterator[None]:
    """All connections of the application break, and there are no new ones until the end."""
    name = conninfo_to_dict(database_url)["dbname"]
    elsewhere = make_conninfo(database_url, dbname="postgres")
    async with await psycopg.AsyncConnection.connect(elsewhere, autocommit=True) as connection:
        tx = Tx(connection)
        await tx.run(f"alter database {name} allow_connections false")
        try:
            await end_connections(tx, str(name))
            yield
        finally:
            await tx.run(f"alter database {name} allow_connections true")


async def end_connections(tx: Tx, name: str) -> None:
    ending = """
        select count(pg_terminate_backend(pid)) from pg_stat_activity
        where datname = %(name)s and application_name = 'instep'
    """
    async with timeout(10):
        while await tx.value(ending, name=name):
            pass
