"""Connect GitHub: from the button to a draft in the queue, in Chromium, typing nothing but a password."""

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from fastapi import FastAPI
from playwright.async_api import Browser as Chromium
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from instep.platform.core.database import Tx
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client
from tests.support.changes import write_articles
from tests.support.chromium import Complaints
from tests.support.connected_repositories import LOOPBACK
from tests.support.git_server import TEXT, GitServer, changed_code
from tests.support.github_double import HOOK_SECRET, TOKEN, GitHubDouble, github
from tests.support.installation import Installation, installed
from tests.support.limits import SetSetting
from tests.support.sign_in import Browser, sign_up

PATH = "settings/repositories"


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[Installation]:
    """A server with jobs. It ends with this file because it would run the jobs of other tests."""
    with installed(INSTEP_DATABASE_URL=database_url, INSTEP_WEBHOOK_ALLOW="127.0.0.0/8") as installation:
        installation.serve()
        yield installation


@pytest.fixture
def host() -> Iterator[GitHubDouble]:
    with github() as double:
        yield double


@pytest.fixture
async def owner_tab(
    system_chromium: Chromium, server: Installation, owner: Tx, cast: Cast, complaints: Complaints
) -> Tab:
    """A page of an owner of Acme who has signed in."""
    user = await sign_up(owner, cast.acme.workspace_id)
    await owner.execute("delete from rate_windows")
    async with httpx2.AsyncClient(base_url=server.url) as client:
        assert (await Browser(client).sign_in(user.email)).status_code == 303
        cookies = [(cookie.name, cookie.value or "") for cookie in client.cookies.jar]
    profile = await system_chromium.new_context(reduced_motion="reduce", base_url=server.url)
    await profile.add_cookies([{"name": name, "value": value, "url": server.url} for name, value in cookies])
    tab = await profile.new_page()
    await complaints.watch(tab)
    return tab


async def deliver(server: Installation, host: GitHubDouble, action: str) -> int:
    hook = host.apps["the-code"]["hook_attributes"]["url"]
    assert hook.startswith(f"{server.url}/hooks/github/")
    delivery = host.delivery(action)
    async with httpx2.AsyncClient() as client:
        answer = await client.post(hook, content=delivery.body, headers=delivery.headers(HOOK_SECRET))
    return answer.status_code


async def test_from_connect_to_a_draft_in_the_queue(
    owner_tab: Tab,
    server: Installation,
    client: Client,
    cast: Cast,
    host: GitHubDouble,
    complaints: Complaints,
    owner: Tx,
    tmp_path: Path,
) -> None:
    await write_articles(client)
    article = await client.post("/v1/articles", json={"title": "Clean up", "contentMarkdown": TEXT})
    assert article.status_code == 201
    host.git = GitServer(changed_code(tmp_path / "app").folder / ".git", f"x-access-token:{TOKEN}").answer
    began = time.monotonic()
    await owner_tab.goto(f"/app/{cast.acme.slug}/{PATH}")
    await owner_tab.get_by_text("GitHub Enterprise Server").click()
    await owner_tab.get_by_label("Address").first.fill(host.url)
    await owner_tab.get_by_role("button", name="Connect GitHub").click()
    await owner_tab.get_by_role("button", name="Continue on GitHub").click()
    await owner_tab.get_by_role("link", name="Create GitHub App for octocat").click()
    await owner_tab.get_by_role("link", name="Install").click()
    await expect(owner_tab.get_by_label("acme/app")).to_be_checked()
    await owner_tab.get_by_role("button", name="Connect", exact=True).click()
    await expect(owner_tab.get_by_role("list", name="Repositories")).to_contain_text("acme/app")

    # Get started shows the result of the check, which ran without being requested.
    await owner_tab.goto(f"/app/{cast.acme.slug}/get-started")
    check = owner_tab.get_by_role("group", name="Check: acme/app")
    await expect(check).to_contain_text("2 statements in 1 article are no longer true", timeout=60_000)
    await check.get_by_role("link", name="Review").click()
    await expect(owner_tab.get_by_role("list", name="Drafts")).to_contain_text("Clean up")
    drafts = await owner.value("select count(*) from drafts where bot_id = %(bot)s", bot=cast.acme.bot_id)

    host.open()
    host.merge()
    assert await deliver(server, host, "closed") == 202
    async with asyncio.timeout(60):
        while drafts == await owner.value(
            "select count(*) from drafts where bot_id = %(bot)s", bot=cast.acme.bot_id
        ):
            await asyncio.sleep(0.2)
    await owner_tab.goto(f"/app/{cast.acme.slug}/review")
    await expect(owner_tab.get_by_role("list", name="Drafts")).to_contain_text("Settings")
    took = time.monotonic() - began

    await owner_tab.goto(f"/app/{cast.acme.slug}/{PATH}")
    await expect(owner_tab.get_by_role("link", name="See the task")).to_be_visible()
    await owner.execute("delete from repositories")
    assert took < 120
    assert complaints.lines == []


async def test_the_manifest_asks_to_read_code_and_to_write_reviews(
    desk: Desk, host: GitHubDouble, set_setting: SetSetting
) -> None:
    set_setting(*LOOPBACK)
    page = await desk.send(PATH, f"{PATH}/github", github_url=host.url, organization="acme")

    assert f'action="{host.url}/organizations/acme/settings/apps/new?state=' in page.text
    assert f"form-action 'self' {host.url};" in page.headers["Content-Security-Policy"]
    assert "&#34;contents&#34;: &#34;read&#34;" in page.text
    permissions = page.text.partition("default_permissions")[2].partition("}")[0]
    assert re.findall(r"(\w+)&#34;: &#34;write", permissions) == ["pull_requests", "checks"]
    assert (await desk.send(PATH, f"{PATH}/github", organization="no name")).status_code == 400


@pytest.mark.parametrize("who", ["another person", "a made-up state", "the same again"])
async def test_an_answer_of_github_counts_once_for_the_person_who_asked(
    app: FastAPI, desk: Desk, editor: Desk, host: GitHubDouble, set_setting: SetSetting, owner: Tx, who: str
) -> None:
    set_setting(*LOOPBACK)
    app.state.outbound = OutboundClient(read_allow_list("127.0.0.0/8"))
    page = await desk.send(PATH, f"{PATH}/github", github_url=host.url)
    state = re.search(r"state=([\w-]+)", page.text)
    assert state is not None
    host.apps["the-code"] = {}
    address = f"{PATH}/github?code=the-code&state={state[1]}"
    await owner.execute("update memberships set role = 'owner' where person_id = %(id)s", id=editor.user.id)
    if who == "another person":
        answer = await editor.get(address)
    elif who == "a made-up state":
        answer = await desk.get(f"{PATH}/github?code=the-code&state=made-up")
    else:
        first = await desk.get(address)
        assert first.status_code == 303
        assert urlsplit(first.headers["Location"]).path == "/github-apps/instep-acme/installations/new"
        answer = await desk.get(address)
    await app.state.outbound.aclose()
    app.state.outbound = None

    assert answer.status_code == 400
    assert HOOK_SECRET not in answer.text
    count = "select count(*) from code_hosts where workspace_id = %(id)s"
    assert await owner.value(count, id=desk.user.workspace_id) == (who == "the same again")
