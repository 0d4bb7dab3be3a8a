"""The widget on customers' pages, as their visitors use it: by the roles and names of what they see."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page, expect

from instep.core.database import Tx
from tests.browser.chromium import Complaints, picture
from tests.browser.host_pages import OPEN_SHADOWS, HostPage, HostSite, host_site
from tests.support.cast import Cast, Client
from tests.support.http import created, ok
from tests.support.visitors import open_to

QUESTION = "How large may a file be?"
TEXT = """\
Send files from any device.

## Size of a file

A file may be up to **50 MB** large. See [the plans](https://example.com/plans).

1. Open *Files*.
2. Drop `report.pdf` there:
   - one at a time
"""
HOSTILE_STYLES = """<style>
  * { all: unset !important; }
  html { font-size: 60px }
  button, input { display: none !important }
</style>"""


@pytest.fixture(autouse=True)
async def open_shadows(page: Page) -> None:
    await page.add_init_script(OPEN_SHADOWS)


@pytest.fixture(scope="module")
def hosts() -> Iterator[HostSite]:
    with host_site() as hosts:
        yield hosts


@pytest.fixture
async def tag(server: str, hosts: HostSite, writer: Client, cast: Cast, owner: Tx) -> str:
    """The tag of a bot that answers, and that may be asked from the host pages."""
    await open_to(owner, cast.acme, hosts.origin)
    article = created(await writer.post("/v1/articles", json={"title": "Files", "contentMarkdown": TEXT}))
    ok(await writer.post(f"/v1/articles/{article['id']}/publish"))
    bot = cast.acme
    return (
        f'<script async src="{server}/widget.js" data-bot="{bot.bot_id}" data-key="{bot.bot_key}"></script>'
    )


def panel(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Acme")


async def ask(page: Page, question: str = QUESTION) -> None:
    await page.get_by_role("button", name="Help").click()
    await page.get_by_role("textbox", name="Ask a question").fill(question)
    await page.get_by_role("button", name="Ask", exact=True).click()


async def test_a_question_is_answered_with_sources_under_the_strictest_policy(
    page: Page, complaints: Complaints, hosts: HostSite, server: str, tag: str
) -> None:
    policy = (
        f"default-src 'none'; script-src {server}; connect-src {server}; require-trusted-types-for 'script'"
    )
    await page.goto(hosts.add(HostPage(tag, policy)))
    await ask(page)

    await expect(panel(page).locator(".text")).to_contain_text("up to 50 MB large")
    await expect(panel(page).locator(".text strong")).to_have_text("50 MB")
    await panel(page).get_by_role("button", name="Files", exact=True).click()
    await expect(panel(page).get_by_role("heading", name="Size of a file")).to_be_visible()
    await expect(panel(page).get_by_role("link", name="the plans")).to_have_attribute(
        "rel", "noopener noreferrer"
    )
    await expect(panel(page).get_by_role("listitem").filter(has_text="one at a time").last).to_be_visible()
    await panel(page).get_by_role("button", name="Back").click()
    await panel(page).get_by_role("button", name="Yes").click()
    await expect(panel(page).get_by_text("Thank you.")).to_be_visible()
    assert complaints.lines == []


async def test_nothing_is_asked_for_or_kept_before_the_first_use(
    page: Page, hosts: HostSite, server: str, tag: str
) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    await page.goto(hosts.add(HostPage(tag)))
    await expect(page.get_by_role("button", name="Help")).to_be_visible()

    assert await page.locator("[data-mode]").get_attribute("data-mode") == "closed"
    assert [url for url in urls if url.startswith(server)] == [f"{server}/widget.js"]
    assert await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    await ask(page)
    await expect(panel(page).get_by_role("button", name="Yes")).to_be_visible()
    assert await page.evaluate("Object.keys(localStorage)") == ["instep.visitor"]
    await page.evaluate("Instep('destroy')")
    assert await page.evaluate("Object.keys(localStorage)") == []
    await expect(page.get_by_role("button", name="Help")).to_have_count(0)


async def test_it_is_worked_by_keyboard_and_heard_once(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    launcher = page.get_by_role("button", name="Help")
    await launcher.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Ask a question")).to_be_focused()
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")

    await expect(panel(page).get_by_role("status")).to_contain_text("50 MB")
    await expect(page.get_by_role("textbox", name="Ask a question")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(panel(page)).to_be_hidden()
    await expect(launcher).to_be_focused()


async def test_calls_before_the_script_is_there_are_done_when_it_is(
    page: Page, hosts: HostSite, tag: str
) -> None:
    stub = """<script>window.Instep = (...call) => Instep.q.push(call); Instep.q = [];
      Instep("on", "answer", ({ answered }) => document.title = `answered ${answered}`);
      Instep("ask", "How large may a file be?")</script>"""
    await page.goto(hosts.add(HostPage(stub + tag + tag)))

    await expect(page).to_have_title("answered true")
    await expect(page.get_by_role("button", name="Help")).to_have_count(1)


async def test_a_lost_connection_keeps_the_question_for_another_try(
    page: Page, hosts: HostSite, tag: str
) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await page.get_by_role("button", name="Help").click()
    await expect(page.get_by_role("textbox", name="Ask a question")).to_be_visible()
    await page.context.set_offline(True)
    await page.get_by_role("textbox", name="Ask a question").fill(QUESTION)
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(panel(page)).to_contain_text("There is no connection.")

    await page.context.set_offline(False)
    await panel(page).get_by_role("button", name="Try again").click()
    await expect(panel(page).locator(".text")).to_contain_text("50 MB")
    await expect(panel(page).get_by_text(QUESTION, exact=True)).to_have_count(1)


async def test_a_message_reaches_the_team(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await page.get_by_role("button", name="Help").click()
    await panel(page).get_by_role("button", name="Talk to a person").click()
    await panel(page).get_by_label("E-mail").fill("ann@example.com")
    await panel(page).get_by_label("Message").fill("My file is 80 MB.")
    await panel(page).get_by_role("button", name="Send").click()

    await expect(panel(page)).to_contain_text("Your message has arrived.")
    leads = "select email || ': ' || message from leads where bot_id = %(bot)s"
    assert await owner.value(leads, bot=cast.acme.bot_id) == "ann@example.com: My file is 80 MB."


async def test_styles_of_the_page_do_not_reach_it(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(HOSTILE_STYLES + tag)))
    launcher = page.get_by_role("button", name="Help")
    await expect(launcher).to_be_visible()
    box = await launcher.bounding_box()

    assert box is not None
    assert box["height"] < 60


async def test_a_page_in_arabic_has_it_at_the_other_side(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(tag, root='lang="ar" dir="rtl"')))
    await page.get_by_role("button", name="المساعدة").click()
    await expect(page.get_by_role("textbox", name="اطرح سؤالاً")).to_be_visible()
    box = await panel(page).bounding_box()

    assert box is not None
    assert box["x"] < 100


async def test_a_phone_has_a_full_sheet(page: Page, hosts: HostSite, tag: str) -> None:
    await page.set_viewport_size({"width": 390, "height": 700})
    await page.goto(hosts.add(HostPage(tag)))
    await page.get_by_role("button", name="Help").click()
    await expect(panel(page)).to_be_visible()

    assert await panel(page).bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 700}


async def test_a_full_sheet_hides_nothing_that_has_the_focus(page: Page, hosts: HostSite, tag: str) -> None:
    await page.set_viewport_size({"width": 390, "height": 700})
    await page.goto(hosts.add(HostPage(tag)))
    launcher = page.get_by_role("button", name="Help")
    await launcher.click()
    await expect(page.get_by_role("textbox", name="Ask a question")).to_be_focused()
    for _ in ("Close", "Help"):
        await page.keyboard.press("Shift+Tab")

    await expect(launcher).to_be_focused()
    await expect(panel(page)).to_be_hidden()
    await expect(launcher).to_have_attribute("aria-expanded", "false")


async def test_it_is_light_where_the_page_is_light_though_the_system_is_dark(
    page: Page, hosts: HostSite, tag: str
) -> None:
    await page.emulate_media(color_scheme="dark")
    for scheme, is_light in (("light", True), ("dark", False)):
        await page.goto(hosts.add(HostPage(tag, head=f"<style>:root {{ color-scheme: {scheme} }}</style>")))
        await page.get_by_role("button", name="Help").click()
        await expect(panel(page)).to_be_visible()
        box = await panel(page).bounding_box()
        assert box is not None
        ground = (await picture(page)).getpixel((int(box["x"] + 20), int(box["y"] + box["height"] / 2)))

        assert (ground == (255, 255, 255)) is is_light


async def test_it_stands_in_the_page_itself(page: Page, hosts: HostSite, tag: str) -> None:
    own_button = tag.replace("data-bot", 'data-button="none" data-bot')
    await page.goto(hosts.add(HostPage(f"<instep-help></instep-help>{own_button}")))
    await page.get_by_role("button", name="Help").click()

    await expect(page.get_by_role("region", name="Acme")).to_be_visible()
    await expect(page.get_by_role("textbox", name="Ask a question")).to_be_focused()
