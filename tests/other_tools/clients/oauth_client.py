"""The official Python client connects without help: discovery, registration, PKCE, step-up, rotation."""

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

from tests.other_tools.person import Person, query_parameters

REDIRECT_URI = "http://127.0.0.1:3131/callback"


class MemoryStorage(TokenStorage):
    """Stores the client's registration and tokens in memory."""

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


class Consent:
    """A person who allows exactly the scope that an app requests; `scopes` lists the requests."""

    def __init__(self, site: str) -> None:
        self.person = Person(site)
        self.scopes: list[str] = []
        self.response: dict[str, str] = {}

    async def redirect(self, url: str) -> None:
        request = query_parameters(url)
        assert request["resource"] == f"{self.person.site}/mcp/admin"
        assert request["code_challenge_method"] == "S256"
        self.scopes.append(request["scope"])
        allowed_scope = "content:write" if "write" in request["scope"] else "content:read"
        location = await asyncio.to_thread(self.person.allow, url, allowed_scope)
        self.response = query_parameters(location)

    async def callback(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(
            code=self.response["code"], state=self.response["state"], iss=self.response["iss"]
        )


async def main(options: dict[str, Any]) -> None:
    site, storage, consent = options["site"], MemoryStorage(), Consent(options["site"])
    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(REDIRECT_URI)],
        client_name="Contract",
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )
    auth = OAuthClientProvider(f"{site}/mcp/admin", metadata, storage, consent.redirect, consent.callback)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as http,
        Client(
            streamable_http_client(f"{site}/mcp/admin", http_client=http), mode=options["mode"]
        ) as workspace,
    ):
        assert not await lists_writes(workspace)
        assert consent.scopes == ["content:read"]
        article = {"title": "New", "contentMarkdown": "Text.\n"}
        creation = await workspace.call_tool("create_article", article)
        assert not creation.is_error, creation
        assert consent.scopes == ["content:read", "content:read content:write"]
        assert await lists_writes(workspace)
        await check_refresh(storage, auth, workspace)
    await check_parallel_refreshes(site, storage)
    print(f"Python, {options['mode']}: connected, stepped up, renewed, ended")


async def lists_writes(workspace: Client) -> bool:
    """True if the tools for writing are listed; those for reading always are."""
    names = {tool.name for tool in (await workspace.list_tools(cache_mode="bypass")).tools}
    assert "search_articles" in names
    return "create_article" in names


async def check_refresh(storage: MemoryStorage, auth: OAuthClientProvider, workspace: Client) -> None:
    """A client whose access token has expired refreshes it and continues."""
    assert storage.tokens is not None
    before = storage.tokens.refresh_token
    auth.context.token_expiry_time = 1
    assert await lists_writes(workspace)
    assert storage.tokens.refresh_token != before


async def check_parallel_refreshes(site: str, storage: MemoryStorage) -> None:
    """Programs that share a refresh token get the same answer; a revoked connection stays closed."""
    assert storage.tokens is not None
    assert storage.client is not None
    async with httpx2.AsyncClient(base_url=site) as http:
        client = {"client_id": storage.client.client_id}
        form = client | {"grant_type": "refresh_token", "refresh_token": storage.tokens.refresh_token or ""}
        first, second = await asyncio.gather(*(http.post("/oauth/token", data=form) for _ in range(2)))
        form["refresh_token"] = first.json()["refresh_token"]
        descendant = await http.post("/oauth/token", data=form)
        form["refresh_token"] = descendant.json()["refresh_token"]
        await http.post("/oauth/revoke", data=client | {"token": form["refresh_token"]})
        end = await http.post("/oauth/token", data=form)
    assert first.json() == second.json()
    assert [response.status_code for response in (first, second, descendant, end)] == [200, 200, 200, 400]
    assert end.json()["error"] == "invalid_grant"


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
