"""The official Python client uses all servers as a customer's program would."""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(options: dict[str, Any]) -> None:
    mode, site = options["mode"], options["site"]
    async with Client(f"{site}/mcp", mode=mode) as docs:
        assert {tool.name for tool in (await docs.list_tools()).tools} >= {"ask_docs", "search_docs"}
        answer = await docs.call_tool(
            "ask_docs", options["bot"] | {"question": "How do I install the agent?"}
        )
        assert not answer.is_error
        assert answer.structured_content is not None
        assert answer.structured_content["answered"], answer
    async with Client(f"{site}/help/acme/mcp", mode=mode) as help_center:
        hits = await help_center.call_tool("search_docs", {"query": "install"})
        assert hits.structured_content is not None
        assert hits.structured_content["results"], hits
    headers = {"Authorization": f"Bearer {options['key']}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{site}/mcp/admin", http_client=http), mode=mode) as workspace,
    ):
        assert {tool.name for tool in (await workspace.list_tools()).tools} >= {
            "search_articles",
            "create_article",
        }
        assert len((await workspace.list_prompts()).prompts) == 2
        creation = await workspace.call_tool("create_article", {"title": "New", "contentMarkdown": "Text.\n"})
        assert creation.structured_content is not None
        assert creation.structured_content["status"] == "draft"
    print(f"Python, {mode}: all servers were listed and called")


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
