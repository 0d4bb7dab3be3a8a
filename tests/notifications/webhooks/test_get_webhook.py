"""GET /v1/webhooks/{id}."""

import pytest

from instep.platform.core.database import Tx
from tests.support.api_table import TABLE, Operation
from tests.support.cast import Api, Cast, Client
from tests.support.http import error, ok
from tests.support.webhook_endpoints import (
    WEBHOOKS,
    create_webhook,
    key_of_both_bots,
    send_test,
    without_secret,
)


async def test_a_read_key_reads_it_without_its_secret(client: Client, reader: Client) -> None:
    webhook = await create_webhook(client)

    answer = await reader.get(f"{WEBHOOKS}/{webhook['id']}")

    assert ok(answer) == without_secret(webhook)
    assert "whsec_" not in answer.text


async def test_webhook_is_unknown_to_a_key_that_does_not_cover_all_its_bots(
    wide: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    both = await key_of_both_bots(owner, cast)
    of_all, of_both = await create_webhook(wide), await create_webhook(api(both))
    nothing = (await api(both).get(f"{WEBHOOKS}/nothing")).content

    for key, webhook in (
        (both, of_all),
        (cast.acme.write_key, of_all),
        (cast.acme.write_key, of_both),
        (cast.globex.write_key, of_all),
    ):
        refusal = await api(key).get(f"{WEBHOOKS}/{webhook['id']}")
        assert error(refusal) == (404, "not_found")
        assert refusal.content == nothing
    for key, webhook in ((cast.wide_key, of_both), (both, of_both)):
        ok(await api(key).get(f"{WEBHOOKS}/{webhook['id']}"))


@pytest.mark.parametrize(
    "operation", [row for row in TABLE if "{webhook}" in row.path], ids=lambda row: f"{row.method} {row.path}"
)
async def test_no_operation_reaches_one_that_serves_more_bots_than_the_key_covers(
    client: Client, wide: Client, operation: Operation
) -> None:
    webhook = await create_webhook(wide)
    delivery = await send_test(wide, webhook)
    path = "/v1" + operation.path.format(webhook=webhook["id"], delivery=delivery["id"])

    refusal = await client.request(operation.method, path, json=operation.body)

    assert error(refusal) == (404, "not_found")
    assert ok(await wide.get(f"{WEBHOOKS}/{webhook['id']}")) == without_secret(webhook)


async def test_bot_parameter_finds_only_webhooks_of_that_bot(wide: Client, cast: Cast) -> None:
    of_second = await create_webhook(wide, botId=str(cast.second_bot_id))
    address = f"{WEBHOOKS}/{of_second['id']}"

    ok(await wide.get(address, headers={"Service-Bot": str(cast.second_bot_id)}))
    refusal = await wide.get(address, params={"bot_id": str(cast.acme.bot_id)})
    assert error(refusal) == (404, "not_found")


@pytest.mark.parametrize("reference", ["nothing", "%00", "%F0%9F", "x" * 3_000, "wh_"])
async def test_invalid_ids_are_refused(reader: Client, reference: str) -> None:
    refusal = await reader.get(f"{WEBHOOKS}/{reference}")

    assert error(refusal) in {(404, "not_found"), (400, "invalid_request")}
