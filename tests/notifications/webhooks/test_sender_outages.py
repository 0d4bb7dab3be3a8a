"""A sender that loses the database or is told to stop."""

import asyncio
from asyncio import timeout
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from instep.notifications.webhooks.sender import Sender
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import Unavailable
from tests.support.cast import Client, Json
from tests.support.deliveries import at_work, deliveries_of
from tests.support.webhook_endpoints import send_test
from tests.support.webhook_receiver import Receiver

Outage = Callable[[float], AbstractAsyncContextManager[None]]


@pytest.fixture
def outage(database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Outage:
    """An outage: all connections break, and requests for one fail after this many seconds until it ends."""
    name = str(conninfo_to_dict(database_url)["dbname"])
    elsewhere = make_conninfo(database_url, dbname="postgres")

    @asynccontextmanager
    async def without_connections(seconds: float) -> AsyncIterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(database.pool, "timeout", seconds)
            async with await psycopg.AsyncConnection.connect(elsewhere, autocommit=True) as connection:
                tx = Tx(connection)
                await tx.execute(f"alter database {name} allow_connections false")
                try:
                    await end_connections(tx, name)
                    yield
                finally:
                    await tx.execute(f"alter database {name} allow_connections true")

    return without_connections


async def test_attempts_that_end_during_an_outage_are_recorded_afterwards(
    client: Client,
    webhook: Json,
    sender: Sender,
    receiver: Receiver,
    outage: Outage,
) -> None:
    for _ in range(3):
        await send_test(client, webhook)
    receiver.hold()
    attempt = asyncio.create_task(sender.run_due())
    await receiver.until_received(3)

    async with outage(0.1):
        receiver.release()
        with pytest.raises(Unavailable):
            await attempt
    assert await sender.run_due() == 0

    deliveries = await deliveries_of(client, webhook)
    assert [(each["status"], len(each["attempts"])) for each in deliveries] == [("delivered", 1)] * 3
    assert len(receiver.received) == 3


async def test_a_sender_that_goes_on_outlives_an_outage(
    client: Client,
    webhook: Json,
    sender: Sender,
    receiver: Receiver,
    database: Database,
    outage: Outage,
) -> None:
    receiver.hold()
    async with at_work(sender):
        await send_test(client, webhook)
        await receiver.until_received(1)
        async with outage(0.1):
            receiver.release()
            with pytest.raises(Unavailable):
                async with database.enter_workspace("") as tx:
                    await tx.value("select 1")
        await send_test(client, webhook)
        await receiver.until_received(2)

    assert {each["status"] for each in await deliveries_of(client, webhook)} == {"delivered"}
    assert {request.attempt for request in receiver.received} == {1}


async def test_after_an_outage_it_sends_soon_however_long_it_has_waited_for_a_connection(
    client: Client,
    webhook: Json,
    sender: Sender,
    receiver: Receiver,
    database: Database,
    outage: Outage,
) -> None:
    async with at_work(sender):
        async with outage(1):
            with pytest.raises(Unavailable):
                async with database.enter_workspace("") as tx:
                    await tx.value("select 1")
        await send_test(client, webhook)
        await receiver.until_received(1, 15)


async def test_a_sender_that_is_told_to_stop_records_what_is_under_way(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver
) -> None:
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


async def end_connections(tx: Tx, name: str) -> None:
    ending = """
        select count(pg_terminate_backend(pid)) from pg_stat_activity
        where datname = %(name)s and application_name = 'instep'
    """
    async with timeout(10):
        while await tx.value(ending, name=name):
            pass
