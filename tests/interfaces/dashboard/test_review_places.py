"""Places in the review: next to the drafts, with the context needed to write the text."""

import html
import re

import pytest
from playwright.async_api import Page, expect

from instep.platform.core.database import Database, Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.test_review_keys import Keyboard
from tests.interfaces.dashboard.test_review_queue_page import ROW, SOURCE
from tests.support.cast import Cast, Client, Json
from tests.support.chromium import Complaints
from tests.support.http import error
from tests.support.places import LABEL, REASON, TEXT, find_places, new_place, open_place, waiting
from tests.support.review_desk import TITLE, URL, Shelf


@pytest.fixture
async def place(client: Client, cast: Cast, database: Database) -> Json:
    return await open_place(client, database, cast.acme)


async def test_a_place_stands_with_the_drafts_of_its_change(
    desk: Desk, shelf: Shelf, client: Client, cast: Cast, database: Database
) -> None:
    draft = await shelf.edit("Upload limits")
    await find_places(client, database, cast.acme, new_place(draft["articleId"]), url=URL, title=TITLE)
    await shelf.gap()
    text = (await desk.get("review")).text

    assert ROW.findall(text) == ["Change the billing address", "Upload limits", "Upload limits"]
    assert SOURCE.findall(text) == ["Asked by visitors", "#482 Raise the upload limit to 50 MB"]
    assert "Needs writing" in text
    assert re.search(r"data-queue-count>1 of 3<", text) or ">3<" in text
    assert "Needs writing" in (await desk.get(f"review/{draft['id']}/source")).text


async def test_two_changes_that_ask_for_the_same_words_share_a_place(
    desk: Desk, client: Client, cast: Cast, database: Database, place: Json
) -> None:
    new, url = new_place(place["articleId"]), "https://git.test/acme/pull/8"
    for _ in range(2):
        second = await find_places(client, database, cast.acme, new, url=url)

    [only] = await waiting(client)
    text = (await desk.get(f"review/{only['id']}")).text

    assert (only["id"], only["source"]["url"], len(only["evidence"])) == (
        place["id"],
        url,
        1,
    )
    assert f'{place["taskId"]}">#7 Pause scheduled exports</a>' in text
    assert f'{second["id"]}">#8 Pause scheduled exports</a>' in text

    # The second change no longer needs the place, and the first one still does.
    await find_places(client, database, cast.acme, url=url, withdrawable=[place["articleId"]])

    assert [row["id"] for row in await waiting(client)] == [place["id"]]


async def test_the_queue_is_filtered_to_places_and_to_mine(
    desk: Desk, shelf: Shelf, client: Client, place: Json
) -> None:
    await shelf.edit("Upload limits")

    async def rows(query: str) -> list[str]:
        return ROW.findall((await desk.get(f"review?{query}")).text)

    assert await rows("type=place") == ["Exports"]
    assert await rows("type=edit") == ["Upload limits"]
    assert await rows("kind=pr") == ["Upload limits", "Exports"]
    assert await rows("certainty=certain") == ["Upload limits"]
    assert await rows("conflict=yes") == await rows("approved=yes") == await rows("mine=yes") == []

    answer = await desk.send(f"review/{place['id']}", f"places/{place['id']}/assign", person=desk.user.id)
    assert f"Assigned to {desk.user.email}." in (await desk.follow(answer)).text
    assert await rows("mine=yes") == ["Exports"]
    assert (await waiting(client))[0]["assignee"] == {"type": "person", "name": desk.user.email}

    await desk.send(f"review/{place['id']}", f"places/{place['id']}/assign", person="")
    assert await rows("mine=yes") == []


async def test_a_place_shows_article_section_reason_and_code(desk: Desk, place: Json) -> None:
    text = html.unescape((await desk.get(f"review/{place['id']}")).text)

    assert "<bdi>Schedule exports</bdi>”, line 5" in text
    for words in (REASON, LABEL, "app/export.html:2", "A scheduled export runs at night.", "Already covered"):
        assert words in text
    assert f'href="{desk.path("articles/" + place["articleId"])}/edit?place={place["id"]}"' in text


@pytest.mark.parametrize(
    ("act", "fields", "status", "words"),
    [
        ("resolve", {}, "resolved", "Resolved"),
        ("dismiss", {"reason": "not_needed"}, "dismissed", "Dismissed"),
        ("dismiss", {"comment": "Later."}, "dismissed", "Dismissed"),
    ],
)
async def test_a_place_is_settled_and_reopened(
    desk: Desk, client: Client, place: Json, act: str, fields: dict[str, str], status: str, words: str
) -> None:
    path = f"review/{place['id']}"
    after = await desk.follow(await desk.send(path, f"places/{place['id']}/{act}", **fields))
    assert words in after.text
    assert [row["id"] for row in await waiting(client, status=status)] == [place["id"]]

    page = await desk.get(path)
    assert f"{status.capitalize()}</strong> by {desk.user.email}" in page.text
    again = await desk.follow(await desk.send(path, f"places/{place['id']}/reopen"))
    assert "“Exports” is open again" in again.text
    assert len(await waiting(client)) == 1


async def test_second_decision_names_the_first_reviewer(desk: Desk, client: Client, place: Json) -> None:
    path = f"review/{place['id']}"
    page = (await desk.get(path)).text
    await client.post(f"/v1/places/{place['id']}/resolve")
    token = re.search(r'name="form-token" value="([^"]+)"', page)
    assert token is not None

    after = await desk.follow(await desk.post(f"places/{place['id']}/dismiss", {"form-token": token[1]}))

    assert "Nothing was changed: Acme writer already resolved “Exports”." in after.text


async def test_a_viewer_sees_places_and_settles_none(viewer: Desk, client: Client, place: Json) -> None:
    text = (await viewer.get(f"review/{place['id']}")).text
    assert REASON in html.unescape(text)
    assert "Already covered" not in text
    assert (await viewer.post(f"places/{place['id']}/resolve", {})).status_code == 403
    assert await waiting(client) == [place]


async def test_a_place_of_another_workspace_is_not_there(stranger: Desk, place: Json) -> None:
    assert (await stranger.get(f"review/{place['id']}")).status_code == 404


async def test_the_editor_opens_with_the_evidence_and_offers_to_resolve(
    desk: Desk, client: Client, place: Json
) -> None:
    path = f"articles/{place['articleId']}/edit"
    page = html.unescape((await desk.get(f"{path}?place={place['id']}")).text)
    for words in (REASON, LABEL, 'data-line="5"', f"places/{place['id']}/resolve"):
        assert words in page

    version = re.search(r'name="version" value="([^"]*)"', page)
    assert version is not None
    written = {
        "title": "Exports",
        "content": f"{TEXT}\nPress *Pause* to stop it.\n",
        "version": version[1],
        "place": place["id"],
    }
    saved = await desk.follow(await desk.send(f"{path}?place={place['id']}", path, act="save", **written))
    assert f"places/{place['id']}/resolve" in saved.text
    published = re.search(r'name="version" value="([^"]*)"', saved.text)
    assert published is not None
    answer = await desk.send(path, path, act="publish", **{**written, "version": published[1]})
    after = await desk.follow(answer)
    assert "Published." in after.text
    assert await waiting(client)


async def test_a_place_of_another_article_is_not_shown_in_the_editor(
    desk: Desk, shelf: Shelf, place: Json
) -> None:
    other = await shelf.write("Other")
    for name in (place["id"], "plc_nothing", "<b>"):
        page = await desk.get(f"articles/{other}/edit?place={name}")
        assert page.status_code == 200
        assert "Needs writing" not in page.text


async def test_the_line_follows_its_heading(desk: Desk, client: Client, place: Json) -> None:
    text = TEXT.replace("## Schedule", "More.\n\nAnd more.\n\n## Schedule")
    await client.patch(f"/v1/articles/{place['articleId']}", json={"contentMarkdown": text})

    page = await desk.get(f"articles/{place['articleId']}/edit?place={place['id']}")

    assert 'data-line="9"' in page.text


async def test_places_are_reviewed_with_keys(
    signed_in_tab: Page,
    shelf: Shelf,
    client: Client,
    cast: Cast,
    database: Database,
    owner: Tx,
    complaints: Complaints,
) -> None:
    await shelf.edit("Last")
    articles = [await shelf.write(title, TEXT) for title in ("Three", "Two", "One")]
    for article in articles:
        await find_places(client, database, cast.acme, new_place(article), url=f"https://git.test/{article}")
    await signed_in_tab.goto("/app/")
    keyboard = Keyboard(signed_in_tab)
    await keyboard.sees("One")
    await keyboard.press("c")
    await keyboard.sees("Two")
    await keyboard.press("d", "1")
    await keyboard.sees("Three")
    await expect(signed_in_tab.get_by_text("in “Two”")).to_be_visible()
    await keyboard.press("z")
    await keyboard.sees("Two")
    await keyboard.press("m")
    await expect(signed_in_tab.locator(".chip", has_text="assigned to")).to_be_visible()
    await keyboard.press("j")
    await keyboard.sees("Three")
    await keyboard.press("e")
    panel = signed_in_tab.get_by_role("region", name="Needs writing")
    await expect(panel).to_contain_text(LABEL)
    field = signed_in_tab.get_by_role("textbox", name="Text", exact=True)
    await expect(field).to_be_focused()
    await signed_in_tab.keyboard.press("End")
    await signed_in_tab.keyboard.type(" and pause")
    await expect(signed_in_tab.get_by_role("status").filter(has_text="Saved")).to_be_visible()
    await panel.get_by_role("button", name="Resolve").click()
    await expect(signed_in_tab.get_by_text("in “Three”")).to_be_visible()

    text = await owner.value("select working_markdown from articles where id = %(id)s", id=articles[0])
    assert "## Schedule exports and pause\n" in text
    assert [row["articleTitle"] for row in await waiting(client)] == ["Two"]
    assert len(await waiting(client, status="resolved")) == 2
    assert [line for line in complaints.lines if not line.endswith("net::ERR_ABORTED")] == []


async def test_a_phone_shows_the_list_and_then_the_place(
    signed_in_tab: Page, client: Client, cast: Cast, database: Database
) -> None:
    await open_place(client, database, cast.acme)
    await signed_in_tab.set_viewport_size({"width": 390, "height": 844})
    await signed_in_tab.goto("/app/")
    await expect(signed_in_tab.get_by_role("article")).to_be_hidden()
    await signed_in_tab.get_by_role("link", name="Exports Needs writing").click()

    await expect(signed_in_tab.get_by_role("heading", level=1)).to_have_text("Exports")
    await expect(signed_in_tab.get_by_role("link", name="Write")).to_be_in_viewport()
    await expect(signed_in_tab.get_by_role("button", name="Already covered")).to_be_in_viewport()
    assert await signed_in_tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_an_id_that_no_place_has_is_not_found(desk: Desk, client: Client) -> None:
    assert (await desk.get("review/plc_nothing")).status_code == 404
    assert error(await client.get("/v1/places/plc_nothing")) == (404, "not_found")
