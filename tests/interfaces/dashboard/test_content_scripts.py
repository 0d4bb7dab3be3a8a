"""Scripts on the content pages, in Chromium: confirmation dialogs, filters, moving rows by keyboard."""

from playwright.async_api import Page, expect

from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.http import create_article, create_collection, created


async def test_delete_asks_in_a_dialog_and_can_be_undone(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str, complaints: Complaints
) -> None:
    article = await create_article(client, "Install")
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/articles/{article['id']}")

    await tab.get_by_role("button", name="More", exact=True).click()
    await tab.get_by_role("button", name="Delete…").click()
    dialog = tab.get_by_role("dialog", name="Delete “Install”?")
    await expect(dialog).to_be_visible()
    await tab.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await tab.get_by_role("button", name="More", exact=True).click()
    await tab.get_by_role("button", name="Delete…").click()
    await dialog.get_by_role("button", name="Delete", exact=True).click()

    await expect(tab.get_by_role("status")).to_contain_text("Moved “Install” to")
    await tab.keyboard.press("z")
    await expect(tab.get_by_role("heading", name="Install", exact=True)).to_be_visible()
    assert complaints.lines == []


async def test_deletion_asks_for_confirmation(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str, complaints: Complaints
) -> None:
    created(await client.post("/v1/redirects", json={"from": "/old", "url": "https://status.example.com"}))
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/settings/redirects")
    delete = tab.get_by_role("button", name="Delete /old")

    await delete.click()
    dialog = tab.get_by_role("dialog", name="Delete the redirect of “/old”?")
    await expect(dialog).to_contain_text("stop working")
    await expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    await tab.keyboard.press("Enter")
    await expect(dialog).to_be_hidden()
    await expect(delete).to_be_focused()
    await tab.keyboard.press("Enter")
    await dialog.get_by_role("button", name="Delete").click()

    await expect(tab.get_by_text("No redirects yet.")).to_be_visible()
    assert complaints.lines == []


async def test_a_phone_shows_the_whole_audit_and_its_rows_stay_rows(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str
) -> None:
    await create_article(client, "How to move a project to another workspace")
    tab = signed_in_tab
    await tab.set_viewport_size({"width": 390, "height": 844})
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/settings/audit")

    row = tab.get_by_role("row").filter(has_text="create article")
    await expect(row.get_by_role("cell").filter(has_text="How to move")).to_be_in_viewport(ratio=1)
    region = tab.get_by_role("region", name="Audit")
    assert await region.evaluate("region => region.scrollWidth <= region.clientWidth")


async def test_a_colour_is_picked_or_typed(
    signed_in_tab: Page, cast: Cast, development_server: str, complaints: Complaints
) -> None:
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/settings/site")
    picker, typed = tab.get_by_label("Pick a color"), tab.get_by_role("textbox", name="Color", exact=True)

    await picker.fill("#aa5500")
    await expect(typed).to_have_value("#aa5500")
    await typed.fill("#0055AA")

    await expect(picker).to_have_value("#0055aa")
    assert complaints.lines == []


async def test_filters_take_effect_as_they_change(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str
) -> None:
    await create_article(client, "Install")
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/articles")
    await expect(tab.get_by_role("button", name="Filter")).to_be_hidden()

    await tab.get_by_label("Status").select_option("published")

    await expect(tab.get_by_text("No articles match")).to_be_visible()
    await tab.keyboard.press("/")
    await expect(tab.get_by_label("Search")).to_be_focused()


async def test_a_row_moves_by_keys_and_keeps_the_focus(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str
) -> None:
    guides = await create_collection(client)
    for title in ("One", "Two", "Three"):
        await create_article(client, title, collectionId=guides["id"])
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/articles?collection={guides['id']}")
    rows = tab.get_by_role("list", name="Articles").get_by_role("listitem")

    await tab.get_by_role("link", name="Three").focus()
    await tab.keyboard.press("Alt+ArrowUp")
    await expect(rows.nth(1)).to_contain_text("Three")
    await expect(tab.get_by_role("link", name="Three")).to_be_focused()
    await tab.keyboard.press("Alt+ArrowUp")

    await expect(rows.nth(0)).to_contain_text("Three")
    await expect(tab.get_by_role("link", name="Three")).to_be_focused()


async def test_the_focus_goes_to_the_next_row_and_the_result_is_announced(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str
) -> None:
    for address in ("/a", "/b", "/c"):
        created(
            await client.post("/v1/redirects", json={"from": address, "url": "https://status.example.com"})
        )
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/settings/redirects")
    buttons = tab.get_by_role("row").get_by_role("button", name="Delete")
    await expect(buttons).to_have_count(3)
    next_name = await buttons.nth(2).get_attribute("aria-label")
    # A screen reader says what arrives in this region, not what the page begins with.
    await tab.add_init_script(
        """document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
            document.documentElement.dataset.said = document.getElementById("toasts").textContent
        }).observe(document.getElementById("toasts"), { childList: true }))"""
    )

    await buttons.nth(1).press("Enter")
    await tab.get_by_role("dialog").get_by_role("button", name="Delete").click()

    await expect(buttons).to_have_count(2)
    await expect(tab.get_by_role("button", name=str(next_name), exact=True)).to_be_focused()
    await expect(tab.get_by_role("status")).to_contain_text("Deleted")
    await expect(tab.locator("html[data-said*=Deleted]")).to_have_count(1)


async def test_the_focus_goes_to_the_first_wrong_field(
    signed_in_tab: Page, cast: Cast, development_server: str
) -> None:
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/parts/new?kind=variable")
    await tab.get_by_label("Text").fill("15 €")
    await tab.evaluate("document.querySelector('main form').noValidate = true")

    await tab.get_by_role("main").get_by_role("button").first.click()

    wrong = tab.locator("[aria-invalid=true]")
    await expect(wrong.first).to_be_focused()
