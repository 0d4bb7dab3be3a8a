"""Helpers for the MCP servers: messages of both protocol eras, official clients, and results."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
import pytest
from fastapi import FastAPI
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from tests.support.cast import Client, Company, Json
from tests.support.http import Response, body_of

DOCS, WORKSPACE = "/mcp", "/mcp/admin"
MODERN, LEGACY = "2026-07-28", "2025-11-25"
SITE = "http://help.test"
Mode = Literal["auto", "legacy"]
BOTH_ERAS = pytest.mark.parametrize("era", [MODERN, LEGACY])
BOTH_MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


def message(method: str, params: Json | None = None, era: str = MODERN, number: Any = 1) -> Json:
    """A request as a client of this era writes it."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": era,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    }
    body = dict(params or {}) | ({"_meta": meta} if era == MODERN else {})
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": body}


def headers_of(body: Json, era: str = MODERN) -> dict[str, str]:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": era}
    if era == MODERN:
        headers["Mcp-Method"] = body["method"]
        if isinstance(body["params"].get("name"), str):
            headers["Mcp-Name"] = body["params"]["name"]
    return headers


async def post(
    client: Client, path: str, method: str, params: Json | None = None, era: str = MODERN, **headers: str
) -> Response:
    body = message(method, params, era)
    return await client.post(path, json=body, headers=headers_of(body, era) | headers)


async def call(
    client: Client, path: str, tool: str, arguments: Json | None = None, era: str = MODERN
) -> Json:
    """The result of a tool call, refused or not."""
    answer = await post(client, path, "tools/call", {"name": tool, "arguments": arguments or {}}, era)
    assert answer.status_code == 200, answer.text
    result: Json = body_of(answer)["result"]
    return result


async def use(client: Client, tool: str, arguments: Json | None = None, era: str = MODERN) -> Json:
    """The result of a workspace tool; its text must be the same JSON, and short enough for an agent."""
    return given(await call(client, WORKSPACE, tool, arguments, era))


async def ask(
    client: Client, company: Company, tool: str, arguments: Json | None = None, era: str = MODERN
) -> Json:
    """The result of a tool of the public server."""
    return given(await call(client, DOCS, tool, of(company) | (arguments or {}), era))


def given(result: Json) -> Json:
    assert not result.get("isError"), result
    [text] = result["content"]
    structured: Json = result["structuredContent"]
    assert (text["type"], json.loads(text["text"])) == ("text", structured)
    return structured


def refused(result: Json) -> Json:
    """A tool's refusal as the agent reads it."""
    assert result["isError"], result
    assert "structuredContent" not in result
    [text] = result["content"]
    refusal: Json = json.loads(text["text"])
    assert refusal["error"].strip()
    return refusal


def of(company: Company) -> Json:
    return {"botId": str(company.bot_id), "botKey": company.bot_key}


@asynccontextmanager
async def official(app: FastAPI, path: str, key: str | None, mode: Mode) -> AsyncIterator[McpClient]:
    """The official Python client, with the newest protocol or the previous one."""
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    async with (
        httpx2.AsyncClient(transport=httpx2.ASGITransport(app), headers=headers) as http,
        McpClient(streamable_http_client(SITE + path, http_client=http), mode=mode) as client,
    ):
        yield client
