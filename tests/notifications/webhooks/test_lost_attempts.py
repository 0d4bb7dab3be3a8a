"""Attempts whose sender died, returned late, or reported their result twice."""

from datetime import datetime

import pytest

from instep.notifications.webhooks.sender import Sender
from instep.platform.core.database import Database, Tx
from tests.support.cast import Client, Json
from tests.support.deliveries import (
    attempt_under_way,
    claim,
    delivery_of,
    end_leases,
    endpoint_of,
    outcome_of,
    record,
)
from tests.support.webhook_endpoints import send_test
from tests.support.webhook_receiver import Receiver


async def test_the_delivery_of_a_lost_sender_is_sent_again_with_a_higher_attempt(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx, database: Database
) -> None:
    delivery_sent = await send_test(client, webhook)
    await claim(database)
    assert await sender.run_due() == 0

    await end_leases(owner)
    assert await sender.run_due() == 1

    [request] = receiver.received
    assert (request.delivery, request.attempt) == (delivery_sent["id"], 2)
    delivery = await delivery_of(client, webhook)
    lost_attempt, last = delivery["attempts"]
    assert (lost_attempt["number"], lost_attempt["httpStatus"], lost_attempt["answer"]) == (1, None, None)
    assert lost_attempt["error"] == "The sender was stopped during this attempt."
    assert datetime.fromisoformat(lost_attempt["at"]) < datetime.fromisoformat(last["at"])
    assert (last["number"], last["httpStatus"], delivery["status"]) == (2, 200, "delivered")


async def test_lost_attempts_leave_it_all_its_retries(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx, database: Database
) -> None:
    await send_test(client, webhook)
    for _ in range(60):
        await claim(database)
        await end_leases(owner)
    # The log stays short even if no attempt ends.
    assert numbers(await delivery_of(client, webhook)) == list(range(10, 60))
    receiver.status = 500

    assert await sender.run_due() == 1

    assert receiver.received[0].attempt == 61
    delivery = await delivery_of(client, webhook)
    assert delivery["status"] == "pending"
    assert numbers(delivery) == list(range(12, 62))


@pytest.mark.parametrize("is_delivered", [True, False])
async def test_outcome_of_a_replaced_attempt_changes_nothing(
    client: Client,
    webhook: Json,
    sender: Sender,
    receiver: Receiver,
    owner: Tx,
    database: Database,
    is_delivered: bool,
) -> None:
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
    client: Client, webhook: Json, database: Database
) -> None:
    await send_test(client, webhook)
    [claimed] = await claim(database)

    await record(database, outcome_of(claimed, False))
    once = await delivery_of(client, webhook)
    await record(database, outcome_of(claimed, False))

    assert await delivery_of(client, webhook) == once
    assert len(once["attempts"]) == 1


async def test_late_outcome_of_an_attempt_that_was_not_replaced_counts(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    """The database was down for longer than the lease."""
    await send_test(client, webhook)
    async with attempt_under_way(sender, receiver):
        await end_leases(owner)

    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 1)
    assert len(receiver.received) == 1


def numbers(delivery: Json) -> list[int]:
    return [attempt["number"] for attempt in delivery["attempts"]]
