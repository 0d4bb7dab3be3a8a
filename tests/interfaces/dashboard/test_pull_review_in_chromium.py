"""A pull request is reviewed at its host: an owner connects the repository, and no one opens the review."""

from collections.abc import AsyncIterator

import httpx2
import pytest
from playwright.async_api import Locator, Page, expect

from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from tests.support.cast import Cast, Client
from tests.support.changes import SETTINGS, publish
from tests.support.ci_servers import serving
from tests.support.connected_repositories import Connected
from tests.support.github_double import NAME, TOKEN
from tests.support.pull_page import GitHubPages
from tests.support.pull_reviews import SLOW, delivering, number_of

COMMENT, FAILING, NONE = "Write a comment", "A status that fails", "None"


@pytest.fixture
async def server_client(development_server: str) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(base_url=development_server) as client:
        yield client


async def connect(tab: Page, cast: Cast, host: GitHubPages) -> str:
    """Connect the repository in Settings; return its webhook secret."""
    await tab.goto(f"/app/{cast.acme.slug}/settings/repositories")
    form = tab.locator("form", has=tab.get_by_label("Token"))
    await form.get_by_label("Address").fill(host.url)
    await form.get_by_label("Repository").fill(NAME)
    await form.get_by_label("Token").fill(TOKEN)
    await form.get_by_label("As soon as it is opened").check()
    await expect(form.get_by_label(COMMENT)).to_be_checked()
    await form.get_by_role("button", name="Connect").click()
    return await tab.locator("#secret").input_value()


async def save(tab: Page, status: str, *, comments: bool) -> None:
    """Save the review fields on the repository's page, and check them after a reload."""
    await tab.get_by_label(COMMENT).set_checked(comments)
    await tab.get_by_label(status).check()
    await tab.get_by_role("button", name="Save", exact=True).click()
    await expect(tab.locator("#toasts")).to_contain_text("Saved")
    await tab.reload()
    await expect(tab.get_by_label(COMMENT)).to_be_checked(checked=comments)
    await expect(tab.get_by_label(status)).to_be_checked()


async def act(control: Locator) -> None:
    """Click a control that submits one of the code host's forms."""
    async with control.page.expect_navigation():
        await control.click()


async def test_a_draft_is_ticked_another_dismissed_and_the_merge_makes_it_live(
    signed_in_tab: Page,
    development_server: str,
    server_client: Client,
    database: Database,
    client: Client,
    owner: Tx,
    cast: Cast,
) -> None:
    tab, host = signed_in_tab, GitHubPages()
    outbound = OutboundClient(read_allow_list("127.0.0.0/8"))
    with serving(host.reply) as host.url:
        secret = await connect(tab, cast, host)
        below = tab.url
        await save(tab, NONE, comments=False)
        await save(tab, FAILING, comments=True)
        hook_path = (await tab.locator("dd code").first.inner_text()).partition("/hooks/")[2]
        repository_id = below.rpartition("/")[2].partition("?")[0]
        repository = Connected(database, outbound, cast.acme, repository_id, f"/hooks/{hook_path}", secret)
        deliver = delivering(server_client, owner, host, repository)

        await publish(client, "Settings", SETTINGS)
        await publish(client, "Slow networks", SLOW)
        host.open()
        await deliver(host.delivery("opened"))
        await tab.goto(f"{host.url}/{NAME}/pull/7")
        await expect(tab.get_by_role("status")).to_have_text("failure")
        await act(tab.get_by_role("checkbox", name="Settings"))
        await deliver(host.deliveries.pop())
        await tab.get_by_label("Comment").fill(
            f"/instep dismiss {number_of(host, 'Slow networks')} not needed"
        )
        await act(tab.get_by_role("button", name="Send"))
        await deliver(host.deliveries.pop())
        await tab.reload()
        await expect(tab.get_by_role("status")).to_have_text("success")
        await expect(tab.get_by_role("checkbox", name="Settings")).to_be_checked()
        await act(tab.get_by_role("button", name="Merge"))
        await deliver(host.deliveries.pop())

        for title, name in (("Settings", "ACME_REQUEST_TIMEOUT"), ("Slow networks", "ACME_TIMEOUT")):
            await tab.goto(
                f"{development_server}/help/{cast.acme.slug}/articles/{title.lower().replace(' ', '-')}"
            )
            await expect(tab.get_by_role("main")).to_contain_text(name)
        await tab.goto(f"{host.url}/{NAME}/pull/7")
        await expect(tab.get_by_role("status")).to_have_text("success")
        await expect(tab.get_by_role("checkbox")).to_have_count(0)
        await tab.goto(below)
        await tab.get_by_role("button", name="Remove", exact=True).click()
        await tab.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
        await expect(tab.locator("#toasts")).to_contain_text("Removed")
    await outbound.aclose()
