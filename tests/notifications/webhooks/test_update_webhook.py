"""PATCH /v1/webhooks/{id}."""

from typing import Any

import pytest

from instep.platform.core.database import Tx
from tests.notifications.webhooks.conftest import Allow
from tests.support.cast import Client, Json
from tests.support.http import at_once, named_fields, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook, disable, without_secret


async def test_each_field_changes_by_itself(client: Client) -> None:
    webhook = without_secret(await create_webhook(client))
    steps: list[Json] = [
        {"url": "https://example.org/"},
        {"events": ["task.completed", "edit.proposed"]},
        {"events": ["*"]},
        {"description": "Ours"},
        {"description": None},
        {"status": "disabled"},
        {"status": "enabled"},
    ]
    for step in steps:
        changed = ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json=step))
        assert changed == {**webhook, **step, "updatedAt": changed["updatedAt"]}
        assert changed["updatedAt"] >= webhook["updatedAt"]
        webhook = changed

    assert ok(await client.get(f"{WEBHOOKS}/{webhook['id']}")) == webhook


async def test_update_without_changes_leaves_no_trace(client: Client, owner: Tx) -> None:
    webhook = without_secret(await create_webhook(client, description="Ours"))
    before = await row(owner, webhook)
    same = ("url", "events", "description", "status")

    for body in ({}, {name: webhook[name] for name in same}):
        assert ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json=body)) == webhook
    assert await row(owner, webhook) == before


async def test_enabling_it_clears_the_reason_why_it_was_disabled(client: Client, owner: Tx) -> None:
    webhook = await create_webhook(client)
    address = f"{WEBHOOKS}/{webhook['id']}"
    await owner.execute(
        "update webhook_endpoints set status = 'disabled', disabled_reason = 'Gone' where id = %(id)s",
        id=webhook["id"],
    )

    still = ok(await client.patch(address, json={"status": "disabled", "description": "Ours"}))
    enabled = ok(await client.patch(address, json={"status": "enabled"}))

    assert (still["status"], still["disabledReason"]) == ("disabled", "Gone")
    assert (enabled["status"], enabled["disabledReason"]) == ("enabled", None)


async def test_an_empty_text_clears_the_description(client: Client) -> None:
    webhook = await create_webhook(client, description="Ours")

    assert (
        ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json={"description": ""}))["description"] is None
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", None),
        ("url", "https://localhost/"),
        ("url", "https://10.0.0.1/"),
        ("url", "https://a@b.example/"),
        ("events", None),
        ("events", []),
        ("events", ["*", "lead.created"]),
        ("events", ["webhook.test"]),
        ("description", 1),
        ("description", "x" * 501),
        ("status", None),
        ("status", "paused"),
        ("botId", None),
        ("botId", "0190163d-8694-439b-aea5-966c26f8ad91"),
        ("secret", "whsec_mine"),
        ("disabledReason", "none"),
        ("id", "wh_1"),
    ],
)
async def test_a_bad_value_is_refused_by_name(client: Client, field: str, value: Any) -> None:
    webhook = without_secret(await create_webhook(client))

    refusal = await client.patch(f"{WEBHOOKS}/{webhook['id']}", json={"status": "disabled", field: value})

    assert field in {name.split(".")[0] for name in named_fields(refusal)}
    assert ok(await client.get(f"{WEBHOOKS}/{webhook['id']}")) == webhook


async def test_an_address_that_is_no_longer_open_may_stay(client: Client, allow: Allow) -> None:
    allow("receiver")
    webhook = await create_webhook(client, url="http://receiver/")
    allow("")

    body = {"url": "http://receiver/", "description": "Ours"}
    assert ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json=body))["description"] == "Ours"


async def test_changes_at_once_do_not_undo_each_other(client: Client) -> None:
    webhook = await create_webhook(client)
    steps: list[Json] = [
        {"url": "https://example.org/"},
        {"events": ["task.completed"]},
        {"description": "Ours"},
        {"status": "disabled"},
    ]

    async def ask(number: int) -> int:
        return (await client.patch(f"{WEBHOOKS}/{webhook['id']}", json=steps[number])).status_code

    assert await at_once(4, ask) == [200] * 4
    remaining = ok(await client.get(f"{WEBHOOKS}/{webhook['id']}"))
    assert {name: remaining[name] for step in steps for name in step} == {
        name: value for step in steps for name, value in step.items()
    }


async def test_a_disabled_endpoint_stays_in_the_list(client: Client) -> None:
    disabled = await disable(client, await create_webhook(client))

    assert ok(await client.get(WEBHOOKS))["results"] == [disabled]


async def row(owner: Tx, webhook: Json) -> Any:
    sql = "select to_jsonb(w)::text from webhook_endpoints w where id = %(id)s"
    return await owner.value(sql, id=webhook["id"])
