"""Features of the editor: formatting, tables, links, pictures, preview, keyboard shortcuts."""

import asyncio
import base64
import re

import pytest
from playwright.async_api import Page, Request, Route, expect

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client, Json
from tests.support.chromium import Complaints
from tests.support.dashboard_writer import Writer, sign_in_elsewhere
from tests.support.file_samples import picture
from tests.support.http import create_article, created, ok
from tests.support.sign_in import sign_up

SAVED = re.compile(r"^Saved \d\d:\d\d$")
WORD = """<h1>Export</h1>
<p style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·<span>&nbsp; </span></span>Open
<b>Settings</b></p>
<p style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o<span>&nbsp; </span></span>Press
<a href="https://example.com/save">Save</a> <a href="javascript:alert(1)">now</a></p>
<table><tr><td><p>Plan</p></td><td><p>Seats</p></td></tr></table>
"""
DOCS = """<b style="font-weight:normal;">
<h1><span style="white-space:pre;white-space:pre-wrap;">Export</span></h1>
<ul><li><p><span>Open </span><span style="font-weight:700">Settings</span></p></li>
<ul><li><p>Press <a href="https://example.com/save"><span>Save</span></a> now</p></li></ul></ul>
<table><tbody><tr><td><p>Plan</p></td><td><p>Seats</p></td></tr></tbody></table></b>"""
AS_MARKDOWN = """\
## Export

- Open **Settings**
  - Press [Save](https://example.com/save) now

| Plan | Seats |
| --- | --- |"""
MIXED = "# One\r\n\r\n* two\n+ three   \r\nfour  \n\n| a |\n|-|\n"


@pytest.fixture
async def writer(
    signed_in_tab: Page, development_server: str, client: Client, cast: Cast, complaints: Complaints
) -> Writer:
    """An owner of Acme in the editor of an empty article."""
    article = await create_article(client, "Begin", contentMarkdown="")
    writer = Writer(signed_in_tab, f"{development_server}/app/{cast.acme.slug}/articles/{article['id']}/edit")
    complaints.lines.clear()
    await writer.open()
    return writer


async def article_of(client: Client, slug: str) -> Json:
    return ok(await client.get(f"/v1/articles/{slug}"))


async def test_the_editor_writes_what_is_typed_and_nothing_else(
    writer: Writer, development_server: str, client: Client, cast: Cast, complaints: Complaints
) -> None:
    article = await create_article(client, contentMarkdown=MIXED)
    page = writer.page
    await page.goto(f"{development_server}/app/{cast.acme.slug}/articles/{article['id']}/edit")
    await writer.surface.focus()
    await page.keyboard.press("Control+s")
    await expect(writer.state).to_have_text(SAVED)
    assert await article_of(client, "install") == article

    await page.keyboard.press("Control+End")
    await page.keyboard.type("end")
    async with page.expect_response(lambda answer: answer.url.endswith("/edit") and answer.ok):
        await page.keyboard.press("Control+s")
    assert (await article_of(client, "install"))["contentMarkdown"] == MIXED + "end"
    assert complaints.lines == []


async def test_buttons_and_keys_format_the_selection(writer: Writer) -> None:
    page = writer.page
    await writer.type("word")
    await page.keyboard.press("Control+b")
    assert await writer.text() == "**word**"
    await page.keyboard.press("Control+b")
    assert await writer.text() == "word"
    for name, text in (
        ("Italic", "*word*"),
        ("Italic", "word"),
        ("Code", "`word`"),
        ("Code", "word"),
        ("Heading", "## word"),
        ("Heading", "### word"),
        ("Heading", "#### word"),
        ("Heading", "word"),
        ("Bulleted list", "- word"),
        ("Numbered list", "1. word"),
        ("Numbered list", "word"),
    ):
        await page.get_by_role("button", name=name, exact=True).click()
        assert await writer.text() == text


async def test_a_list_goes_on_with_the_next_line(writer: Writer) -> None:
    await writer.type("1. one\ntwo\n")
    assert await writer.text() == "1. one\n2. two\n3. "
    await writer.page.keyboard.press("Enter")
    assert (await writer.text()).rstrip() == "1. one\n2. two"


async def test_blocks_are_offered_after_a_slash(writer: Writer) -> None:
    await writer.type("/warn")
    await expect(writer.offers).to_have_text(["Warning> [!WARNING]"])
    await writer.page.keyboard.press("Enter")
    await writer.type("Beware.")
    assert (await writer.text()).rstrip() == "> [!WARNING]\n> Beware."


async def test_the_mark_of_an_alert_is_no_link_in_the_text(writer: Writer) -> None:
    await writer.surface.focus()
    await writer.page.keyboard.type("> [!NOTE]")
    await writer.page.keyboard.press("ArrowDown")
    link = writer.surface.locator(".md-link")
    await expect(link).to_have_count(0)

    await writer.page.keyboard.type(" [People](people)")

    await expect(link).to_have_text("People")


async def test_links_to_own_articles_complete_themselves(writer: Writer, client: Client, cast: Cast) -> None:
    await create_article(client, "Install the agent")
    await writer.type("See [inst")
    await expect(writer.offers).to_contain_text(["Install the agent"])
    await writer.page.keyboard.press("Enter")
    link = f"[Install the agent](/help/{cast.acme.slug}/articles/install-the-agent)"
    assert await writer.text() == f"See {link}"


async def test_parts_complete_themselves_after_two_braces_and_from_the_list_of_blocks(
    writer: Writer, client: Client
) -> None:
    created(await client.post("/v1/parts", json={"name": "billing-note", "text": "Invoices come by email."}))
    await writer.type("See {{bill")
    await expect(writer.offers).to_have_text(["part.billing-noteInvoices come by email."])
    await writer.page.keyboard.press("Enter")
    await writer.type(" too.\n\n/part or")
    await expect(writer.offers).to_have_count(1)
    await writer.page.keyboard.press("Enter")
    await expect(writer.offers).to_contain_text(["part.billing-note"])
    await writer.page.keyboard.press("Enter")

    assert await writer.text() == "See {{part.billing-note}} too.\n\n{{part.billing-note}}"


async def test_a_table_grows_and_shrinks_by_rows_and_columns(writer: Writer) -> None:
    page = writer.page
    await page.get_by_role("button", name="Table", exact=True).click()
    await page.keyboard.type("A")
    await page.keyboard.press("Tab")
    await page.keyboard.type("B")
    await page.keyboard.press("Tab")
    await page.keyboard.type("1")
    assert await writer.text() == "| A | B |\n| --- | --- |\n| 1 |  |\n"

    await page.get_by_role("button", name="Add a row").click()
    await page.keyboard.type("2")
    await page.get_by_role("button", name="Align the column").click()
    await page.get_by_role("button", name="Add a column").click()
    assert (await writer.text()).splitlines() == [
        *("| A |  | B |", "| :-- | --- | --- |", "| 1 |  |  |", "| 2 |  |  |")
    ]

    await page.get_by_role("button", name="Delete the column").click()
    assert (await writer.text()).splitlines() == ["|  | B |", "| --- | --- |", "|  |  |", "|  |  |"]
    await page.keyboard.press("Control+z")
    await page.get_by_role("button", name="Delete the row").click()
    assert (await writer.text()).splitlines()[2:] == ["| 1 |  |  |"]


async def test_a_pasted_picture_is_uploaded_and_waits_for_its_description(
    writer: Writer, client: Client
) -> None:
    await writer.type("One line.\nBefore.\n\nAfter.")
    for key in ("ArrowUp", "ArrowUp", "Home"):
        await writer.page.keyboard.press(key)
    await paste(writer.page, "shot.png", "image/png", picture(width=2, height=3))

    await expect(writer.page.locator("#upload-line")).to_contain_text("Describe the image")
    [file] = ok(await client.get("/v1/files"))["results"]
    await writer.page.keyboard.type("A red square")
    path = file["url"].removeprefix("http://help.test")
    # The picture is its own block, below the paragraph with the cursor.
    assert await writer.text() == f"One line.\nBefore.\n\n![A red square]({path})\n\nAfter."
    await expect(writer.page.locator("#preview-text img")).to_have_attribute("width", "2")


async def test_a_picture_is_uploaded_after_its_person_has_signed_in_again_elsewhere(
    writer: Writer, development_server: str, client: Client
) -> None:
    await sign_in_elsewhere(writer.page, development_server, await writer.email())
    await paste(writer.page, "shot.png", "image/png", picture(width=2, height=3))

    await expect(writer.page.locator("#upload-line")).to_contain_text("Describe the image")
    assert len(ok(await client.get("/v1/files"))["results"]) == 1


async def test_a_picture_is_not_uploaded_for_someone_else(
    writer: Writer, development_server: str, owner: Tx, cast: Cast
) -> None:
    other = await sign_up(owner, cast.acme.workspace_id)
    await sign_in_elsewhere(writer.page, development_server, other.email)
    await paste(writer.page, "shot.png", "image/png", picture(width=2, height=3))

    await expect(writer.page.locator("#upload-line")).to_have_text(
        "shot.png was not added. Someone else is signed in in this browser: sign in again."
    )


@pytest.mark.parametrize("html", [WORD, DOCS])
async def test_text_of_a_word_processor_becomes_markdown_until_it_is_undone(
    writer: Writer, html: str
) -> None:
    await writer.type("Before.")
    await paste_formatted(writer.page, html, "Export\n* Open Settings\n* Press Save\nPlan\tSeats")

    await expect(writer.surface).to_contain_text("Seats |")
    assert await writer.text() == f"Before.\n\n{AS_MARKDOWN}"
    await writer.page.keyboard.press("Control+z")
    assert await writer.text() == "Before.Export\n* Open Settings\n* Press Save\nPlan\tSeats"


async def test_code_and_what_someone_changes_meanwhile_stay_plain(writer: Writer) -> None:
    await writer.surface.focus()
    await paste_formatted(writer.page, "<div style='white-space: pre;'><b>## One</b> two</div>", "## One two")
    await writer.page.keyboard.press("Enter")
    pasted = asyncio.Event()

    async def answer_later(route: Route) -> None:
        await pasted.wait()
        await route.continue_()

    await writer.page.route("**/writing/pasted", answer_later)
    async with writer.page.expect_response("**/writing/pasted"):
        await paste_formatted(writer.page, "<b>three</b> four", "three four")
        await writer.page.keyboard.press("Backspace")
        pasted.set()

    assert await writer.text() == "## One two\nthree fou"


async def test_a_file_that_is_refused_is_told_and_leaves_no_trace(writer: Writer) -> None:
    await writer.type("Before. ")
    await paste(writer.page, "page.html", "text/html", b"<!doctype html><p>Hello")

    await expect(writer.page.locator("#upload-line")).to_contain_text("page.html was not added.")
    assert await writer.text() == "Before. "


async def test_the_preview_follows_and_clicks_lead_to_the_line(writer: Writer) -> None:
    page = writer.page
    await writer.type("# One\n\nTwo *words*.\n\nThree.\n")
    preview = page.locator("#preview-text")
    await expect(preview.locator("em")).to_have_text("words")

    await preview.get_by_text("Three.").click()
    await page.keyboard.type("Now three. ")
    assert "Now three. Three." in await writer.text()
    await expect(preview.locator(".is-current")).to_have_text("Now three. Three.")

    await page.context.set_offline(True)
    await page.keyboard.type("Four. ")
    await expect(writer.state).to_contain_text("Not saved: offline")
    await expect(preview.locator("em")).to_have_text("words")


async def test_the_preview_shows_tabs_and_opens_the_one_with_the_cursor(writer: Writer) -> None:
    page = writer.page
    await writer.surface.focus()
    await page.keyboard.insert_text("::::tabs\n:::tab[One]\nFirst.\n:::\n:::tab[Two]\nSecond.\n:::\n::::\n")
    preview = page.locator("#preview-text")

    await expect(preview.get_by_role("tab")).to_have_text(["One", "Two"])
    await page.keyboard.press("Control+Home")
    await expect(preview.get_by_role("tabpanel")).to_have_text(["First."], use_inner_text=True)
    await preview.get_by_role("tab", name="Two").click()
    await expect(preview.get_by_role("tabpanel")).to_have_text(["Second."], use_inner_text=True)


async def test_the_preview_opens_the_details_with_the_cursor(writer: Writer) -> None:
    page = writer.page
    await writer.surface.focus()
    await page.keyboard.insert_text(
        "Begin.\n\n<details><summary>More</summary>\n\nInside.\n\n</details>\n\nEnd."
    )
    inside = page.locator("#preview-text").get_by_text("Inside.")
    await expect(inside).to_be_hidden()

    for _ in range(4):
        await page.keyboard.press("ArrowUp")

    await expect(inside).to_be_visible()
    await expect(page.locator("#preview-text .is-current")).to_have_text("Inside.")


async def test_a_drawn_diagram_of_the_preview_stays_until_its_source_is_gone(writer: Writer) -> None:
    page = writer.page
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url) if "/diagram." in request.url else None)
    before = await count_listeners(page)
    await writer.surface.focus()
    await page.keyboard.insert_text("```mermaid\nflowchart LR\n  A[Write] --> B[Publish]\n```\n\n")
    drawing = page.frame_locator(".diagram iframe").get_by_text("Publish")
    await expect(drawing).to_be_visible()
    count = len(loads)

    await page.keyboard.type("Typed below.")
    await expect(page.locator("#preview-text p")).to_have_text("Typed below.")
    await expect(drawing).to_be_visible()
    assert len(loads) == count

    await page.keyboard.press("Control+a")
    await page.keyboard.type("No diagram.")
    await expect(page.locator(".diagram")).to_have_count(0)
    assert await count_listeners(page) == before


async def count_listeners(page: Page) -> int:
    """The number of `message` listeners on the window, as Chromium's developer tools report it."""
    tools = await page.context.new_cdp_session(page)
    window = await tools.send("Runtime.evaluate", {"expression": "window"})
    listeners = await tools.send("DOMDebugger.getEventListeners", {"objectId": window["result"]["objectId"]})
    return sum(listener["type"] == "message" for listener in listeners["listeners"])


async def test_escape_and_tab_leave_the_text_and_the_toolbar_is_one_stop(writer: Writer) -> None:
    page = writer.page
    await page.get_by_role("button", name="Preview").focus()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Bold", exact=True)).to_be_focused()
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_role("button", name="Italic", exact=True)).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.type("- a")
    await page.keyboard.press("Tab")
    assert await writer.text() == "  - a"
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    await page.keyboard.type("x")
    assert await writer.text() == "  - a"


async def test_ctrl_enter_publishes(writer: Writer, client: Client) -> None:
    await writer.type("Go.")
    await writer.page.keyboard.press("Control+Enter")
    await writer.page.wait_for_url(re.compile(r"/articles/art_\w+$"))
    article = await article_of(client, "begin")
    assert (article["status"], article["contentMarkdown"]) == ("published", "Go.")


async def test_writing_goes_on_after_the_first_save(
    writer: Writer, development_server: str, client: Client, cast: Cast
) -> None:
    page = writer.page
    await page.goto(f"{development_server}/app/{cast.acme.slug}/articles/new")
    await page.keyboard.type("Carry on")
    await writer.type("One")
    await page.keyboard.press("Control+s")
    await page.keyboard.type(" two")
    await page.wait_for_url("**/edit")
    await expect(writer.surface).to_be_focused()
    await page.keyboard.type(" three")

    async with page.expect_response(lambda answer: answer.url.endswith("/edit") and answer.ok):
        await page.keyboard.press("Control+s")
    assert (await article_of(client, "carry-on"))["contentMarkdown"] == "One two three"
    await page.goto(f"{development_server}/app/{cast.acme.slug}/articles/new")
    await expect(page.get_by_label("Title", exact=True)).to_be_focused()
    await expect(page.locator("#kept")).to_be_hidden()


async def test_two_presses_create_one_article(
    writer: Writer, development_server: str, client: Client, cast: Cast
) -> None:
    page = writer.page
    is_answered = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await is_answered.wait()
        await route.continue_()

    posts = posts_of(page)
    await page.goto(f"{development_server}/app/{cast.acme.slug}/articles/new")
    await expect(page.get_by_label("Title", exact=True)).to_be_focused()
    await page.keyboard.type("Once")
    await writer.type("Go.")
    # The text is not sent again while the response or the next page is on its way.
    await page.route("**/articles/**", answer_late)
    async with page.expect_response(lambda answer: answer.url.endswith("/new")):
        await page.get_by_role("button", name="Publish").dblclick()
        is_answered.set()
    is_answered.clear()
    await page.keyboard.press("Control+Enter")
    is_answered.set()

    await page.wait_for_url(re.compile(r"/articles/art_\w+$"))
    assert [address for address in posts if address.endswith("/new")] == posts[:1]
    articles = ok(await client.get("/v1/articles"))["results"]
    assert sorted(article["title"] for article in articles) == ["Begin", "Once"]


async def test_a_held_ctrl_s_creates_one_entry(
    writer: Writer, development_server: str, client: Client, cast: Cast
) -> None:
    page = writer.page
    posts = posts_of(page)
    await page.goto(f"{development_server}/app/{cast.acme.slug}/changelog/new")
    await page.get_by_label("Title", exact=True).fill("Once")
    await writer.type("Go.")
    await page.keyboard.down("Control")
    for _ in range(3):
        await page.keyboard.down("s")
    await page.wait_for_url(re.compile(r"/changelog/\w+/edit$"))
    await page.locator(".cm-content").wait_for()
    await page.keyboard.down("s")
    await page.keyboard.up("s")
    await page.keyboard.up("Control")

    assert len(posts) == 1
    [entry] = ok(await client.get("/v1/changelog/entries"))["results"]
    assert entry["contentMarkdown"] == "Go."


def posts_of(page: Page) -> list[str]:
    """The URLs that the editor posts its form to from now on."""
    posts: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith(("/new", "/edit")):
            posts.append(request.url)

    page.on("request", note)
    return posts


async def paste_formatted(page: Page, html: str, plain: str) -> None:
    """Paste text as a word processor copies it: with its HTML and a picture of it."""
    await page.evaluate(
        """([html, plain]) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/html", html);
            clipboardData.setData("text/plain", plain);
            clipboardData.items.add(new File([], "image.png", { type: "image/png" }));
            const content = document.getElementById("surface").shadowRoot.querySelector(".cm-content");
            const options = { clipboardData, bubbles: true, cancelable: true };
            content.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        [html, plain],
    )


async def paste(page: Page, name: str, kind: str, data: bytes) -> None:
    """Paste a file as a browser does."""
    await page.evaluate(
        """([name, type, data]) => {
            const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
            const clipboardData = new DataTransfer();
            clipboardData.items.add(new File([bytes], name, { type }));
            const content = document.getElementById("surface").shadowRoot.querySelector(".cm-content");
            const options = { clipboardData, bubbles: true, cancelable: true };
            content.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        [name, kind, base64.b64encode(data).decode()],
    )
