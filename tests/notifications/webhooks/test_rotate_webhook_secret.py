"""POST /v1/webhooks/{id}/rotate-secret."""

from datetime import UTC, datetime, timedelta
from typing import Any

from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Tx
from tests.support.cast import Client, Json
from tests.support.http import at_once, body_of, error, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook, without_secret


async def test_the_new_one_is_shown_and_the_old_one_signs_for_24_hours(client: Client, owner: Tx) -> None:
    webhook = await create_webhook(client)
    began = datetime.now(UTC)

    rotated = ok(await client.post(f"{WEBHOOKS}/{webhook['id']}/rotate-secret"))

    ended = datetime.now(UTC)
    assert rotated["secret"] != webhook["secret"]
    assert rotated == {**webhook, "secret": rotated["secret"], "updatedAt": rotated["updatedAt"]}
    assert ok(await client.get(f"{WEBHOOKS}/{webhook['id']}")) == without_secret(rotated)
    stored_secrets = await secrets_of(owner, webhook)
    assert stored_secrets.keys() == {webhook["secret"], rotated["secret"]}
    assert stored_secrets[rotated["secret"]] is None
    day = timedelta(hours=24)
    assert began + day <= stored_secrets[webhook["secret"]] <= ended + day


async def test_parallel_rotations_sign_with_every_secret_that_was_shown(client: Client, owner: Tx) -> None:
    webhook = await create_webhook(client)

    async def ask(_: int) -> str:
        answer = await client.post(f"{WEBHOOKS}/{webhook['id']}/rotate-secret")
        secret: str = ok(answer)["secret"]
        return secret

    new_secrets = await at_once(6, ask)

    stored_secrets = await secrets_of(owner, webhook)
    assert stored_secrets.keys() == {webhook["secret"], *new_secrets}
    assert len(stored_secrets) == 7
    assert sum(ends is None for ends in stored_secrets.values()) == 1


async def test_ten_sign_at_the_most_and_those_that_are_over_make_room(client: Client, owner: Tx) -> None:
    webhook = await create_webhook(client)
    address = f"{WEBHOOKS}/{webhook['id']}/rotate-secret"

    async def ask(_: int) -> int:
        return (await client.post(address)).status_code

    assert sorted(await at_once(12, ask)) == [200] * 9 + [400] * 3
    stored_secrets = await secrets_of(owner, webhook)
    refusal = await client.post(address)
    assert error(refusal) == (400, "invalid_state")
    # The last rotation to be admitted may have started first.
    first_end, first = min((ends, secret) for secret, ends in stored_secrets.items() if ends is not None)
    assert first_end.isoformat(timespec="milliseconds").removesuffix("+00:00") in body_of(refusal)["error"]
    assert await secrets_of(owner, webhook) == stored_secrets

    await owner.execute(
        "update webhook_secrets set ends_at = now() where ends_at = %(first)s and endpoint_id = %(id)s",
        first=first_end,
        id=webhook["id"],
    )
    rotated = ok(await client.post(address))

    remaining = await secrets_of(owner, webhook)
    assert first not in remaining
    assert (len(remaining), remaining[rotated["secret"]]) == (10, None)


async def secrets_of(owner: Tx, webhook: Json) -> dict[str, Any]:
    """The stored secrets and when each one expires."""
    async with owner.connection.cursor() as cursor:
        await cursor.execute(
            "select workspace_id, id, sealed, ends_at from webhook_secrets where endpoint_id = %s",
            [webhook["id"]],
        )
        return {
            key_ring().open(sealed, "webhook_secrets", "sealed", workspace, row): ends
            and ends.astimezone(UTC)
            for workspace, row, sealed, ends in await cursor.fetchall()
        }
