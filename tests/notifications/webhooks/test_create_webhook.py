"""POST /v1/webhooks."""

import re
from base64 import b64decode
from typing import Any, get_args
from uuid import UUID

import pytest

from instep.notifications.webhooks.schemas import EventKind
from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.core.database import Tx
from tests.notifications.webhooks.conftest import Allow
from tests.support.cast import Api, Cast, Client
from tests.support.http import ID, TIMESTAMP, all_pages, at_once, body_of, created, error, named_fields, ok
from tests.support.webhook_endpoints import URL, WEBHOOKS, create_webhook, key_of_both_bots, without_secret

KINDS = {
    "article.published",
    "article.updated",
    "article.unpublished",
    "article.deleted",
    "edit.proposed",
    "draft.created",
    "place.created",
    "place.resolved",
    "changelog_entry.published",
    "task.completed",
    "conversation.escalated",
    "lead.created",
}


async def test_new_webhook_is_enabled_and_shows_its_secret(client: Client) -> None:
    webhook = await create_webhook(client, description="Search index")

    assert re.fullmatch("wh" + ID, webhook["id"])
    assert re.fullmatch(TIMESTAMP, webhook["createdAt"])
    assert webhook == {
        "id": webhook["id"],
        "url": URL,
        "description": "Search index",
        "events": ["*"],
        "botId": None,
        "status": "enabled",
        "secret": webhook["secret"],
        "disabledReason": None,
        "createdAt": webhook["createdAt"],
        "updatedAt": webhook["createdAt"],
    }
    assert ok(await client.get(f"{WEBHOOKS}/{webhook['id']}")) == without_secret(webhook)


async def test_each_secret_is_random_and_sealed_for_its_own_row(
    client: Client, cast: Cast, owner: Tx
) -> None:
    secrets = [(await create_webhook(client))["secret"] for _ in range(2)]

    sealed_secrets = await owner.value(
        "select jsonb_agg(jsonb_build_array(id, encode(sealed, 'hex')) order by id) from webhook_secrets "
        "where workspace_id = %(id)s",
        id=cast.acme.workspace_id,
    )

    place = ("webhook_secrets", "sealed", cast.acme.workspace_id)
    assert len(set(secrets)) == 2
    for secret, (row, sealed) in zip(secrets, sealed_secrets, strict=True):
        assert secret.startswith("whsec_")
        assert len(b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
        assert secret.encode() not in bytes.fromhex(sealed)
        assert key_ring().open(bytes.fromhex(sealed), *place, row) == secret
    with pytest.raises(Unreadable):
        key_ring().open(bytes.fromhex(sealed_secrets[0][1]), *place, sealed_secrets[1][0])


async def test_webhook_accepts_every_kind_of_event(client: Client) -> None:
    assert set(get_args(EventKind)) == KINDS

    webhook = await create_webhook(client, events=sorted(KINDS))

    assert webhook["events"] == sorted(KINDS)


async def test_webhook_can_be_for_one_bot(wide: Client, cast: Cast) -> None:
    webhook = await create_webhook(wide, botId=str(cast.second_bot_id))

    assert webhook["botId"] == str(cast.second_bot_id)


async def test_without_a_bot_it_is_for_those_of_the_key(
    client: Client, wide: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    both = api(await key_of_both_bots(owner, cast))
    named = {"bot_id": str(cast.acme.bot_id)}
    body = {"url": URL, "events": ["*"], "botId": None}
    endpoints: list[tuple[Any, list[UUID] | None]] = [
        (await create_webhook(wide), None),
        (await create_webhook(both, botId=None), [cast.acme.bot_id, cast.second_bot_id]),
        (await create_webhook(client), [cast.acme.bot_id]),
        (created(await wide.post(WEBHOOKS, json=body, params=named)), [cast.acme.bot_id]),
    ]

    for webhook, bots in endpoints:
        assert webhook["botId"] is None
        bot_ids = await owner.value(
            "select bot_ids from webhook_endpoints where id = %(id)s", id=webhook["id"]
        )
        assert (sorted(bot_ids) if bot_ids else None) == (sorted(bots) if bots else None)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com/hooks?token=a%20b&c=1",
        "https://Hooks.Example.com:8443/",
        "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]:443/x",
        "https://xn--bcher-kva.example/",
        "https://receiver.test/" + "x" * 1_978,
    ],
)
async def test_the_address_stays_as_it_was_sent(client: Client, url: str) -> None:
    assert (await create_webhook(client, url=url))["url"] == url


@pytest.mark.parametrize(
    "body",
    [
        {"url": None},
        {"url": 1},
        {"url": ""},
        {"url": "example.com"},
        {"url": "ftp://example.com"},
        {"url": "http://example.com/hooks"},
        {"url": "https://user:secret@example.com/"},
        {"url": "https://example.com/#part"},
        {"url": "https://example.com/a b"},
        {"url": "https://example.com\\@localhost/"},
        {"url": "https://example.com/\n"},
        {"url": "https://example.com/\0"},
        {"url": "https://bücher.example/"},
        {"url": "https://example.com:22/"},
        {"url": "https://localhost/"},
        {"url": "https://receiver/"},
        {"url": "https://127.0.0.1/"},
        {"url": "https://127.1/"},
        {"url": "https://2130706433/"},
        {"url": "https://0x7f.0.0.1/"},
        {"url": "https://[::1]/"},
        {"url": "https://[::ffff:10.0.0.1]/"},
        {"url": "https://169.254.169.254/"},
        {"url": "https://example.com/" + "x" * 2_000},
        {"events": None},
        {"events": []},
        {"events": "*"},
        {"events": ["article.published", "article.published"]},
        {"events": ["*", "article.published"]},
        {"events": ["*", "*"]},
        {"events": ["article.read"]},
        {"events": ["webhook.test"]},
        {"events": [None]},
        {"description": None},
        {"description": "x" * 501},
        {"description": "a\0b"},
        {"botId": 1},
        {"botId": ""},
        {"botId": "\0"},
        {"botId": "0190163d-8694-439b-aea5-966c26f8ad91"},
        {"status": "disabled"},
        {"secret": "whsec_mine"},
        {"id": "wh_1"},
    ],
    ids=str,
)
async def test_a_bad_value_is_refused_by_name(client: Client, body: dict[str, Any]) -> None:
    refusal = await client.post(WEBHOOKS, json={"url": URL, "events": ["*"], **body})

    assert {name.split(".")[0] for name in named_fields(refusal)} == set(body)
    assert await all_pages(client, WEBHOOKS) == []


async def test_url_and_events_are_required(client: Client) -> None:
    refusal = await client.post(WEBHOOKS, json={})

    assert named_fields(refusal) == ["url", "events"]


async def test_a_bot_that_the_key_does_not_cover_is_as_unknown_as_none(
    client: Client, wide: Client, cast: Cast
) -> None:
    answers = [
        await client.post(WEBHOOKS, json={"url": URL, "events": ["*"], "botId": str(bot)})
        for bot in (cast.second_bot_id, cast.globex.bot_id, "0190163d-8694-439b-aea5-966c26f8ad91")
    ]
    named = {"bot_id": str(cast.acme.bot_id)}
    body = {"url": URL, "events": ["*"], "botId": str(cast.second_bot_id)}
    answers.append(await wide.post(WEBHOOKS, json=body, params=named))

    assert {tuple(named_fields(answer)) for answer in answers} == {("botId",)}
    assert len({answer.content for answer in answers}) == 1


async def test_the_operator_opens_hosts_and_networks_also_without_tls(client: Client, allow: Allow) -> None:
    allow("receiver, 10.0.0.0/8,::1, Hooks.Internal")

    for url in ("http://receiver:8080/", "https://10.1.2.3/", "http://[::1]:9000/", "http://hooks.internal/"):
        assert (await create_webhook(client, url=url))["url"] == url
    for url in ("http://127.0.0.1/", "https://other/", "http://example.com/", "https://a.receiver.internal/"):
        refusal = await client.post(WEBHOOKS, json={"url": url, "events": ["*"]})
        assert named_fields(refusal) == ["url"], url


async def test_no_allow_list_opens_a_metadata_service(client: Client, allow: Allow) -> None:
    allow("0.0.0.0/0,::/0")

    for host in ("169.254.169.254", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "100.100.100.200"):
        body = {"url": f"http://{host}/latest", "events": ["*"]}
        assert named_fields(await client.post(WEBHOOKS, json=body)) == ["url"], host


async def test_a_workspace_has_at_most_20_however_many_come_at_once(
    globex: Client, wide: Client, api: Api, cast: Cast
) -> None:
    await create_webhook(globex)
    keys = [api(key) for key in (cast.acme.write_key, cast.wide_key)]

    async def ask(number: int) -> int:
        body = {"url": URL, "events": ["*"]}
        answer = await keys[number % 2].post(WEBHOOKS, json=body)
        if answer.status_code != 201:
            assert error(answer) == (400, "invalid_state")
            assert "20" in body_of(answer)["error"]
        return answer.status_code

    statuses = await at_once(25, ask)

    assert sorted(statuses) == [201] * 20 + [400] * 5
    remaining = await all_pages(wide, WEBHOOKS)
    assert len(remaining) == 20
    ok(await wide.delete(f"{WEBHOOKS}/{remaining[0]['id']}"))
    await create_webhook(keys[0])
