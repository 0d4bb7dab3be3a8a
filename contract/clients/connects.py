"""The official Python client finds its way by itself: discovery, registration, PKCE, step-up, rotation."""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from contract.person import Person, answer_in

READS, ALL = 9, 17
HOME = "http://127.0.0.1:3131/callback"


class Kept(TokenStorage):
    """What the client is told to keep, in memory."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Asking:
    """A person who allows what an app asks for, and no more; each time is noted down."""

    def __init__(self, site: str) -> None:
        self.person = Person(site)
        self.scopes: list[str] = []
        self.answer: dict[str, str] = {}

    async def redirect(self, address: str) -> None:
        asked = answer_in(address)
        assert asked["resource"] == f"{self.person.site}/mcp/admin"
        assert asked["code_challenge_method"] == "S256"
        self.scopes.append(asked["scope"])
        allowed = "content:write" if "write" in asked["scope"] else "content:read"
        self.answer = answer_in(await asyncio.to_thread(self.person.allow, address, allowed))

    async def callback(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(
            code=self.answer["code"], state=self.answer["state"], iss=self.answer["iss"]
        )


async def main(given: dict[str, Any]) -> None:
    site, kept, asking = given["site"], Kept(), Asking(given["site"])
    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(HOME)],
        client_name="Contract",
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )
    auth = OAuthClientProvider(f"{site}/mcp/admin", metadata, kept, asking.redirect, asking.callback)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as http,
        Client(
            streamable_http_client(f"{site}/mcp/admin", http_client=http), mode=given["mode"]
        ) as workspace,
    ):
        assert len((await workspace.list_tools()).tools) == READS
        assert asking.scopes == ["content:read"]
        made = await workspace.call_tool("create_article", {"title": "New", "contentMarkdown": "Text.\n"})
        assert not made.is_error, made
        assert asking.scopes == ["content:read", "content:read content:write"]
        assert len((await workspace.list_tools(cache_mode="bypass")).tools) == ALL
        await renews(kept, auth, workspace)
    await ends(site, kept)
    print(f"Python, {given['mode']}: connected, stepped up, renewed, ended")


async def renews(kept: Kept, auth: OAuthClientProvider, workspace: Client) -> None:
    """When the client takes its token for too old it fetches another one, and goes on."""
    assert kept.tokens is not None
    before = kept.tokens.refresh_token
    auth.context.token_expiry_time = 1
    assert len((await workspace.list_tools(cache_mode="bypass")).tools) == ALL
    assert kept.tokens.refresh_token != before


async def ends(site: str, kept: Kept) -> None:
    """A refresh token that comes a second time ends what came of it."""
    assert kept.tokens is not None
    assert kept.client is not None
    async with httpx2.AsyncClient(base_url=site) as http:
        sent = {"grant_type": "refresh_token", "client_id": kept.client.client_id}
        sent["refresh_token"] = kept.tokens.refresh_token or ""
        first, again = [await http.post("/oauth/token", data=sent) for _ in range(2)]
        sent["refresh_token"] = first.json()["refresh_token"]
        child = await http.post("/oauth/token", data=sent)
    assert [answer.status_code for answer in (first, again, child)] == [200, 400, 400]
    assert {answer.json()["error"] for answer in (again, child)} == {"invalid_grant"}


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
