"""The widget on many kinds of pages: visitors get the same help on each."""

from playwright.async_api import Page, Route, expect

from instep.platform.core.database import Tx
from tests.support.cast import Cast
from tests.support.chromium import Complaints, picture
from tests.support.host_pages import HostPage, HostSite
from tests.support.visitors import open_to, second_bot
from tests.support.widget_pages import Widget, ask, open_panel, panel, question_field

HOSTILE_STYLES = """<style>
  * { all: unset !important; --ink: red !important; --blue: red !important }
  html { font-size: 60px }
  body { transform: scale(.5); overflow: hidden }
  div, section, button, input { display: none !important; visibility: hidden !important }
  ::placeholder { color: transparent !important }
</style>"""
# Names that visitors may give to elements, which then shadow properties of `document`.
SHADOWING = (
    "".join(
        f'<img name="{name}" src="http://elsewhere.test/widget.js" data-bot="1" data-key="1">'
        for name in [
            "activeElement",
            "addEventListener",
            "body",
            "createElement",
            "createElementNS",
            "currentScript",
            "documentElement",
            "querySelectorAll",
            "scripts",
        ]
    )
    + '<a id="Instep"></a><a id="Instep" name="add"></a><form id="customElements"></form>'
)
# Simulates frameworks that load the next page into the current one.
NEXT_PAGE = """() => {
  history.pushState({}, "", "/billing/invoices")
  const body = document.createElement("body")
  body.innerHTML = "<main><h1>Invoices</h1></main>"
  document.documentElement.replaceChild(body, document.body)
}"""


async def find_help(page: Page) -> None:
    """Ask a question, read a source inside the panel, and go back."""
    await ask(page)
    await expect(panel(page).locator(".text")).to_contain_text("up to 50 MB large")
    sources = panel(page).get_by_role("list", name="Sources")
    await sources.get_by_role("button", name="Files", exact=True).click()
    await expect(panel(page).get_by_role("heading", name="Size of a file")).to_be_visible()
    await panel(page).get_by_role("button", name="Back").click()
    await expect(panel(page).get_by_role("button", name="Talk to a person")).to_be_visible()


async def test_a_page_that_allows_nothing_but_the_help_center(
    page: Page, complaints: Complaints, hosts: HostSite, widget: Widget
) -> None:
    policy = f"default-src 'none'; script-src {widget.server}; connect-src {widget.server}"
    await page.goto(hosts.add(HostPage(widget.tag(), policy)))
    await find_help(page)

    assert complaints.lines == []


async def test_a_page_with_trusted_types(
    page: Page, complaints: Complaints, hosts: HostSite, tag: str
) -> None:
    policy = "require-trusted-types-for 'script'; trusted-types 'none'"
    await page.goto(hosts.add(HostPage(tag, policy)))
    await find_help(page)

    assert complaints.policy_violations == []


async def test_a_page_whose_elements_shadow_its_document(page: Page, hosts: HostSite, widget: Widget) -> None:
    await page.goto(hosts.add(HostPage(SHADOWING + widget.tag(), widget.policy)))
    await find_help(page)
    loaded = await page.evaluate("performance.getEntriesByType('resource').map(({name}) => name)")

    assert [address for address in loaded if address.startswith(f"{widget.server}/widget/{widget.bot_id}/")]


async def test_a_page_from_right_to_left(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(tag, root='lang="ar" dir="rtl"')))
    await page.get_by_role("button", name="المساعدة").click()
    await expect(page.get_by_role("textbox", name="اطرح سؤالاً")).to_be_visible()
    box = await panel(page).bounding_box()

    assert box is not None
    assert box["x"] < 100


async def test_a_page_with_hostile_styles(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(HOSTILE_STYLES + tag)))
    launcher = page.get_by_role("button", name="Help")
    await expect(launcher).to_be_visible()
    small = await launcher.bounding_box()
    await find_help(page)
    box = await panel(page).bounding_box()

    assert small is not None
    assert box is not None
    assert small["height"] < 60
    assert (box["width"], box["height"]) == (400, 620)
    colour = await question_field(page).evaluate("field => getComputedStyle(field).color")
    assert colour != "rgb(255, 0, 0)"


async def test_a_page_with_two_widgets(
    page: Page, hosts: HostSite, widget: Widget, cast: Cast, owner: Tx
) -> None:
    other = await second_bot(owner, cast)
    await open_to(owner, other, hosts.origin)
    second = Widget(widget.server, str(other.bot_id), other.bot_key)
    await page.goto(hosts.add(HostPage(widget.tag() + second.tag() + widget.tag())))
    launchers = page.get_by_role("button", name="Help")
    await expect(launchers).to_have_count(2)
    first, above = [await launchers.nth(number).bounding_box() for number in (0, 1)]
    assert first is not None
    assert above is not None
    assert first["y"] - above["y"] >= first["height"]

    await page.evaluate("bot => Instep('open', { bot })", str(other.bot_id))
    name = await page.get_by_role("dialog").get_attribute("aria-label")
    assert name != "Acme"
    await page.evaluate("Instep('open')")
    await expect(panel(page)).to_be_visible()


async def test_a_page_that_becomes_another_one(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await find_help(page)
    await page.evaluate(NEXT_PAGE)

    await expect(page.get_by_role("heading", name="Invoices")).to_be_visible()
    await expect(panel(page).locator(".text")).to_contain_text("50 MB")
    async with page.expect_request("**/suggestions?**invoices**"):
        await page.evaluate("Instep('reset')")
    await page.evaluate(
        "tag => document.body.append(document.createRange().createContextualFragment(tag))", tag
    )
    await expect(page.get_by_role("button", name="Help")).to_have_count(1)


async def test_a_slow_page(page: Page, hosts: HostSite, tag: str) -> None:
    """The button shows that the panel is loading, and a second click opens nothing twice."""
    panels: list[Route] = []

    async def hold(route: Route) -> None:
        panels.append(route)

    await page.route("**/panel.*.js", hold)
    await page.goto(hosts.add(HostPage(tag)))
    launcher = page.get_by_role("button", name="Help")
    async with page.expect_request("**/panel.*.js"):
        await launcher.click()
    await expect(launcher).to_have_attribute("aria-busy", "true")
    assert len(panels) == 1
    await panels[0].continue_()

    await expect(question_field(page)).to_be_focused()
    await expect(launcher).not_to_have_attribute("aria-busy", "true")


async def test_a_page_without_a_connection(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    launcher = page.get_by_role("button", name="Help")
    await expect(launcher).to_be_visible()
    await page.context.set_offline(True)
    await launcher.click()
    await expect(page.get_by_role("alert")).to_contain_text("Help could not")

    await page.context.set_offline(False)
    await page.get_by_role("button", name="Try again").click()
    await expect(question_field(page)).to_be_focused()
    await expect(page.get_by_role("alert")).to_have_count(0)


async def test_a_phone_has_a_full_sheet(page: Page, hosts: HostSite, tag: str) -> None:
    await page.set_viewport_size({"width": 390, "height": 700})
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)

    assert await panel(page).bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 700}
    await panel(page).get_by_role("button", name="Close").click()
    await find_help(page)


async def test_a_full_sheet_hides_nothing_that_has_the_focus(page: Page, hosts: HostSite, tag: str) -> None:
    await page.set_viewport_size({"width": 390, "height": 700})
    await page.goto(hosts.add(HostPage(tag)))
    launcher = page.get_by_role("button", name="Help")
    await open_panel(page)
    await expect(question_field(page)).to_be_focused()
    await panel(page).get_by_role("button", name="Close").focus()
    await page.keyboard.press("Shift+Tab")

    await expect(launcher).to_be_focused()
    await expect(panel(page)).to_be_hidden()
    await expect(launcher).to_have_attribute("aria-expanded", "false")


async def test_widget_is_light_on_a_light_page_in_a_dark_system(
    page: Page, hosts: HostSite, widget: Widget
) -> None:
    await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    light = "<style>:root { color-scheme: light }</style>"
    dark = light.replace("light", "dark")
    for head, tag, is_light in (
        (light, widget.tag(), True),
        (dark, widget.tag(), False),
        (light, widget.tag(scheme="dark"), False),
        (light, widget.tag(scheme="auto"), False),
    ):
        await page.goto(hosts.add(HostPage(tag, head=head)))
        await open_panel(page)
        box = await panel(page).bounding_box()
        assert box is not None
        ground = (await picture(page)).getpixel((int(box["x"] + 8), int(box["y"] + box["height"] / 2)))

        assert (ground == (255, 255, 255)) is is_light
