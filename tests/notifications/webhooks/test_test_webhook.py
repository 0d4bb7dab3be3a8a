"""POST /v1/webhooks/{id}/test."""

import json
import re

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.http import ID, TIMESTAMP, error, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook, disable, send_test, without_secret


async def test_a_delivery_waits_to_be_sent_whatever_the_filter(client: Client) -> None:
    webhook = await create_webhook(client, events=["lead.created"])

    delivery = await send_test(client, webhook)

    assert re.fullmatch("dlv" + ID, delivery["id"])
    assert re.fullmatch("evt" + ID, delivery["eventId"])
    assert re.fullmatch(TIMESTAMP, delivery["createdAt"])
    assert delivery == {
        "id": delivery["id"],
        "eventId": delivery["eventId"],
        "event": "webhook.test",
        "status": "pending",
        "attempts": [],
        "nextAttemptAt": delivery["createdAt"],
        "createdAt": delivery["createdAt"],
    }
    listed = ok(await client.get(f"{WEBHOOKS}/{webhook['id']}/deliveries"))
    assert listed["results"] == [delivery]


async def test_event_holds_the_endpoint_without_its_secret(wide: Client, cast: Cast, owner: Tx) -> None:
    webhook = await create_webhook(wide, botId=str(cast.second_bot_id))

    delivery = await send_test(wide, webhook)

    body = await owner.value("select body from events where id = %(id)s", id=delivery["eventId"])
    event = json.loads(body)
    assert re.fullmatch(TIMESTAMP, event["createdAt"])
    assert event == {
        "id": delivery["eventId"],
        "type": "webhook.test",
        "createdAt": event["createdAt"],
        "botId": str(cast.second_bot_id),
        "actor": {"type": "api_key", "name": "wide"},
        "data": {"object": without_secret(webhook), "previousAttributes": {}},
    }
    assert b"whsec_" not in body


async def test_each_is_an_event_of_its_own(client: Client) -> None:
    webhook = await create_webhook(client)

    deliveries_sent = [await send_test(client, webhook) for _ in range(3)]

    assert (
        len(
            {delivery["id"] for delivery in deliveries_sent}
            | {delivery["eventId"] for delivery in deliveries_sent}
        )
        == 6
    )


async def test_nothing_is_sent_to_a_disabled_endpoint(client: Client) -> None:
    webhook = await disable(client, await create_webhook(client))

    refusal = await client.post(f"{WEBHOOKS}/{webhook['id']}/test")

    assert error(refusal) == (400, "invalid_state")
    assert ok(await client.get(f"{WEBHOOKS}/{webhook['id']}/deliveries"))["results"] == []
