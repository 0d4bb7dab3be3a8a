"""Helpers to create webhook endpoints and settle their deliveries."""

from datetime import UTC, datetime
from typing import Any

from psycopg.types.json import Jsonb

from instep.accounts.workspaces.actions import create_key
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.support.cast import Cast, Client, Json
from tests.support.http import created, ok

WEBHOOKS = "/v1/webhooks"
URL = "https://example.com/hooks/instep"
NO_ANSWER = "It did not answer within 10 seconds."
AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def create_webhook(client: Client, **fields: Any) -> Json:
    return created(await client.post(WEBHOOKS, json={"url": URL, "events": ["*"], **fields}))


async def send_test(client: Client, webhook: Json) -> Json:
    return ok(await client.post(f"{WEBHOOKS}/{webhook['id']}/test"))


async def redeliver(client: Client, webhook: Json, delivery: Json) -> Json:
    path = f"{WEBHOOKS}/{webhook['id']}/deliveries/{delivery['id']}/redeliver"
    return ok(await client.post(path))


async def disable(client: Client, webhook: Json) -> Json:
    return ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json={"status": "disabled"}))


async def settle(owner: Tx, delivery: Json, status: str, *http_statuses: int | None) -> None:
    """Set a delivery to the state in which the sender leaves it."""
    attempts = [
        {
            "number": number,
            "at": AT.isoformat(),
            "http_status": http_status,
            "duration_ms": 87,
            "error": None if http_status else NO_ANSWER,
            "answer": "ok" if http_status else None,
        }
        for number, http_status in enumerate(http_statuses, 1)
    ]
    await owner.execute(
        """
        update deliveries set status = %(status)s, attempts = %(attempts)s, round_attempts = %(count)s,
            next_attempt_at = null where id = %(id)s
        """,
        id=delivery["id"],
        status=status,
        attempts=Jsonb(attempts),
        count=len(attempts),
    )


async def key_of_both_bots(owner: Tx, cast: Cast) -> str:
    """A key for Acme's two current bots, but none that it adds later."""
    bots = [cast.acme.bot_id, cast.second_bot_id]
    made_key = await create_key(owner, cast.acme.workspace_id, "both", Scope.WRITE, bots)
    return made_key.key


def without_secret(webhook: Json) -> Json:
    """The endpoint as every response except create and rotate shows it."""
    return {**webhook, "secret": None}
