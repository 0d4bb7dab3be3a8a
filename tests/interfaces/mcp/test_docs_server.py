"""POST /mcp: a help center for any agent that knows a bot's public key."""

import json
from uuid import uuid4

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import publish
from tests.support.http import body_of, create_article, create_collection, stranger
from tests.support.mcp import BOTH_ERAS, BOTH_MODES, DOCS, Mode, ask, call, of, official, post, refused
from tests.support.visitors import SITE as PAGE
from tests.support.visitors import cors_of, open_to, refusal, rows

QUESTION = {"question": "How do I install the agent?"}
INSTALL = "# Install the agent\n\nRun `install.sh` to install the agent, then sign in.\n"


async def write(client: Client) -> Json:
    """Publish the article that answers the question, after others that don't."""
    for topic in ("Invoices", "Pets", "Exports"):
        await publish(client, topic, f"{topic} are looked after by the office on Mondays.\n")
    return await publish(client, "Install the agent", INSTALL)


@BOTH_ERAS
async def test_anybody_sees_the_three_tools(visitor: Client, era: str) -> None:
    answer = await post(visitor, DOCS, "tools/list", None, era)

    tools = body_of(answer)["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["ask_docs", "search_docs", "get_bot_config"]
    for tool in tools:
        assert tool["annotations"]["readOnlyHint"] is True
        assert {"botId", "botKey"} <= set(tool["inputSchema"]["required"])
        assert tool["outputSchema"]["type"] == "object"


@BOTH_MODES
async def test_the_official_client_asks_and_gets_sources(
    app: FastAPI, client: Client, cast: Cast, mode: Mode
) -> None:
    article = await write(client)

    async with official(app, DOCS, None, mode) as agent:
        answer = (await agent.call_tool("ask_docs", of(cast.acme) | QUESTION)).structured_content
        hits = (await agent.call_tool("search_docs", of(cast.acme) | {"query": "install"})).structured_content

    assert answer is not None
    assert hits is not None
    assert answer["answered"] is True
    assert "install.sh" in answer["answer"]
    assert [source["articleId"] for source in answer["sources"]] == [article["id"]]
    assert hits["results"][0]["url"].startswith(article["url"])


async def test_a_question_in_vain_is_kept_as_one_of_the_widget_is(
    client: Client, visitor: Client, cast: Cast, owner: Tx
) -> None:
    await write(client)

    answer = await ask(visitor, cast.acme, "ask_docs", {"question": "What is the zebra tariff?"})

    assert answer["answered"] is False
    [question] = await rows(owner, "unanswered_questions", cast.acme)
    assert question["question"] == "What is the zebra tariff?"


async def test_a_conversation_goes_on_for_its_visitor_only(
    client: Client, visitor: Client, cast: Cast
) -> None:
    await write(client)
    first = await ask(visitor, cast.acme, "ask_docs", QUESTION | {"visitor": "ann"})
    go_on = QUESTION | {"conversationId": first["conversationId"]}

    again = await ask(visitor, cast.acme, "ask_docs", go_on | {"visitor": "ann"})
    other = await call(visitor, DOCS, "ask_docs", of(cast.acme) | go_on | {"visitor": "bob"})

    assert again["conversationId"] == first["conversationId"]
    assert refused(other)["details"][0]["field"] == "conversationId"


async def test_only_public_and_live_articles_are_found(client: Client, visitor: Client, cast: Cast) -> None:
    await write(client)
    members = await create_collection(client, "Members", visibility="authenticated")
    secrets = [
        await create_article(client, "Canary draft", contentMarkdown="The canary sings.\n"),
        *[
            await create_article(client, f"Canary {number}", contentMarkdown="The canary sings.\n", **fields)
            for number, fields in enumerate(
                ({"visibility": "authenticated"}, {"collectionId": members["id"]})
            )
        ],
    ]
    for article in secrets[1:]:
        await client.post(f"/v1/articles/{article['id']}/publish")

    hits = await ask(visitor, cast.acme, "search_docs", {"query": "canary", "includeText": True})
    answer = await ask(visitor, cast.acme, "ask_docs", {"question": "What does the canary do?"})

    assert "sings" not in json.dumps([hits, answer])
    assert answer["answered"] is False


async def test_passages_come_in_pages_with_texts_on_request(
    client: Client, visitor: Client, cast: Cast
) -> None:
    for number in range(5):
        await publish(client, f"Export {number}", f"Export number {number} runs at night.\n")
    query = {"query": "export night", "limit": 2}

    ids: list[str] = []
    cursor: str | None = None
    while not ids or cursor is not None:
        page = await ask(visitor, cast.acme, "search_docs", query | {"cursor": cursor})
        assert all(row["contentMarkdown"] is None for row in page["results"])
        ids += [row["articleId"] for row in page["results"]]
        cursor = page["next_cursor"]
    whole = await ask(visitor, cast.acme, "search_docs", query | {"includeText": True})

    assert len(ids) == len(set(ids)) == 5
    assert "runs at night." in whole["results"][0]["contentMarkdown"]


async def test_notes_of_authors_in_comments_are_neither_found_nor_shown(
    client: Client, visitor: Client, cast: Cast
) -> None:
    note = "<!--\nhippopotamus\n\n## hippopotamus\n-->"
    text = f"Export at night.\n\n{note}\n\n## Files <!-- hippopotamus -->\n\nExport a file."
    await publish(client, "Export", text)

    page = await ask(visitor, cast.acme, "search_docs", {"query": "export", "includeText": True})
    none = await ask(visitor, cast.acme, "search_docs", {"query": "hippopotamus", "includeText": True})

    assert none["results"] == []
    assert "hippopotamus" not in json.dumps(page)
    assert {row["heading"] for row in page["results"]} == {None, "Files"}


async def test_the_config_of_the_bot_is_told(visitor: Client, cast: Cast) -> None:
    config = await ask(visitor, cast.acme, "get_bot_config", {"locale": "de"})

    assert (config["botId"], config["name"]) == (str(cast.acme.bot_id), "Acme")
    assert config["helpUrl"].endswith(f"/help/{cast.acme.slug}")


@BOTH_ERAS
async def test_unknown_bots_and_wrong_keys_get_one_answer(visitor: Client, cast: Cast, era: str) -> None:
    wrong = [
        {"botId": str(uuid4()), "botKey": cast.acme.bot_key},
        {"botId": str(cast.acme.bot_id), "botKey": cast.globex.bot_key},
        {"botId": "nonsense", "botKey": "nonsense"},
        {"botId": str(cast.acme.bot_id), "botKey": cast.acme.write_key},
    ]

    answers = [await call(visitor, DOCS, "get_bot_config", body, era) for body in wrong]

    assert {refused(answer)["code"] for answer in answers} == {"invalid_credentials"}
    assert len({refused(answer)["error"] for answer in answers}) == 1


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["botId", "botKey"]),
        ({"botId": 1, "botKey": "x"}, ["botId"]),
    ],
)
async def test_missing_credentials_are_named(visitor: Client, body: Json, fields: list[str]) -> None:
    refusal = refused(await call(visitor, DOCS, "get_bot_config", body))

    assert [detail["field"] for detail in refusal["details"]] == fields


async def test_bad_arguments_are_named(visitor: Client, cast: Cast) -> None:
    for tool, body, field in (
        ("ask_docs", {"question": ""}, "question"),
        ("ask_docs", QUESTION | {"locale": "no language"}, "locale"),
        ("ask_docs", QUESTION | {"visitorToken": "x"}, "visitorToken"),
        ("search_docs", {"query": "x"}, "query"),
        ("get_bot_config", {"locale": 1}, "locale"),
    ):
        refusal = refused(await call(visitor, DOCS, tool, of(cast.acme) | body))
        assert [detail["field"] for detail in refusal["details"]] == [field], tool


@BOTH_ERAS
async def test_calls_count_as_those_of_a_visitor_do(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, era: str
) -> None:
    async with stranger(app) as client:
        body = {"name": "get_bot_config", "arguments": of(cast.acme)}
        first = await post(client, DOCS, "tools/call", body, era)
        assert first.headers["RateLimit-Policy"] == '"widget-chat";q=30;w=60, "widget-address";q=120;w=60'
        for _ in range(29):
            await post(client, DOCS, "tools/call", body, era)
        spent = await post(client, DOCS, "tools/call", body, era)
        lists = await post(client, DOCS, "tools/list", None, era)

    assert refusal(spent) == (429, "rate_limited")
    assert 1 <= int(spent.headers["Retry-After"]) <= 60
    assert lists.status_code == 200


async def test_a_page_may_ask_only_bots_that_are_open_to_it(visitor: Client, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, PAGE)

    def sent(company_of: Json) -> Json:
        return {"name": "get_bot_config", "arguments": company_of}

    own_answer = await post(visitor, DOCS, "tools/call", sent(of(cast.acme)), Origin=PAGE)
    other = await post(visitor, DOCS, "tools/call", sent(of(cast.globex)), Origin=PAGE)
    strange = await post(visitor, DOCS, "tools/list", Origin="https://evil.example")

    assert own_answer.status_code == 200
    assert cors_of(own_answer)["access-control-allow-origin"] == PAGE
    assert "MCP-Protocol-Version" in cors_of(own_answer)["access-control-expose-headers"]
    assert refusal(other) == (403, "origin_not_allowed")
    assert refusal(strange) == (403, "origin_not_allowed")
    assert cors_of(strange) == {}


async def test_a_browsers_preflight_is_answered_for_pages_of_some_bot(
    visitor: Client, cast: Cast, owner: Tx
) -> None:
    await open_to(owner, cast.acme, PAGE)

    answer = await visitor.request("OPTIONS", DOCS, headers={"Origin": PAGE})
    strange = await visitor.request("OPTIONS", DOCS, headers={"Origin": "https://evil.example"})

    assert answer.status_code == 204
    assert "Mcp-Name" in cors_of(answer)["access-control-allow-headers"]
    assert cors_of(answer)["access-control-allow-methods"] == "POST"
    assert refusal(strange) == (403, "origin_not_allowed")


async def test_a_spent_visitor_is_not_another_one(api: Api, cast: Cast, owner: Tx, app: FastAPI) -> None:
    async with stranger(app) as client:
        for _ in range(31):
            await post(client, DOCS, "tools/call", {"name": "get_bot_config", "arguments": of(cast.acme)})
    async with stranger(app) as other:
        assert (await ask(other, cast.acme, "get_bot_config"))["name"] == "Acme"
