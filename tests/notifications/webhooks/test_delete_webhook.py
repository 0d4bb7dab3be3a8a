"""DELETE /v1/webhooks/{id}."""

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.http import at_once, error, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook, send_test


async def test_webhook_is_deleted_with_its_secrets_and_its_log(client: Client, cast: Cast, owner: Tx) -> None:
    webhook, other = await create_webhook(client), await create_webhook(client)
    for endpoint in (webhook, other):
        await send_test(client, endpoint)
    address = f"{WEBHOOKS}/{webhook['id']}"

    assert ok(await client.delete(address)) == {"id": webhook["id"], "deleted": True}

    assert error(await client.get(address)) == (404, "not_found")
    assert error(await client.get(f"{address}/deliveries")) == (404, "not_found")
    assert error(await client.delete(address)) == (404, "not_found")
    for table in ("webhook_secrets", "deliveries"):
        remaining = await owner.value(
            f"select array_agg(endpoint_id) from {table} where workspace_id = %(id)s",
            id=cast.acme.workspace_id,
        )
        assert remaining == [other["id"]]


async def test_parallel_deletions_succeed_once(client: Client) -> None:
    address = f"{WEBHOOKS}/{(await create_webhook(client))['id']}"

    async def ask(_: int) -> int:
        return (await client.delete(address)).status_code

    assert sorted(await at_once(6, ask)) == [200] + [404] * 5


async def test_parallel_calls_succeed_before_the_deletion_or_get_404(client: Client) -> None:
    address = f"{WEBHOOKS}/{(await create_webhook(client))['id']}"
    delivery = ok(await client.post(f"{address}/test"))["id"]

    async def ask(number: int) -> int:
        if number == 6:
            return (await client.delete(address)).status_code
        paths = ("/test", "/rotate-secret", f"/deliveries/{delivery}/redeliver")
        return (await client.post(address + paths[number % 3])).status_code

    statuses = await at_once(18, ask)

    assert statuses[6] == 200
    assert set(statuses) <= {200, 404}
    assert error(await client.get(address)) == (404, "not_found")
