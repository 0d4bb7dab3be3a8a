"""A reader follows an article by email in Chromium, with and without scripts, and unsubscribes."""

import re

import pytest
from playwright.async_api import Browser, expect

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client, RunJobs
from tests.support.chromium import Complaints
from tests.support.mail_server import MailServer, text_of
from tests.support.site_pages import publish

LINK = re.compile(r"http://\S+/confirm\?token=\S+")
ANN = "ann@reader.example"


@pytest.mark.parametrize("has_scripts", [True, False])
async def test_from_the_article_to_the_email_and_back(
    server: str,
    chromium: Browser,
    complaints: Complaints,
    writer: Client,
    cast: Cast,
    owner: Tx,
    mail: MailServer,
    run_jobs: RunJobs,
    has_scripts: bool,
) -> None:
    await publish(writer, "Guide")
    async with await chromium.new_context(java_script_enabled=has_scripts) as profile:
        page = await profile.new_page()
        await complaints.watch(page)
        await page.goto(f"{server}/help/{cast.acme.slug}/articles/guide")
        await page.get_by_role("link", name="Follow").click()
        await page.get_by_label("Email").fill(ANN)
        # The form is refused at first because it was filled in too fast; a later click sends it.
        for _ in range(1_000):
            await page.get_by_role("button", name="Follow by email").click()
            if "sent=yes" in page.url:
                break
        await expect(page.get_by_role("heading", level=1)).to_have_text("Check your email")

        await run_jobs()
        [letter] = mail.to(ANN)
        [link] = LINK.findall(text_of(letter))
        await page.goto(link)
        await page.get_by_role("button", name="Confirm").click()
        await expect(page.get_by_role("status")).to_be_visible()
        await page.get_by_role("button", name="Unsubscribe from Guide").click()
        await expect(page.get_by_role("status")).to_contain_text(ANN)
    left = await owner.value(
        "select count(*) from subscriptions where workspace_id = %(id)s", id=cast.acme.workspace_id
    )

    assert left == 0
    # The browser logs that the first clicks were refused.
    assert [line for line in complaints.lines if "400" not in line] == []
