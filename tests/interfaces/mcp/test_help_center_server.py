"""POST {help center}/mcp: a URL that anyone can add to an AI client."""

import json

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Tx
from tests.interfaces.mcp.test_docs_server import INSTALL
from tests.support.cast import Api, Cast, Client
from tests.support.changes import publish
from tests.support.http import body_of, create_article, create_collection, stranger
from tests.support.mcp import BOTH_ERAS, BOTH_MODES, Mode, call, given, official, post, refused
from tests.support.visitors import SITE as PAGE
from tests.support.visitors import cors_of, open_to, refusal


def path_of(cast: Cast) -> str:
    return f"/help/{cast.acme.slug}/mcp"


async def give_domain(owner: Tx, cast: Cast, app: FastAPI) -> str:
    domain = f"{cast.acme.slug}.example"
    await owner.execute("update bots set domain = %(d)s where id = %(id)s", d=domain, id=cast.acme.bot_id)
    app.state.known_hosts[domain] = True
    return domain


@BOTH_ERAS
async def test_tools_accept_no_bot_and_no_key(visitor: Client, cast: Cast, era: str) -> None:
    answer = await post(visitor, path_of(cast), "tools/list", None, era)
    extra = await call(visitor, path_of(cast), "get_bot_config", {"botId": str(cast.globex.bot_id)}, era)

    tools = body_of(answer)["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["ask_docs", "search_docs", "get_bot_config"]
    for tool in tools:
        assert {"botId", "botKey"} & set(tool["inputSchema"]["properties"]) == set()
    assert [detail["field"] for detail in refused(extra)["details"]] == ["botId"]


@BOTH_MODES
async def test_the_official_client_asks_with_nothing_but_the_address(
    app: FastAPI, client: Client, cast: Cast, mode: Mode
) -> None:
    article = await publish(client, "Install the agent", INSTALL)

    async with official(app, path_of(cast), None, mode) as agent:
        hits = (await agent.call_tool("search_docs", {"query": "install"})).structured_content
        config = (await agent.call_tool("get_bot_config", {})).structured_content
        answer = (
            await agent.call_tool("ask_docs", {"question": "How do I install the agent?"})
        ).structured_content

    assert hits is not None
    assert config is not None
    assert answer is not None
    assert hits["results"][0]["articleId"] == article["id"]
    assert config["botId"] == str(cast.acme.bot_id)
    assert "install.sh" in answer["answer"]


async def test_server_answers_only_at_the_host_of_its_help_center(
    app: FastAPI, visitor: Client, cast: Cast, owner: Tx
) -> None:
    domain = await give_domain(owner, cast, app)

    there = await post(visitor, "/mcp", "tools/list", Host=domain)
    other = await post(visitor, f"/help/{cast.globex.slug}/mcp", "tools/list", Host=domain)
    rebound = await post(visitor, path_of(cast), "tools/list", Host="evil.example")
    unknown = await post(visitor, "/help/nobody/mcp", "tools/list")

    assert len(body_of(there)["result"]["tools"]) == 3
    assert [refusal(answer) for answer in (other, unknown)] == [(404, "not_found")] * 2
    assert rebound.status_code == 421


async def test_only_public_and_live_articles_are_found(client: Client, visitor: Client, cast: Cast) -> None:
    members = await create_collection(client, "Members", visibility="authenticated")
    await create_article(client, "Canary draft", contentMarkdown="The canary sings.\n")
    for number, fields in enumerate(({"visibility": "authenticated"}, {"collectionId": members["id"]})):
        article = await create_article(
            client, f"Canary {number}", contentMarkdown="The canary sings.\n", **fields
        )
        await client.post(f"/v1/articles/{article['id']}/publish")

    arguments = {"query": "canary", "includeText": True}
    hits = given(await call(visitor, path_of(cast), "search_docs", arguments))

    assert "sings" not in json.dumps(hits)


async def test_calls_count_as_those_of_a_visitor_and_bad_ones_are_answered_in_json(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    body = {"name": "get_bot_config", "arguments": {}}
    async with stranger(app) as client:
        answers = [await post(client, path_of(cast), "tools/call", body) for _ in range(31)]
        wrong = await client.get(path_of(cast))

    assert answers[0].headers["RateLimit-Policy"] == '"widget-chat";q=30;w=60, "widget-address";q=120;w=60'
    assert refusal(answers[-1]) == (429, "rate_limited")
    assert refusal(wrong) == (405, "method_not_allowed")


async def test_pages_of_origins_that_are_open_to_it_may_ask(visitor: Client, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, PAGE)
    body = {"name": "get_bot_config", "arguments": {}}

    preflight = await visitor.request("OPTIONS", path_of(cast), headers={"Origin": PAGE})
    answer = await post(visitor, path_of(cast), "tools/call", body, Origin=PAGE)
    other = await post(visitor, f"/help/{cast.globex.slug}/mcp", "tools/call", body, Origin=PAGE)

    assert preflight.status_code == 204
    assert cors_of(answer)["access-control-allow-origin"] == PAGE
    assert refusal(other) == (403, "origin_not_allowed")


@pytest.mark.parametrize("document", [".well-known/mcp.json", "mcp/server-card", ".well-known/mcp.json/"])
async def test_clients_find_it_by_its_documents(visitor: Client, cast: Cast, document: str) -> None:
    answer = await visitor.get(f"/help/{cast.acme.slug}/{document}")

    [remote] = body_of(answer)["remotes"]
    assert remote["url"] == f"http://help.test{path_of(cast)}"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


async def test_people_and_programs_are_led_to_it(
    app: FastAPI, client: Client, visitor: Client, cast: Cast, owner: Tx
) -> None:
    await publish(client, "Install the agent", INSTALL)
    home = f"/help/{cast.acme.slug}"
    address = f"http://help.test{path_of(cast)}"

    page = await visitor.get(f"{home}/connect")
    index = await visitor.get(f"{home}/llms.txt")
    german = await visitor.get(f"{home}/de/connect")

    assert f'href="{home}/connect"' in (await visitor.get(f"{home}/")).text
    assert page.text.count(address) >= 4
    for client_name in ("Claude Code", "Cursor", "VS Code", "ChatGPT"):
        assert client_name in page.text
    assert address in index.text
    assert (german.status_code, "KI" in german.text) == (200, True)
    domain = await give_domain(owner, cast, app)
    assert f"http://{domain}/mcp" in (await visitor.get("/connect", headers={"Host": domain})).text
