"""Settings → Repositories: an owner connects a repository and sees the state of its pull requests."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidValue
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import worker_of
from instep.transfer.repositories import actions
from instep.transfer.repositories.schemas import RepositoryFields
from tests.interfaces.dashboard.conftest import Desk
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client
from tests.support.changes import write_articles
from tests.support.chromium import Complaints
from tests.support.connected_repositories import LOOPBACK, store_repository, tasks_of
from tests.support.git_server import TEXT, GitServer, changed_code
from tests.support.github_double import TOKEN, GitHubDouble, github
from tests.support.http import Response, created, ok
from tests.support.limits import SetSetting
from tests.support.site_pages import Page
from tests.support.synced_repository import FOLDER, Repository, page

PATH = "settings/repositories"
FORM = {"host": "github", "repository": "acme/app", "token": TOKEN, "moment": "merged"}


@pytest.fixture
def host() -> Iterator[GitHubDouble]:
    with github() as double:
        yield double


@pytest.fixture(autouse=True)
async def outbound(app: FastAPI, set_setting: SetSetting) -> AsyncIterator[OutboundClient]:
    set_setting(*LOOPBACK)
    client = app.state.outbound = OutboundClient(read_allow_list("127.0.0.0/8"))
    yield client
    await client.aclose()
    app.state.outbound = None


async def connect(desk: Desk, double: GitHubDouble, **fields: str) -> Response:
    return await desk.send(PATH, PATH, **{**FORM, "url": double.url, **fields})


async def test_a_repository_is_connected_delivers_and_is_removed(
    desk: Desk,
    api: Api,
    client: Client,
    cast: Cast,
    database: Database,
    host: GitHubDouble,
    outbound: OutboundClient,
) -> None:
    await write_articles(client)
    answer = await connect(desk, host, paths="src\n\n /lib/ ")
    page = await desk.follow(answer)
    secret = re.search(r'id="secret"[^>]*value="([0-9a-f]{64})"', page.text)
    hook = re.search(r"http://help\.test(/hooks/github/host_\w+)", page.text)
    assert secret is not None
    assert hook is not None
    assert TOKEN not in page.text
    assert "src\nlib</textarea>" in page.text

    host.open()
    host.merge()
    delivery = host.delivery("closed")
    answer = await api(None).post(hook[1], content=delivery.body, headers=delivery.headers(secret[1]))
    assert answer.status_code == 202
    await worker_of(database, outbound).run_due()

    [task] = await tasks_of(client)
    below = f"{PATH}/{page.url.path.rpartition('/')[2]}"
    shown = await desk.get(below)
    assert f"/tasks/{task['id']}" in shown.text
    assert secret[1] not in shown.text
    assert "sent" in Page((await desk.get(PATH)).text).text

    sent = {"moment": "opened", "branch": "next", "comments": "yes", "status_mode": "required"}
    assert (await desk.send(below, below, **sent)).status_code == 303
    saved = (await desk.get(below)).text
    for value in ("opened", "required"):
        assert f'value="{value}" checked' in saved
    assert re.search(r'name="comments"[^>]*checked', saved)
    assert (await desk.send(below, below, moment="opened")).status_code == 303
    assert not re.search(r'name="comments"[^>]*checked', (await desk.get(below)).text)
    await desk.follow(await desk.send(below, f"{below}/remove"))
    assert (await desk.get(below)).status_code == 404
    answer = await api(None).post(hook[1], content=delivery.body, headers=delivery.headers(secret[1]))
    assert answer.status_code == 401


async def test_an_owner_names_the_members_whom_people_at_the_host_are(desk: Desk, host: GitHubDouble) -> None:
    page = (await connect(desk, host)).headers["Location"].partition(f"/app/{desk.slug}/")[2]
    people = f"{page}/people"
    for fields in ({"login": "octo cat", "member": desk.user.id}, {"login": "octocat", "member": "per_x"}):
        assert (await desk.send(page, people, **fields)).status_code == 400
    shown = await desk.follow(await desk.send(page, people, login="@Octocat", member=desk.user.id))

    assert 'name="login" value="octocat"' in shown.text
    shown = await desk.follow(await desk.send(page, f"{people}/remove", login="octocat"))
    assert "octocat" not in shown.text
    await desk.send(page, f"{page}/remove")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"token": "wrong"}, "does not accept the token"),
        ({"token": "two words"}, "without spaces"),
        ({"repository": "acme/other"}, "no longer exists"),
        ({"repository": "acme/../../user"}, "such as acme/app"),
        ({"host": "sourceforge"}, "must be one of"),
        ({"url": "http://10.0.0.1"}, "INSTEP_WEBHOOK_ALLOW"),
        ({"url": "http://127.0.0.1:65001"}, "reached"),
    ],
)
async def test_refused_connection_shows_its_reason_and_keeps_the_form(
    desk: Desk, host: GitHubDouble, fields: dict[str, str], words: str
) -> None:
    refused = await connect(desk, host, branch="next", **fields)

    assert refused.status_code == 400
    assert words in Page(refused.text).text
    assert 'value="next"' in refused.text
    assert TOKEN not in refused.text


async def test_the_same_repository_is_connected_once(desk: Desk, host: GitHubDouble) -> None:
    page = (await connect(desk, host)).headers["Location"].partition(f"/app/{desk.slug}/")[2]
    refused = await connect(desk, host)
    await desk.send(page, f"{page}/remove")
    assert refused.status_code == 400
    assert "acme/app is already connected" in Page(refused.text).text


async def test_the_check_for_drift_and_its_result_are_on_each_page(
    desk: Desk,
    editor: Desk,
    viewer: Desk,
    client: Client,
    database: Database,
    host: GitHubDouble,
    outbound: OutboundClient,
    set_setting: SetSetting,
    tmp_path: Path,
) -> None:
    set_setting("INSTEP_DATA_DIR", str(tmp_path / "data"))
    created(await client.post("/v1/articles", json={"title": "Clean up", "contentMarkdown": TEXT}))
    page = await desk.follow(await connect(desk, host))
    assert 'hx-trigger="every 2s"' in page.text
    repository_id = page.url.path.rpartition("/")[2]
    below = f"{PATH}/{repository_id}"
    await worker_of(database, outbound).run_due()
    assert "repository does not exist" in Page((await desk.get(below)).text).text

    host.git = GitServer(changed_code(tmp_path / "app").folder / ".git", f"x-access-token:{TOKEN}").answer
    assert (await viewer.send("health", "health/checks", id=repository_id)).status_code == 403
    await editor.send("health?by=drift", "health/checks", id=repository_id)
    part = await editor.get(f"health/checks?repository={repository_id}")
    assert "HX-Refresh" not in part.headers
    await worker_of(database, outbound).run_due()

    for shown in (below, "health?by=drift", "get-started"):
        text = Page((await desk.get(shown)).text).text
        assert "2 statements in 1 article are no longer true" in text
    assert "2 wrong" in Page((await desk.get(PATH)).text).text
    assert "HX-Refresh" not in (await desk.get(f"health/checks?repository={repository_id}")).headers
    assert (await desk.get("health/checks?reloads=yes")).headers["HX-Refresh"] == "true"
    for kind in ("drafts", "places"):
        [row] = ok(await client.get(f"/v1/{kind}"))["results"]
        ok(await client.post(f"/v1/{kind}/{row['id']}/dismiss", json={"reason": "later"}))
    assert "Everything is reviewed" in Page((await desk.get(below)).text).text
    await desk.send(below, f"{below}/remove")


async def test_a_token_is_replaced(
    desk: Desk, client: Client, database: Database, host: GitHubDouble, outbound: OutboundClient
) -> None:
    page = await desk.follow(await connect(desk, host))
    below = f"{PATH}/{page.url.path.rpartition('/')[2]}"
    assert (await desk.send(below, f"{below}/token", token="a token")).status_code == 400
    assert (await desk.send(below, f"{below}/token", token="newer")).status_code == 303
    await desk.send(below, f"{below}/remove")


async def test_editors_see_no_repositories(editor: Desk) -> None:
    assert (await editor.get(PATH)).status_code == 403


async def test_in_a_browser_the_end_of_a_check_takes_neither_the_secret_nor_typed_text(
    signed_in_tab: Tab, host: GitHubDouble, owner: Tx, cast: Cast, development_server: str
) -> None:
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/{PATH}")
    form = tab.locator("section[aria-labelledby=token-title]")
    for label, value in (("Address", host.url), ("Repository", "acme/app"), ("Token", TOKEN)):
        await form.get_by_label(label, exact=True).fill(value)
    await form.get_by_role("button", name="Connect").click()
    await expect(tab.locator("#drift-checks")).to_contain_text("checking")
    secret = await tab.get_by_label("Secret").input_value()
    await tab.get_by_label("Branch").fill("next")
    repository_id = tab.url.rpartition("/")[2]
    await owner.execute(
        "update repositories set check_status = 'checked', checked_at = now(), checked_commit = %(commit)s"
        " where id = %(id)s",
        commit="f" * 40,
        id=repository_id,
    )

    await expect(tab.locator("#drift-checks")).to_contain_text("No article contradicts the code.")
    await expect(tab.get_by_label("Secret")).to_have_value(secret)
    await expect(tab.get_by_label("Branch")).to_have_value("next")
    async with tab.expect_navigation():
        await tab.locator("#drift-checks").get_by_role("button", name="Check for drift").click()


async def test_in_a_browser_approved_edits_are_committed_to_a_synced_folder(
    signed_in_tab: Tab, client: Client, database: Database, cast: Cast, complaints: Complaints
) -> None:
    repository_id = await store_repository(database, cast.acme)
    below = f"/app/{cast.acme.slug}/{PATH}/{repository_id}"
    await signed_in_tab.set_viewport_size({"width": 390, "height": 844})
    await signed_in_tab.goto(below)
    await expect(signed_in_tab.get_by_role("group", name="Approved edits")).to_have_count(0)

    docs = Repository(client)
    docs.write("a.md", page("A"))
    await docs.sync()
    await signed_in_tab.goto(below)
    choice = signed_in_tab.get_by_role("group", name="Approved edits").get_by_label(FOLDER)
    await choice.focus()
    await signed_in_tab.keyboard.press("Space")
    await signed_in_tab.get_by_role("button", name="Save", exact=True).click()
    await expect(choice).to_be_checked()

    assert await signed_in_tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints.lines == []
    async with acting(database, cast.acme) as ctx:
        assert (await actions.get_repository(ctx, repository_id)).docs_folder == FOLDER
        with pytest.raises(InvalidValue):
            await actions.change_repository(ctx, repository_id, RepositoryFields(docs_folder="elsewhere"))
        await actions.remove_repository(ctx, repository_id)
