"""Changes of an original, shown next to its translation."""

import html
import re

import pytest
from playwright.async_api import Page, expect

from instep.platform.core.database import Database, Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Client
from tests.support.chromium import Complaints
from tests.support.http import create_article, created, ok
from tests.support.places import waiting
from tests.support.translations import (
    GERMAN_WAIT,
    ROOT,
    WAIT,
    WAIT_LONGER,
    change_root,
    follow,
    is_outdated,
    publish_pair,
    run_translations,
)


@pytest.mark.parametrize("width", [390, 1440])
async def test_a_changed_original_is_reviewed_next_to_the_translation(
    signed_in_tab: Page, client: Client, database: Database, owner: Tx, complaints: Complaints, width: int
) -> None:
    root, _ = await publish_pair(client)
    await change_root(client, root, WAIT, f"{WAIT_LONGER} <b>Really.</b>")
    await follow(database, owner)
    await signed_in_tab.set_viewport_size({"width": width, "height": 900})
    await signed_in_tab.goto("/app/")
    await signed_in_tab.locator(f'a[href$="{(await waiting(client))[0]["id"]}"]').first.click()

    row = signed_in_tab.locator(".root-changes tbody tr")
    await expect(row).to_have_count(1)
    original, present = row.locator("td").nth(0), row.locator("td").nth(1)
    assert [await cell.get_attribute("lang") for cell in (original, present)] == ["en", "de"]
    await expect(original.locator("ins").first).to_contain_text("10")
    await expect(original.locator("del").first).to_contain_text("5")
    await expect(original).to_contain_text("<b>Really.</b>")
    await expect(present).to_contain_text(GERMAN_WAIT)
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await signed_in_tab.evaluate(wide)

    await signed_in_tab.get_by_role("link", name="Write").click()
    await expect(signed_in_tab.get_by_role("textbox", name="Text", exact=True)).to_be_visible()
    await signed_in_tab.go_back()
    await signed_in_tab.get_by_role("button", name="Already covered").click()
    await expect(signed_in_tab.get_by_text("in “Exporte”")).to_be_visible()
    assert not await is_outdated(client, root)
    assert complaints.lines == []


async def test_a_place_whose_translation_is_up_to_date_again_says_so(
    desk: Desk, client: Client, database: Database, owner: Tx
) -> None:
    root, translation = await publish_pair(client)
    await change_root(client, root, WAIT, WAIT_LONGER)
    await follow(database, owner)
    [place] = await waiting(client)
    await change_root(client, translation, GERMAN_WAIT, "Warten Sie 10 Minuten.")
    assert "up to date with the original" in (await desk.get(f"review/{place['id']}")).text


async def test_the_languages_of_all_articles_are_on_one_page_with_their_ages(
    desk: Desk, client: Client, database: Database, owner: Tx
) -> None:
    assert "All articles have one language" in (await desk.get("articles/languages")).text
    root, translation = await publish_pair(client)
    lone = await create_article(client, "Imports")
    text = html.unescape((await desk.get("articles/languages")).text)
    assert re.sub(r"\s+", " ", text).count("1 up to date, 1 missing") == 1
    assert f"articles/new?translation-of={lone['id']}&locale=de" in text

    await change_root(client, root, WAIT, WAIT_LONGER)
    await follow(database, owner)
    await owner.execute(
        "update revisions set created_at = created_at - interval '3 days' where article_id = %(id)s",
        id=root["id"],
    )
    text = html.unescape((await desk.get("articles/languages")).text)
    assert "since 3 days" in text
    assert f"translations?show={translation['id']}" in text
    assert "waits for review" in text
    assert "0 up to date, 1 outdated, 1 missing" in re.sub(r"\s+", " ", text)
    assert "Imports" in (await desk.get("articles/languages?collection=none")).text
    created(await client.post("/v1/product-versions", json={"slug": "1.x"}))
    ok(await client.patch(f"/v1/articles/{lone['id']}", json={"untilVersion": "1.x"}))
    assert re.search("Imports</bdi></a> <span[^>]*>Until 1.x<", (await desk.get("articles/languages")).text)


async def test_the_pages_show_the_cost_first_and_the_progress_after(
    desk: Desk, client: Client, database: Database
) -> None:
    root = await create_article(client, "Exports", contentMarkdown=ROOT)
    await client.post(f"/v1/articles/{root['id']}/publish")
    assert "1 article into" in (await desk.get("articles/translate?locale=fr")).text
    assert "Nothing is missing" in (await desk.get("articles/translate?locale=en")).text
    assert (await desk.get("articles/translate?locale=nonsense-in-a-field")).status_code == 400

    await desk.send("articles/translate?locale=fr", "articles/translate", locale="fr")
    assert "Being translated: 1 article into" in (await desk.get("articles/languages")).text
    await run_translations(database)
    assert "Being translated" not in (await desk.get("articles/languages")).text
