"""Events are stored with their change or not at all, for endpoints that subscribe (contract section 5)."""

import asyncio
import re
from contextlib import suppress
from datetime import datetime

import pytest

from instep.accounts.workspaces import actions as workspaces
from instep.content.articles.actions import publish_article
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Scope
from tests.support.api_table import TABLE, Operation, assemble
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.events import heard, kinds, told
from tests.support.http import ID, TIMESTAMP, at_once, create_article, created, error, ok
from tests.support.webhook_endpoints import WEBHOOKS, create_webhook, disable

INSTALL = "/v1/articles/install"
WRITES = [operation for operation in TABLE if operation.is_write]
# Events of each operation on the resource in its path; all other operations emit none.
EVENTS = {
    "DELETE /articles/{article}": ["article.deleted"],
    "POST /articles/{article}/publish": ["article.published"],
    "POST /articles/{published}/split": ["article.updated", "article.published"],
    "POST /articles/{published}/unpublish": ["article.unpublished"],
    "POST /articles/{article}/drafts": ["edit.proposed"],
    "POST /changelog/entries/{entry}/publish": ["changelog_entry.published"],
    "POST /places/{place}/resolve": ["place.resolved"],
    "POST /webhooks/{webhook}/test": ["webhook.test"],
}


def name_of(operation: Operation) -> str:
    return f"{operation.method} {operation.path}"


def test_the_operations_with_an_event_are_in_the_table() -> None:
    assert EVENTS.keys() <= {name_of(operation) for operation in WRITES}


@pytest.mark.parametrize("operation", WRITES, ids=name_of)
async def test_each_operation_writes_its_events_and_no_others(
    client: Client, cast: Cast, database: Database, owner: Tx, operation: Operation
) -> None:
    things = await assemble(client, cast.acme, database, operation)
    earlier = await events_of(owner, cast)

    answer = await client.request(
        operation.method,
        "/v1" + operation.path.format(**things),
        params=operation.query_for(things),
        json=operation.body,
        content=operation.content,
    )

    assert answer.status_code == operation.status, answer.text
    events = await events_of(owner, cast)
    assert [kind for event, kind in events.items() if event not in earlier] == EVENTS.get(
        name_of(operation), []
    )


async def test_reading_writes_nothing(client: Client, cast: Cast, database: Database, owner: Tx) -> None:
    things = await assemble(client, cast.acme, database)
    earlier = await events_of(owner, cast)

    for operation in TABLE:
        if not operation.is_write:
            path = "/v1" + operation.path.format(**things)
            ok(await client.get(path, params=operation.query_for(things)))

    assert await events_of(owner, cast) == earlier


async def test_an_event_says_what_happened_when_where_and_who_did_it(
    client: Client, cast: Cast, owner: Tx
) -> None:
    webhook = await create_webhook(client)
    start_time = utc_now()

    live = await publish(client)

    [event] = await heard(owner, cast.acme, webhook)
    assert re.fullmatch("evt" + ID, event["id"])
    assert re.fullmatch(TIMESTAMP, event["createdAt"])
    assert abs((moment(event["createdAt"]) - start_time).total_seconds()) < 5
    assert event["botId"] == str(cast.acme.bot_id)
    assert event["actor"] == {"type": "api_key", "name": "Acme writer"}
    assert told(event)[:2] == ("article.published", live)


async def test_delivery_is_due_at_once(client: Client, cast: Cast, owner: Tx) -> None:
    webhook = await create_webhook(client)

    await publish(client)

    [delivery] = await log_of(client, webhook)
    [event] = await heard(owner, cast.acme)
    assert re.fullmatch("dlv" + ID, delivery["id"])
    assert (delivery["eventId"], delivery["event"]) == (event["id"], "article.published")
    assert (delivery["status"], delivery["attempts"]) == ("pending", [])
    assert abs((moment(delivery["nextAttemptAt"]) - moment(event["createdAt"])).total_seconds()) < 5


async def test_each_endpoint_gets_the_same_event_in_a_delivery_of_its_own(client: Client, owner: Tx) -> None:
    webhooks = [await create_webhook(client) for _ in range(3)]

    await publish(client)

    deliveries = [await log_of(client, webhook) for webhook in webhooks]
    assert [len(rows) for rows in deliveries] == [1, 1, 1]
    assert len({row["id"] for [row] in deliveries}) == 3
    assert len({row["eventId"] for [row] in deliveries}) == 1


async def test_an_endpoint_gets_the_kinds_that_it_asked_for(client: Client, cast: Cast, owner: Tx) -> None:
    filters = [["*"], ["article.unpublished"], ["article.updated", "article.published"], ["lead.created"]]
    webhooks = [await create_webhook(client, events=events) for events in filters]

    await publish(client)
    ok(await client.patch(INSTALL, json={"title": "Set up"}))
    ok(await client.post(f"{INSTALL}/unpublish"))

    every = ["article.published", "article.updated", "article.unpublished"]
    kinds_of_each = [await kinds(owner, cast.acme, webhook) for webhook in webhooks]
    assert kinds_of_each == [every, every[2:], every[:2], []]


async def test_a_changed_filter_holds_from_the_next_change_on(client: Client, cast: Cast, owner: Tx) -> None:
    webhook = await create_webhook(client, events=["article.unpublished"])
    await publish(client)

    ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json={"events": ["article.updated"]}))
    ok(await client.patch(INSTALL, json={"title": "Set up"}))
    ok(await client.post(f"{INSTALL}/unpublish"))

    assert await kinds(owner, cast.acme, webhook) == ["article.updated"]


async def test_without_anybody_who_listens_nothing_is_kept(
    client: Client, globex: Client, wide: Client, cast: Cast, owner: Tx
) -> None:
    disabled = await disable(client, await create_webhook(client))
    deleted = await create_webhook(client)
    ok(await client.delete(f"{WEBHOOKS}/{deleted['id']}"))
    await create_webhook(client, events=["lead.created"])
    await create_webhook(wide, botId=str(cast.second_bot_id))
    await create_webhook(globex)

    await publish(client)

    assert await events_of(owner, cast) == {}
    ok(await client.patch(f"{WEBHOOKS}/{disabled['id']}", json={"status": "enabled"}))
    ok(await client.post(f"{INSTALL}/unpublish"))
    assert await kinds(owner, cast.acme) == ["article.unpublished"]


async def test_an_endpoint_gets_the_events_of_its_bots(
    client: Client, wide: Client, cast: Cast, owner: Tx
) -> None:
    first, second = str(cast.acme.bot_id), str(cast.second_bot_id)
    endpoints = {
        "of all": await create_webhook(wide),
        "of the first": await create_webhook(client),
        "of the second": await create_webhook(wide, botId=second),
    }

    for bot in (first, second):
        await publish(wide, bot=bot)

    kinds_by_name = {
        name: [event["botId"] for event in await heard(owner, cast.acme, webhook)]
        for name, webhook in endpoints.items()
    }
    assert kinds_by_name == {"of all": [first, second], "of the first": [first], "of the second": [second]}


async def test_an_endpoint_of_all_bots_gets_the_events_of_those_to_come_if_its_key_covered_them(
    wide: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    both = [cast.acme.bot_id, cast.second_bot_id]
    key_of_both = await workspaces.create_key(owner, cast.acme.workspace_id, "both", Scope.WRITE, both)
    every, present = await create_webhook(wide), await create_webhook(api(key_of_both.key))
    third = await workspaces.create_bot(owner, cast.acme.workspace_id, "Acme third", None, "en")

    await publish(wide, bot=str(third.id))

    assert [event["botId"] for event in await heard(owner, cast.acme, every)] == [str(third.id)]
    assert await heard(owner, cast.acme, present) == []


async def test_a_change_that_does_not_commit_has_no_event(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await create_webhook(client)
    await create_article(client)

    with suppress(RuntimeError):
        async with acting(database, cast.acme) as ctx:
            assert (await publish_article(ctx, "install")).is_live
            raise RuntimeError

    assert ok(await client.get(INSTALL))["status"] == "draft"
    assert await events_of(owner, cast) == {}


async def test_a_change_whose_event_can_not_be_written_does_not_happen(
    client: Client, cast: Cast, owner: Tx
) -> None:
    await create_webhook(client)
    await create_article(client)
    refuse = "begin raise exception 'the disk is full'; end"
    await owner.execute(f"create function refuse() returns trigger language plpgsql as $${refuse}$$")
    await owner.execute(
        "create trigger refuse before insert on deliveries for each row execute function refuse()"
    )
    try:
        assert error(await client.post(f"{INSTALL}/publish")) == (500, "internal_error")
    finally:
        await owner.execute("drop function refuse cascade")

    assert ok(await client.get(INSTALL))["status"] == "draft"
    assert await events_of(owner, cast) == {}


async def test_a_paused_workspace_has_no_events_since_it_has_no_changes(
    client: Client, cast: Cast, owner: Tx
) -> None:
    await create_webhook(client)
    await create_article(client)
    await workspaces.pause_workspace(owner, cast.acme.workspace_id)

    assert error(await client.post(f"{INSTALL}/publish")) == (402, "plan_inactive")

    assert await events_of(owner, cast) == {}


async def test_a_text_of_any_characters_and_size_comes_as_it_is(
    client: Client, cast: Cast, owner: Tx
) -> None:
    await create_webhook(client)
    odd = 'Grüße 🎉 "quoted" \\ back\u2028slash\x7f'
    live = await publish(client, odd)
    text = ("é🎉\t\\u0000 {}\n" * 90_000)[:1_000_000]

    new = ok(await client.patch(f"/v1/articles/{live['id']}", json={"contentMarkdown": text}))

    first, second = await heard(owner, cast.acme)
    assert told(first)[1] == live
    assert told(second)[1] == new
    assert (new["contentMarkdown"], live["contentMarkdown"]) == (text, odd)
    assert told(second)[2]["contentMarkdown"] == odd


async def test_changes_and_endpoints_that_come_and_go_do_not_wait_for_each_other_in_a_circle(
    client: Client, wide: Client, cast: Cast, owner: Tx
) -> None:
    bot = {"Service-Bot": str(cast.acme.bot_id)}
    articles = [await create_article(client, f"Article {number}") for number in range(3)]
    webhooks = [await create_webhook(client) for _ in range(8)]
    stays = await create_webhook(wide)

    async def change(number: int) -> int:
        path = f"/v1/articles/{articles[number % 3]['id']}"
        act = "publish" if number % 2 else "unpublish"
        return (await client.post(f"{path}/{act}")).status_code

    async def touch(number: int) -> int:
        path = f"{WEBHOOKS}/{webhooks[number % 8]['id']}"
        if number % 3 == 0:
            return (await client.delete(path)).status_code
        if number % 3 == 1:
            return (await wide.patch(path, json={"events": ["*"]}, headers=bot)).status_code
        return (await client.post(f"{path}/test")).status_code

    async def either(number: int) -> int:
        return await (touch if number % 2 else change)(number // 2)

    async with asyncio.timeout(60):
        statuses = await at_once(80, either)

    # A deadlock would cause a 503, and an endpoint deleted before its delivery is stored a 500.
    assert set(statuses) <= {200, 400, 404}
    unpublished = sum(status == 200 for status in statuses[0::4])
    live = [ok(await client.get(f"/v1/articles/{row['id']}"))["status"] for row in articles]
    told_kinds = [kind for kind in await kinds(owner, cast.acme, stays) if kind != "webhook.test"]
    assert told_kinds.count("article.unpublished") == unpublished
    assert told_kinds.count("article.published") == unpublished + live.count("published") > 0
    assert set(told_kinds) == {"article.published", "article.unpublished"}


async def publish(client: Client, text: str = "Run it.", bot: str | None = None) -> Json:
    headers = {"Service-Bot": bot} if bot else {}
    body = {"title": "Install", "contentMarkdown": text}
    article = created(await client.post("/v1/articles", json=body, headers=headers))
    return ok(await client.post(f"/v1/articles/{article['id']}/publish", headers=headers))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def log_of(client: Client, webhook: Json) -> list[Json]:
    listed: list[Json] = ok(await client.get(f"{WEBHOOKS}/{webhook['id']}/deliveries"))["results"]
    return listed


async def events_of(owner: Tx, cast: Cast) -> dict[str, str]:
    """The type of each event of Acme by id, delivered or not."""
    rows = await owner.value(
        "select jsonb_object_agg(id, type) from events where workspace_id = %(id)s", id=cast.acme.workspace_id
    )
    return dict(rows or {})
