"""AI clients that run in a page of another origin, and apps that the consent page redirects to."""

import json
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.async_api import Page

from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Person
from tests.support.cast import Cast
from tests.support.chromium import Complaints
from tests.support.host_pages import HostPage, HostSite
from tests.support.mcp import headers_of, message
from tests.support.oauth import Request, begin_session, member

FORM = "application/x-www-form-urlencoded"
# A request from a page, with the response headers that scripts can read.
FETCH = """async ([url, options]) => {
  const response = await fetch(url, options);
  return {
    status: response.status, body: await response.json(),
    challenge: response.headers.get("WWW-Authenticate"), limit: response.headers.get("RateLimit"),
  };
}"""


async def fetch(page: Page, url: str, body: Any = None, **headers: str) -> Any:
    if body is None:
        return await page.evaluate(FETCH, [url, {"headers": headers}])
    return await page.evaluate(FETCH, [url, {"method": "POST", "body": body, "headers": headers}])


async def list_tools(page: Page, server: str, **headers: str) -> Any:
    body = message("tools/list")
    headers |= headers_of(body) | {"Content-Type": "application/json"}
    return await fetch(page, f"{server}/mcp/admin", json.dumps(body), **headers)


async def register(page: Page, server: str, redirect_uri: str) -> str:
    body = json.dumps({"client_name": "Inspector", "redirect_uris": [redirect_uri]})
    answer = await fetch(page, f"{server}/oauth/register", body, **{"Content-Type": "application/json"})
    assert answer["status"] == 201
    client_id: str = answer["body"]["client_id"]
    return client_id


@pytest.fixture
async def person(page: Page, server: str, cast: Cast, owner: Tx) -> Person:
    """A person who is signed in to this test's browser."""
    person = await member(owner, cast.acme)
    token = await begin_session(owner, person)
    await page.context.add_cookies([{"name": "instep-session", "value": token, "url": server}])
    return person


async def allow(page: Page, server: str, request: Request) -> str:
    """Open the consent page, allow the app, and return the URL of the redirect."""
    await page.goto(f"{server}{request.path(resource=None)}")
    async with page.expect_response(lambda answer: answer.request.method == "POST") as led:
        await page.get_by_role("button", name="Allow").click()
    response = await led.value
    assert response.status == 303
    return str(response.headers["location"])


async def test_a_page_of_another_origin_connects_and_works_without_cookies(
    page: Page, complaints: Complaints, server: str, hosts: HostSite, person: Person
) -> None:
    home = hosts.add(HostPage("A client in a browser"))
    await page.goto(home)

    refusal = await list_tools(page, server)
    metadata = await fetch(
        page, f"{server}/.well-known/oauth-authorization-server", **{"MCP-Protocol-Version": "2025-11-25"}
    )
    request = Request(await register(page, server, home), home)
    code = parse_qs(urlsplit(await allow(page, server, request)).query)["code"][0]
    await page.goto(home)
    form = urlencode(request.redemption(code, resource=None))
    tokens = await fetch(page, metadata["body"]["token_endpoint"], form, **{"Content-Type": FORM})
    tools = await list_tools(page, server, Authorization=f"Bearer {tokens['body']['access_token']}")

    # The person's session gives no access there.
    assert refusal["status"] == 401
    assert "resource_metadata=" in refusal["challenge"]
    assert tools["status"] == 200
    assert tools["limit"] is not None
    assert any(tool["name"] == "search_articles" for tool in tools["body"]["result"]["tools"])
    assert complaints.policy_violations == []


async def test_a_page_of_consent_leads_to_an_app_by_its_own_scheme(
    page: Page, complaints: Complaints, server: str, hosts: HostSite, person: Person
) -> None:
    uri = "cursor://anysphere.cursor-mcp/oauth/callback"
    await page.goto(hosts.add(HostPage("A client")))
    request = Request(await register(page, server, uri), uri)

    location = await allow(page, server, request)
    # Before the browser answers this, it has followed the redirect or reported why it did not.
    await page.evaluate("() => new Promise(requestAnimationFrame)")

    assert location.startswith(f"{uri}?code=isc_")
    assert complaints.policy_violations == []
