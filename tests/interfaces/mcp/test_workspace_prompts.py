"""POST /mcp/admin: the prompts, and the handshake of older clients."""

from typing import Any

import pytest
from fastapi import FastAPI

from tests.support.cast import Api, Cast, Client
from tests.support.http import body_of
from tests.support.mcp import BOTH_ERAS, BOTH_MODES, LEGACY, WORKSPACE, Mode, official, post


@BOTH_MODES
async def test_prompts_make_an_agent_propose(app: FastAPI, api: Api, cast: Cast, mode: Mode) -> None:
    async with official(app, WORKSPACE, cast.acme.read_key, mode) as agent:
        names = [prompt.name for prompt in (await agent.list_prompts()).prompts]
        arguments = {"diff": "-a\n+b\n", "url": "https://git.test/7"}
        document = await agent.get_prompt("document_my_change", arguments)
        review = await agent.get_prompt("review_docs", {"area": "billing"})

    assert names == ["document_my_change", "review_docs"]
    texts = [str(getattr(hit.messages[0].content, "text", "")) for hit in (document, review)]
    assert all("update anything directly" in text for text in texts)
    assert "-a\n+b\n" in texts[0]
    assert "https://git.test/7" in texts[0]
    assert "billing" in texts[1]


@BOTH_ERAS
@pytest.mark.parametrize(
    "body",
    [
        {"name": "document_my_change", "arguments": {}},
        {"name": "document_my_change", "arguments": {"diff": "x", "secret": "y"}},
        {"name": "nothing"},
    ],
    ids=["without the diff", "with something else", "unknown"],
)
async def test_prompts_that_are_asked_for_wrongly_are_refused(
    reader: Client, body: dict[str, Any], era: str
) -> None:
    answer = await post(reader, WORKSPACE, "prompts/get", body, era)

    assert body_of(answer)["error"]["code"] == -32602


async def test_an_older_client_shakes_hands_first(reader: Client) -> None:
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    answer = await post(reader, WORKSPACE, "initialize", hello, LEGACY)

    result = body_of(answer)["result"]
    assert result["protocolVersion"] == LEGACY
    assert result["capabilities"].keys() == {"prompts", "resources", "tools"}
    assert result["serverInfo"]["name"] == "instep-workspace"
    assert "propose_edit" in result["instructions"]
    assert "mcp-session-id" not in answer.headers
