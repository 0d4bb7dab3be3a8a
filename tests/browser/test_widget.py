"""The widget as visitors use it, through accessible roles and names."""

import io
import json

from PIL import Image
from playwright.async_api import Page, expect

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.host_pages import HostPage, HostSite
from tests.support.http import created
from tests.support.site_pages import publish
from tests.support.source_code import REPOSITORY
from tests.support.visitor_tokens import claims, secret_of, sign
from tests.support.widget_pages import QUESTION, Widget, ask, open_panel, panel, question_field

TEXTS = REPOSITORY / "frontend" / "src" / "widget" / "texts"
# Records everything that the panel's live region announces to screen readers, in order.
LISTEN = """() => {
  const { shadowRoot } = document.querySelector("[data-mode]")
  const status = shadowRoot.querySelector("[role=status]")
  window.heard = []
  new MutationObserver(() => window.heard.push(status.textContent)).observe(status, { childList: true })
}"""


async def test_a_question_is_answered_with_sources_under_the_strictest_policy(
    page: Page, complaints: Complaints, hosts: HostSite, widget: Widget
) -> None:
    await page.goto(hosts.add(HostPage(widget.tag(), widget.policy)))
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
    await expect(panel(page).get_by_text("Thank you.").first).to_be_visible()
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


async def test_widget_works_by_keyboard_and_announces_the_answer_once(
    page: Page, hosts: HostSite, tag: str
) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    launcher = page.get_by_role("button", name="Help")
    await launcher.focus()
    await page.keyboard.press("Enter")
    await expect(question_field(page)).to_be_focused()
    await page.evaluate(LISTEN)
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")

    await expect(panel(page).get_by_role("status")).to_contain_text("50 MB")
    heard = await page.evaluate("window.heard")
    assert [text.endswith("Sources: 1") for text in heard if "50 MB" in text] == [True]
    assert "large 1" not in heard[-1]
    await expect(question_field(page)).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(panel(page)).to_be_hidden()
    await expect(launcher).to_be_focused()


async def test_articles_are_found_as_one_types_and_read_inside(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    await question_field(page).press_sequentially("largest fil")
    found = panel(page).get_by_role("list", name="Articles", exact=True).get_by_role("button", name="Files")
    await expect(found.last).to_be_visible()
    await expect(panel(page).get_by_role("status")).to_contain_text("Articles found:")
    await page.keyboard.press("ArrowUp")
    await expect(found.last).to_be_focused()
    await page.keyboard.press("Enter")

    await expect(panel(page).get_by_role("heading", name="Files")).to_be_focused()
    await expect(panel(page).get_by_role("heading", name="Size of a file")).to_be_visible()
    await expect(question_field(page)).to_be_hidden()
    await panel(page).get_by_role("button", name="Yes").click()
    await expect(panel(page).get_by_text("Thank you.").first).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(found.last).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(found).to_have_count(0)
    await expect(question_field(page)).to_have_value("largest fil")


async def test_before_the_first_question_there_are_articles_for_the_page(
    page: Page, hosts: HostSite, tag: str, writer: Client
) -> None:
    await publish(writer, "Invite people to your team", "Words.")
    await page.goto(hosts.add(HostPage(tag)))
    await page.evaluate("history.pushState({}, '', '/settings/team?token=secret#private')")
    async with page.expect_request("**/suggestions?**") as asked:
        await open_panel(page)

    suggestions = panel(page).get_by_role("list", name="Articles that may help")
    await expect(suggestions.get_by_role("button").first).to_have_text("Invite people to your team")
    assert "secret" not in (await asked.value).url
    assert "private" not in (await asked.value).url
    await suggestions.get_by_role("button").first.click()
    await expect(panel(page).get_by_role("heading", name="Invite people to your team")).to_be_visible()


async def test_the_columns_of_a_wide_table_can_be_read(
    page: Page, hosts: HostSite, tag: str, writer: Client
) -> None:
    row = "| Own host name | no | no | yes | a host name of your own, such as help.example.com |"
    table = f"| What | S | M | L | Details |\n| --- | --- | --- | --- | --- |\n{row}\n"
    await publish(writer, "Tariff comparison", table)
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    await question_field(page).fill("tariff comparison")
    found = panel(page).get_by_role("list", name="Articles", exact=True)
    await found.get_by_role("button", name="Tariff comparison").click()

    cells = panel(page).get_by_role("cell")
    await expect(cells).to_have_count(5)
    assert min(await cells.evaluate_all("cells => cells.map((cell) => cell.offsetWidth)")) >= 90
    box = panel(page).locator(".wide")
    assert await box.evaluate("(box) => box.scrollWidth > box.clientWidth")


async def test_a_question_goes_on_from_the_ones_before(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    await page.set_viewport_size({"width": 390, "height": 500})
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page)
    await expect(panel(page).get_by_role("button", name="Yes")).to_be_visible()
    await question_field(page).fill("And where do I drop them?")
    await page.keyboard.press("Enter")
    await expect(panel(page).get_by_role("button", name="Yes")).to_have_count(2)
    # The answer is visible, not only the question above it.
    await expect(panel(page).locator(".answer li").last).to_be_in_viewport()

    asked = """select array_agg(distinct conversation_id) from messages
        where bot_id = %(bot)s and question in (%(first)s, %(second)s)"""
    conversations = await owner.value(
        asked, bot=cast.acme.bot_id, first=QUESTION, second="And where do I drop them?"
    )
    assert len(conversations) == 1


async def test_a_signed_in_visitor_reads_what_is_meant_for_them(
    page: Page, hosts: HostSite, tag: str, writer: Client, cast: Cast, owner: Tx
) -> None:
    await publish(writer, "Secret tariffs", "The tariff is 12 euros.", visibility="authenticated")
    token = sign(await secret_of(owner, cast.acme), claims())
    await page.goto(hosts.add(HostPage(tag)))
    await expect(page.get_by_role("button", name="Help")).to_be_visible()
    await page.evaluate("token => Instep('identify', token)", token)
    await open_panel(page)
    await question_field(page).fill("secret tariffs")
    found = panel(page).get_by_role("list", name="Articles", exact=True)
    await found.get_by_role("button", name="Secret tariffs").click()

    await expect(panel(page)).to_contain_text("The tariff is 12 euros.")
    await page.evaluate("Instep('reset')")
    await question_field(page).fill("secret tariff")
    await expect(found.get_by_role("button", name="Secret tariffs")).to_have_count(0)


async def test_calls_before_the_script_is_there_are_done_when_it_is(
    page: Page, hosts: HostSite, tag: str
) -> None:
    stub = """<script>window.Instep = (...call) => Instep.q.push(call); Instep.q = [];
      Instep("on", "answer", ({ answered }) => document.title = `answered ${answered}`);
      Instep("ask", "How large may a file be?")</script>"""
    await page.goto(hosts.add(HostPage(stub + tag + tag)))

    await expect(page).to_have_title("answered true")
    await expect(page.get_by_role("button", name="Help")).to_have_count(1)


async def test_a_message_reaches_the_team_and_a_second_one_too(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page)
    await expect(panel(page).get_by_role("button", name="Yes")).to_be_visible()
    for number, text in enumerate(("My file is 80 MB.", "It is a film.")):
        await panel(page).get_by_role("button", name="Talk to a person").click()
        await panel(page).get_by_label("Email").fill("ann@example.com")
        await panel(page).get_by_label("Message").fill(text)
        if number == 0:
            await panel(page).get_by_role("button", name="Back").click()
            await panel(page).get_by_role("button", name="Talk to a person").click()
            await expect(panel(page).get_by_label("Message")).to_have_value(text)
        # The text of the confirmation may be the same as for the first message.
        async with page.expect_response(lambda response: response.request.method == "POST"):
            await panel(page).get_by_role("button", name="Send").click()
        await expect(panel(page)).to_contain_text("Your message was sent.")
        await expect(panel(page)).to_contain_text("to ann@example.com")
        await panel(page).get_by_role("button", name="Back").click()

    told = """select c.message || ' ' || l.message from conversations c
        join leads l on l.conversation_id = c.id where c.bot_id = %(bot)s"""
    assert await owner.value(told, bot=cast.acme.bot_id) == "My file is 80 MB. It is a film."


async def test_feedback_on_an_answer_is_stored(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page)
    async with page.expect_response("**/feedback"):
        await panel(page).get_by_role("button", name="No", exact=True).click()

    await expect(question_field(page)).to_be_focused()
    rated = "select array_agg(helpful) from messages where bot_id = %(bot)s and question = %(question)s"
    assert await owner.value(rated, bot=cast.acme.bot_id, question=QUESTION) == [False]


async def test_a_question_without_an_answer_offers_a_person_and_asks_for_no_rating(
    page: Page, hosts: HostSite, tag: str
) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page, "Which hotels accept lamas?")
    offer = panel(page).locator(".answer").get_by_role("button", name="Talk to a person")
    await expect(offer).to_be_visible()
    await expect(panel(page).get_by_text("Did this help?")).to_have_count(0)
    await offer.click()

    await expect(panel(page).get_by_label("Email")).to_be_focused()


async def test_the_widget_can_be_part_of_the_page_and_keeps_typed_text_and_focus(
    page: Page, hosts: HostSite, widget: Widget
) -> None:
    await page.goto(hosts.add(HostPage(f"<instep-help></instep-help>{widget.tag(button='none')}")))
    await question_field(page).press_sequentially("How large")
    region = page.get_by_role("region", name="Acme")
    await expect(region.get_by_role("list", name="Articles", exact=True)).to_be_visible()
    await expect(question_field(page)).to_be_focused()
    await expect(question_field(page)).to_have_value("How large")
    await page.keyboard.type(" may a file be?")
    await page.keyboard.press("Enter")

    await expect(region.locator(".text")).to_contain_text("50 MB")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_a_button_of_the_page_opens_it_and_gets_the_focus_back(
    page: Page, hosts: HostSite, widget: Widget
) -> None:
    own = '<button data-instep="ask" data-question="How large may a file be?">Any questions?</button>'
    await page.goto(hosts.add(HostPage(own + widget.tag(button="none"), widget.policy)))
    await page.wait_for_function("() => Boolean(Instep.add)")
    await page.get_by_role("button", name="Any questions?").click()

    await expect(panel(page).locator(".text")).to_contain_text("50 MB")
    await panel(page).get_by_role("button", name="Close").click()
    await expect(page.get_by_role("button", name="Any questions?")).to_be_focused()
    await expect(page.get_by_role("button", name="Help")).to_have_count(0)


async def test_bubble_and_place_in_the_page_are_apart(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(f"<instep-help></instep-help>{tag}")))
    await question_field(page).press_sequentially("How")
    region = page.get_by_role("region", name="Acme")
    await expect(region).to_be_visible()
    await page.get_by_role("button", name="Help").click()

    await expect(panel(page)).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(panel(page)).to_be_hidden()
    await expect(region).to_be_visible()


async def test_every_language_has_all_texts_and_its_direction(page: Page, hosts: HostSite, tag: str) -> None:
    texts = {file.stem: json.loads(file.read_text()) for file in sorted(TEXTS.glob("*.json"))}
    assert texts.keys() == {"ar", "de", "en", "es", "fr", "ja", "pt"}
    assert {frozenset(words) for words in texts.values()} == {frozenset(texts["en"])}
    for language, words in texts.items():
        for name, text in texts["en"].items():
            assert words[name].count("{") == text.count("{"), (language, name)
        direction = "rtl" if language == "ar" else "ltr"
        await page.goto(hosts.add(HostPage(tag, root=f'lang="{language}-XX" dir="{direction}"')))
        await page.get_by_role("button", name=words["help"], exact=True).click()
        await expect(page.get_by_role("textbox", name=words["question"])).to_be_focused()
        await expect(panel(page)).to_have_attribute("dir", direction)
        await expect(page.get_by_role("button", name=words["person"])).to_be_visible()


async def test_answers_and_lists_prefer_the_language_of_the_page(
    page: Page, hosts: HostSite, tag: str, writer: Client
) -> None:
    await publish(writer, "Dateien", "PAGE_SIZE: Eine Datei hat bis zu 50 MB.", locale="de")
    await publish(writer, "Rows", "PAGE_SIZE sets the number of rows on a page.")
    await publish(writer, "行数", "PAGE_SIZE は1ページの行数を設定します。", locale="ja")
    for language, title, locale in (("fr", "Rows", "en"), ("ja", "行数", "ja")):
        words = json.loads((TEXTS / f"{language}.json").read_text())
        await page.goto(hosts.add(HostPage(tag, root=f'lang="{language}"')))
        await page.get_by_role("button", name=words["help"], exact=True).click()
        await page.get_by_role("textbox", name=words["question"]).fill("PAGE_SIZE")
        found = panel(page).get_by_role("list", name=words["articles"], exact=True)
        await expect(found.get_by_role("listitem").first).to_contain_text(title)
        await expect(found.locator(f"[lang]:not([lang={locale}])")).to_have_count(0)
        await page.keyboard.press("Enter")

        await expect(panel(page).locator(f".answer .text[lang={locale}]")).to_contain_text("PAGE_SIZE")
        await expect(panel(page).locator(f".answer .row [lang={locale}]").first).to_contain_text(title)


async def test_the_page_keeps_its_own_keys_and_its_own_faults(page: Page, hosts: HostSite, tag: str) -> None:
    """Typing in the panel triggers no shortcuts of the page, and a failing listener stops nothing."""
    script = """<script>
      window.keys = 0; document.addEventListener("keydown", () => window.keys++);
      window.told = []; window.Instep = (...call) => Instep.q.push(call); Instep.q = [];
      Instep("on", "ask", () => { throw new Error("a fault of the page") });
      Instep("on", "ask", (value) => window.told.push(String(value)));
    </script>"""
    await page.goto(hosts.add(HostPage(script + tag)))
    await open_panel(page)
    await question_field(page).press_sequentially("How large is it?")
    await page.keyboard.press("Enter")
    await expect(panel(page).get_by_role("button", name="Yes")).to_be_visible()

    assert await page.evaluate("window.keys") == 0
    assert await page.evaluate("window.told") == ["undefined"]
    await page.evaluate("window.stop = Instep('on', 'open', () => window.told.push('open'))")
    await page.evaluate("window.stop(), Instep('close'), Instep('open')")
    assert await page.evaluate("window.told") == ["undefined"]


async def send_picture(writer: Client, color: tuple[int, int, int]) -> str:
    """Store a picture of 60 by 30 pixels, and return its URL."""
    data = io.BytesIO()
    Image.new("RGB", (60, 30), color).save(data, "PNG")
    sent = await writer.post(
        "/v1/files?name=red.png", content=data.getvalue(), headers={"Content-Type": "image/png"}
    )
    file = sent.json() if sent.status_code == 200 else created(sent)
    return str(file["url"])


async def test_pictures_of_protected_articles_are_shown_to_signed_in_visitors(
    page: Page, hosts: HostSite, tag: str, writer: Client, cast: Cast, owner: Tx
) -> None:
    text = f"![A green box]({await send_picture(writer, (30, 200, 60))})"
    await publish(writer, "Emerald drawing", text, visibility="authenticated")
    token = sign(await secret_of(owner, cast.acme), claims())
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    await page.evaluate("token => Instep('identify', token)", token)
    await question_field(page).fill("emerald drawing")
    articles = panel(page).get_by_role("list", name="Articles", exact=True)
    await articles.get_by_role("button", name="Emerald drawing").click()

    drawing = panel(page).get_by_role("img", name="A green box")
    await expect(drawing).to_have_js_property("width", 60)


async def test_pictures_are_shown_where_the_page_allows_none(
    page: Page, complaints: Complaints, hosts: HostSite, widget: Widget, writer: Client
) -> None:
    url = await send_picture(writer, (200, 30, 60))
    text = f"![A red box]({url}) ![Elsewhere](https://elsewhere.test/x.png)"
    await publish(writer, "Crimson drawing", text)
    await page.goto(hosts.add(HostPage(widget.tag(), widget.policy)))
    await open_panel(page)
    await question_field(page).fill("crimson drawing")
    articles = panel(page).get_by_role("list", name="Articles", exact=True)
    await articles.get_by_role("button", name="Crimson drawing").click()

    drawing = panel(page).get_by_role("img", name="A red box")
    await expect(drawing).to_have_js_property("width", 60)
    colour = await drawing.evaluate("canvas => [...canvas.getContext('2d').getImageData(9, 9, 1, 1).data]")
    assert colour == [200, 30, 60, 255]
    await expect(panel(page)).to_contain_text("Elsewhere")
    assert complaints.lines == []
