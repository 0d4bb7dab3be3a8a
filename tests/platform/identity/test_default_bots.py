"""A credential created when there was one bot keeps working with it after others are added."""

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import create_bot, create_key
from instep.accounts.workspaces.schemas import BotRow
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast, Client, Company, Json
from tests.support.changes import send
from tests.support.http import error, ok, stranger
from tests.support.mcp import WORKSPACE, call, given
from tests.support.oauth import BOTH, browser_of, connect, member

ARTICLES = "/v1/articles"
NEW = {"title": "Install", "contentMarkdown": "Run it."}


@pytest.fixture
async def early_client(api: Api, cast: Cast, owner: Tx) -> Client:
    """A client with a key for all bots of Globex, created when there was one bot."""
    new_key = await create_key(owner, cast.globex.workspace_id, "CI", Scope.WRITE, [])
    return api(new_key.key)


@pytest.fixture
async def second_bot(early_client: Client, cast: Cast, owner: Tx) -> BotRow:
    return await create_bot(owner, cast.globex.workspace_id, "Globex second", None, "en")


async def article_of(client: Client, **naming: str) -> Json:
    article: Json = (await client.post(ARTICLES, json=NEW, params=naming)).raise_for_status().json()
    return article


async def test_a_key_goes_on_with_its_first_bot_and_may_name_others(
    early_client: Client, second_bot: BotRow, cast: Cast
) -> None:
    second = str(second_bot.id)

    unnamed = await article_of(early_client)
    by_query = await article_of(early_client, bot_id=second)
    by_header = await early_client.get(ARTICLES, headers={"Service-Bot": second})

    assert (unnamed["botId"], by_query["botId"]) == (str(cast.globex.bot_id), second)
    assert [article["id"] for article in ok(by_header)["results"]] == [by_query["id"]]


async def test_the_list_of_bots_tells_which_is_the_default(
    early_client: Client, second_bot: BotRow, wide: Client, cast: Cast
) -> None:
    bots = ok(await early_client.get("/v1/bots"))["results"]
    without_default = ok(await wide.get("/v1/bots"))["results"]

    assert [(bot["slug"], bot["isDefault"]) for bot in bots] == [
        (cast.globex.slug, True),
        (second_bot.slug, False),
    ]
    assert [bot["isDefault"] for bot in without_default] == [False, False]


async def test_a_task_of_any_covered_bot_is_read_without_naming_it(
    early_client: Client, second_bot: BotRow
) -> None:
    early_client.headers["Service-Bot"] = str(second_bot.id)
    task = await send(early_client)
    del early_client.headers["Service-Bot"]

    assert ok(await early_client.get(f"/v1/tasks/{task['id']}"))["botId"] == str(second_bot.id)


async def test_a_webhook_of_such_a_key_is_for_all_bots(early_client: Client, second_bot: BotRow) -> None:
    body = {"url": "https://hooks.example/in", "events": ["*"], "botId": str(second_bot.id)}

    narrow = await early_client.post("/v1/webhooks", json=body)
    wide = await early_client.post("/v1/webhooks", json=body | {"botId": None})

    assert (narrow.status_code, wide.status_code) == (201, 201)
    assert [narrow.json()["botId"], wide.json()["botId"]] == [str(second_bot.id), None]


async def test_a_key_that_is_made_for_several_bots_has_to_name_one(
    second_bot: BotRow, api: Api, cast: Cast, owner: Tx
) -> None:
    late = await create_key(owner, cast.globex.workspace_id, "late", Scope.READ, [])

    refusal = await api(late.key).get(ARTICLES)

    assert error(refusal) == (400, "bot_required")
    assert late.row.default_bot_id is None


async def test_once_the_default_bot_is_gone_the_bot_has_to_be_named(
    early_client: Client, second_bot: BotRow, cast: Cast, owner: Tx
) -> None:
    await create_bot(owner, cast.globex.workspace_id, "Globex third", None, "en")
    await owner.execute("delete from api_keys where bot_ids = %(ids)s", ids=[cast.globex.bot_id])
    await owner.execute("delete from audit_entries where bot_id = %(id)s", id=cast.globex.bot_id)
    await owner.execute("delete from bots where id = %(id)s", id=cast.globex.bot_id)

    refusal = await early_client.get(ARTICLES)

    assert error(refusal) == (400, "bot_required")
    assert str(second_bot.id) in refusal.json()["error"]


async def test_the_refusal_names_the_bots_that_may_be_chosen_up_to_a_number(
    wide: Client, cast: Cast, owner: Tx
) -> None:
    for number in range(limits.MAX_BOTS_NAMED):
        await create_bot(owner, cast.acme.workspace_id, f"Acme {number}", None, "en")

    sentence = (await wide.get(ARTICLES)).json()["error"]

    assert f"{cast.second_bot_id} (acme-second-" in sentence
    assert "`bot_id`" in sentence
    assert "`Service-Bot`" in sentence
    assert sentence.endswith("and 2 more.")


async def test_an_app_goes_on_with_the_bot_that_there_was_when_it_was_connected(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    early = await connected(app, api, owner, cast.globex)
    second = await create_bot(owner, cast.globex.workspace_id, "Globex second", None, "en")
    late = await connected(app, api, owner, cast.globex)

    unnamed = given(await call(early, WORKSPACE, "create_article", NEW))
    named = given(await call(early, WORKSPACE, "create_article", NEW | {"botId": str(second.id)}))
    refusal = await call(late, WORKSPACE, "create_article", NEW)

    assert (unnamed["botId"], named["botId"]) == (str(cast.globex.bot_id), str(second.id))
    assert "bot_required" in refusal["content"][0]["text"]


async def connected(app: FastAPI, api: Api, owner: Tx, company: Company) -> Client:
    """An app that a member of the company allows to work on all its bots."""
    person = await member(owner, company)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        _, tokens = await connect(browser, client, BOTH)
    return api(tokens["access_token"])
