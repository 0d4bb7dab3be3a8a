"""A delivery is retried with growing pauses, and fails in the end."""

from datetime import datetime, timedelta

from instep.notifications.webhooks.sender import Sender
from instep.platform.core.database import Tx
from tests.support.cast import Client, Json
from tests.support.deliveries import attempt_under_way, database_time, delivery_of, make_due
from tests.support.webhook_endpoints import redeliver, send_test
from tests.support.webhook_receiver import Receiver

WAITS = [
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=24),
]
ATTEMPTS = 6
MILLISECOND = timedelta(milliseconds=1)


async def test_delivery_has_at_most_six_attempts_at_the_documented_times(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    await send_test(client, webhook)
    receiver.status = 500

    for number, wait in enumerate(WAITS, start=1):
        delivery = await fail(client, webhook, sender, owner, wait)
        assert (delivery["status"], len(delivery["attempts"])) == ("pending", number)
        await move_to(owner, webhook, -timedelta(seconds=1))
        assert await sender.run_due() == 0
        await move_to(owner, webhook, timedelta(0))

    assert await sender.run_due() == 1
    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert [attempt["number"] for attempt in delivery["attempts"]] == [1, 2, 3, 4, 5, 6]
    await owner.execute("update deliveries set created_at = created_at - interval '29 days'")
    assert await sender.run_due() == 0
    assert len(receiver.received) == ATTEMPTS


async def test_the_wait_counts_from_the_end_of_the_attempt(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    await send_test(client, webhook)
    # Make this attempt eight seconds longer.
    receiver.status = 500
    async with attempt_under_way(sender, receiver):
        await owner.execute("update deliveries set began_at = began_at - interval '8 seconds'")
        ended = await database_time(owner)

    delivery = await delivery_of(client, webhook)
    began = datetime.fromisoformat(delivery["attempts"][0]["at"])
    assert ended - began > timedelta(seconds=8)
    assert datetime.fromisoformat(delivery["nextAttemptAt"]) >= ended + WAITS[0] - MILLISECOND


async def test_a_success_after_failures_ends_it(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    await send_test(client, webhook)
    receiver.status = lambda request: 500 if request.attempt < 3 else 204

    for _ in range(3):
        assert await sender.run_due() == 1
        await make_due(owner, webhook)

    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("delivered", None)
    attempts = [(each["number"], each["httpStatus"], each["error"] is None) for each in delivery["attempts"]]
    assert attempts == [(1, 500, False), (2, 500, False), (3, 204, True)]
    assert await sender.run_due() == 0


async def test_a_redelivery_is_the_same_delivery_with_all_its_retries(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    first = await send_test(client, webhook)
    receiver.status = 500

    for _ in range(2):
        for wait in WAITS:
            await fail(client, webhook, sender, owner, wait)
            await make_due(owner, webhook)
        assert await sender.run_due() == 1
        assert (await delivery_of(client, webhook))["status"] == "failed"
        await redeliver(client, webhook, first)
    receiver.status = 200
    assert await sender.run_due() == 1

    assert [request.attempt for request in receiver.received] == list(range(1, 2 * ATTEMPTS + 2))
    assert {request.delivery for request in receiver.received} == {first["id"]}
    assert len({request.body for request in receiver.received}) == 1
    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 2 * ATTEMPTS + 1)


async def test_delivered_event_can_be_redelivered(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver
) -> None:
    delivery = await send_test(client, webhook)
    await sender.run_due()

    await redeliver(client, webhook, delivery)
    assert await sender.run_due() == 1

    first, two = receiver.received
    assert (first.delivery, first.body, first.attempt + 1) == (two.delivery, two.body, two.attempt)


async def fail(client: Client, webhook: Json, sender: Sender, owner: Tx, wait: timedelta) -> Json:
    """Fail one more attempt and check that the next one is scheduled after `wait`."""
    before = await database_time(owner)
    assert await sender.run_due() == 1
    after = await database_time(owner)
    delivery = await delivery_of(client, webhook)
    next_at = datetime.fromisoformat(delivery["nextAttemptAt"])
    assert before + wait - MILLISECOND <= next_at <= after + wait
    last = delivery["attempts"][-1]
    ended = datetime.fromisoformat(last["at"]) + timedelta(milliseconds=last["durationMs"])
    assert ended + wait - 2 * MILLISECOND <= next_at
    return delivery


async def move_to(owner: Tx, webhook: Json, after_due: timedelta) -> None:
    """Let time pass until the next attempt is overdue by this much."""
    await owner.execute(
        """
        update deliveries set next_attempt_at = clock_timestamp() - %(after)s
        where endpoint_id = %(id)s and status = 'pending'
        """,
        id=webhook["id"],
        after=after_due,
    )
