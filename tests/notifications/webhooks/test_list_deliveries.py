"""GET /v1/webhooks/{id}/deliveries."""

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Client
from tests.support.http import all_pages, error, named_fields, ok
from tests.support.webhook_endpoints import NO_ANSWER, WEBHOOKS, create_webhook, send_test, settle


async def test_deliveries_come_newest_first_with_their_attempts(
    client: Client, reader: Client, owner: Tx
) -> None:
    webhook, other = await create_webhook(client), await create_webhook(client)
    failed, delivered, waiting = [await send_test(client, webhook) for _ in range(3)]
    await send_test(client, other)
    await settle(owner, failed, "failed", None, 500)
    await settle(owner, delivered, "delivered", 204)

    listed = ok(await reader.get(f"{WEBHOOKS}/{webhook['id']}/deliveries"))

    attempt = {"at": "2026-11-21T12:00:00.000Z", "durationMs": 87}
    refusal = {"httpStatus": None, "error": NO_ANSWER, "answer": None}
    assert listed == {
        "results": [
            waiting,
            {
                **delivered,
                "status": "delivered",
                "attempts": [{"number": 1, **attempt, "httpStatus": 204, "error": None, "answer": "ok"}],
                "nextAttemptAt": None,
            },
            {
                **failed,
                "status": "failed",
                "attempts": [
                    {"number": 1, **attempt, **refusal},
                    {"number": 2, **attempt, "httpStatus": 500, "error": None, "answer": "ok"},
                ],
                "nextAttemptAt": None,
            },
        ],
        "has_more": False,
        "next_cursor": None,
    }


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_every_one_is_seen_once_while_more_come(client: Client, size: int) -> None:
    webhook = await create_webhook(client)
    path = f"{WEBHOOKS}/{webhook['id']}/deliveries"
    sent_ids = [(await send_test(client, webhook))["id"] for _ in range(5)]
    page = ok(await client.get(path, params={"page_size": size}))
    await send_test(client, webhook)

    ids = [row["id"] for row in page["results"]]
    if page["has_more"]:
        rest = await all_pages(client, path, page_size=size, start_cursor=page["next_cursor"])
        ids += [row["id"] for row in rest]

    assert ids == sent_ids[::-1]


async def test_a_cursor_belongs_to_its_endpoint(client: Client) -> None:
    webhook, other = await create_webhook(client), await create_webhook(client)
    for _ in range(2):
        await send_test(client, webhook)
    path = f"{WEBHOOKS}/{webhook['id']}/deliveries"
    cursor = ok(await client.get(path, params={"page_size": 1}))["next_cursor"]

    for elsewhere in (f"{WEBHOOKS}/{other['id']}/deliveries", WEBHOOKS):
        refusal = await client.get(elsewhere, params={"start_cursor": cursor})
        assert error(refusal) == (400, "invalid_cursor")
    assert named_fields(await client.get(path, params={"page_size": "0"})) == ["page_size"]
