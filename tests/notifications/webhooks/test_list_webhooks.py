"""GET /v1/webhooks."""

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.http import all_pages, error, named_fields, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook, key_of_both_bots, without_secret


async def test_webhooks_come_newest_first_without_their_secrets(client: Client, globex: Client) -> None:
    first = await create_webhook(client)
    second = await create_webhook(client, events=["task.completed"])
    await create_webhook(globex)

    assert ok(await client.get(WEBHOOKS)) == {
        "results": [without_secret(second), without_secret(first)],
        "has_more": False,
        "next_cursor": None,
    }


async def test_a_key_sees_those_of_which_it_covers_every_bot(
    client: Client, wide: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    both = await key_of_both_bots(owner, cast)
    of_all = await create_webhook(wide)
    of_both = await create_webhook(api(both))
    of_first = await create_webhook(client)
    of_second = await create_webhook(wide, botId=str(cast.second_bot_id))

    async def seen(key: str, **params: str) -> list[str]:
        return [row["id"] for row in await all_pages(api(key), WEBHOOKS, **params)]

    assert await seen(cast.wide_key) == [row["id"] for row in (of_second, of_first, of_both, of_all)]
    assert await seen(both) == [row["id"] for row in (of_second, of_first, of_both)]
    for key in (cast.acme.write_key, cast.acme.read_key):
        assert await seen(key) == [of_first["id"]]
    assert await seen(cast.globex.read_key) == []
    for key in (cast.wide_key, both):
        assert await seen(key, bot_id=str(cast.acme.bot_id)) == [of_first["id"]]
        assert await seen(key, bot_id=str(cast.second_bot_id)) == [of_second["id"]]


@pytest.mark.parametrize("size", [1, 2, 100])
async def test_rows_that_stay_are_seen_once_in_order_while_others_change(client: Client, size: int) -> None:
    webhook_ids = [(await create_webhook(client))["id"] for _ in range(7)]
    page = ok(await client.get(WEBHOOKS, params={"page_size": size}))
    ok(await client.delete(f"{WEBHOOKS}/{webhook_ids[2]}"))
    ok(await client.patch(f"{WEBHOOKS}/{webhook_ids[3]}", json={"description": "Later"}))
    await create_webhook(client)

    ids = [row["id"] for row in page["results"]]
    if page["has_more"]:
        rest = await all_pages(client, WEBHOOKS, page_size=size, start_cursor=page["next_cursor"])
        ids += [row["id"] for row in rest]

    stayed = [row for row in reversed(webhook_ids) if row != webhook_ids[2]]
    assert [row for row in ids if row in stayed] == stayed


async def test_a_cursor_belongs_to_its_list_and_bot(wide: Client, cast: Cast) -> None:
    for _ in range(2):
        await create_webhook(wide)
    cursor = ok(await wide.get(WEBHOOKS, params={"page_size": 1}))["next_cursor"]

    for path, bot in ((WEBHOOKS, cast.acme.bot_id), ("/v1/articles", cast.acme.bot_id)):
        refusal = await wide.get(path, params={"bot_id": str(bot), "start_cursor": cursor})
        assert error(refusal) == (400, "invalid_cursor")


async def test_a_bad_page_size_is_refused_by_name(reader: Client) -> None:
    refusal = await reader.get(WEBHOOKS, params={"page_size": "101"})

    assert named_fields(refusal) == ["page_size"]
