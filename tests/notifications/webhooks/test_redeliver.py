"""POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver."""

from typing import Any

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import at_once, error, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook, disable, send_test, settle


@pytest.mark.parametrize("status", ["delivered", "failed"])
async def test_settled_delivery_waits_again_with_the_same_id(client: Client, owner: Tx, status: str) -> None:
    webhook = await create_webhook(client)
    delivery = await send_test(client, webhook)
    await settle(owner, delivery, status, 500, 204)
    body = await stored(owner, delivery, "(select body from events e where e.id = event_id)")

    again = ok(await client.post(address(webhook, delivery)))

    assert again["nextAttemptAt"] > delivery["createdAt"]
    assert [attempt["number"] for attempt in again["attempts"]] == [1, 2]
    assert again == {
        **delivery,
        "attempts": again["attempts"],
        "nextAttemptAt": again["nextAttemptAt"],
    }
    assert ok(await client.get(f"{WEBHOOKS}/{webhook['id']}/deliveries"))["results"] == [again]
    # It has all its retries again.
    assert await stored(owner, delivery, "round_attempts") == 0
    assert await stored(owner, delivery, "(select body from events e where e.id = event_id)") == body


async def test_delivery_due_later_is_due_now(client: Client, owner: Tx) -> None:
    webhook = await create_webhook(client)
    delivery = await send_test(client, webhook)
    sql = "update deliveries set next_attempt_at = now() + interval '8 hours' where id = %(id)s"
    await owner.execute(sql, id=delivery["id"])

    ok(await client.post(address(webhook, delivery)))

    assert await stored(owner, delivery, "next_attempt_at <= now()")


async def test_delivery_that_is_due_keeps_its_place(client: Client) -> None:
    webhook = await create_webhook(client)
    delivery = await send_test(client, webhook)

    async def ask(_: int) -> Json:
        return ok(await client.post(address(webhook, delivery)))

    assert await at_once(4, ask) == [delivery] * 4


async def test_nothing_is_sent_to_a_disabled_endpoint(client: Client, owner: Tx) -> None:
    webhook = await create_webhook(client)
    delivery = await send_test(client, webhook)
    await settle(owner, delivery, "failed", 500)
    await disable(client, webhook)

    assert error(await client.post(address(webhook, delivery))) == (400, "invalid_state")
    assert await stored(owner, delivery, "status") == "failed"


async def test_a_delivery_is_found_below_its_own_endpoint_only(client: Client) -> None:
    webhook, other = await create_webhook(client), await create_webhook(client)
    delivery = await send_test(client, webhook)
    nothing = await client.post(address(webhook, {"id": "nothing"}))

    refusal = await client.post(address(other, delivery))

    assert error(refusal) == error(nothing) == (404, "not_found")
    assert refusal.content == nothing.content


async def test_a_delivery_of_somebody_else_is_as_unknown_as_none(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    ours = await create_webhook(client)
    for key in (cast.globex.write_key, cast.wide_key):
        theirs = await create_webhook(api(key))
        delivery = await send_test(api(key), theirs)
        await settle(owner, delivery, "failed", 500)

        for webhook in (theirs, ours):
            assert error(await client.post(address(webhook, delivery))) == (404, "not_found")
        assert await stored(owner, delivery, "status") == "failed"


def address(webhook: Json, delivery: Json) -> str:
    return f"{WEBHOOKS}/{webhook['id']}/deliveries/{delivery['id']}/redeliver"


async def stored(owner: Tx, delivery: Json, column: str) -> Any:
    return await owner.value(f"select {column} from deliveries where id = %(id)s", id=delivery["id"])
