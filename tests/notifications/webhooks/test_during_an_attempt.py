"""An endpoint is deleted, or a delivery sent again, while an attempt is in progress."""

from instep.notifications.webhooks.sender import Sender
from instep.platform.core.database import Database, Tx
from tests.support.cast import Client, Json
from tests.support.deliveries import attempt_under_way, claim, connect, delivery_of
from tests.support.http import ok
from tests.support.webhook_endpoints import WEBHOOKS, redeliver, send_test
from tests.support.webhook_receiver import Receiver


async def test_an_endpoint_may_be_deleted_during_an_attempt(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    other = await connect(client, receiver, "/other")
    await send_test(client, webhook)
    other_delivery = await send_test(client, other)
    async with attempt_under_way(sender, receiver):
        await receiver.until_received(2)
        ok(await client.delete(f"{WEBHOOKS}/{webhook['id']}"))

    remaining = await owner.value("select array_agg(id) from deliveries")
    assert remaining == [other_delivery["id"]]
    assert (await delivery_of(client, other))["status"] == "delivered"
    assert await sender.run_due() == 0


async def test_a_redelivery_asked_for_during_an_attempt_sends_nothing_twice_at_once(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, database: Database
) -> None:
    delivery = await send_test(client, webhook)
    async with attempt_under_way(sender, receiver):
        await redeliver(client, webhook, delivery)
        assert await claim(database) == []

    assert (await delivery_of(client, webhook))["status"] == "delivered"
    assert receiver.most["/"] == 1
