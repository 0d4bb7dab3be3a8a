"""Failures on the way to an answer: no text that a visitor wrote is lost, and no question is asked twice."""

from playwright.async_api import Page, Route, expect

from instep.platform.core.database import Tx
from tests.support.cast import Cast
from tests.support.host_pages import HostPage, HostSite
from tests.support.visitor_tokens import claims, now, secret_of, sign
from tests.support.widget_pages import ask, open_panel, panel, question_field

ANYWHERE = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Retry-After"}


async def times_kept(owner: Tx, cast: Cast, question: str) -> object:
    asked = "select count(*) from messages where bot_id = %(bot)s and question = %(question)s"
    return await owner.value(asked, bot=cast.acme.bot_id, question=question)


async def test_a_connection_that_comes_back_is_used_at_once(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    question = "How large may my file be?"
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    await page.context.set_offline(True)
    await question_field(page).fill(question)
    await page.keyboard.press("Enter")
    await expect(panel(page).get_by_role("button", name="Try again")).to_be_visible()
    await expect(panel(page)).to_contain_text("You are offline.")

    await page.context.set_offline(False)
    await expect(panel(page).locator(".text")).to_contain_text("50 MB")
    await expect(panel(page).get_by_text(question, exact=True)).to_have_count(1)
    assert await times_kept(owner, cast, question) == 1


async def test_an_answer_that_breaks_off_is_completed_and_kept_once(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    question = "How large may one file be?"
    bodies: list[str] = []

    async def break_off(route: Route) -> None:
        bodies.append(route.request.post_data or "")
        answer = await route.fetch()
        body = await answer.text()
        if len(bodies) == 1:
            body = body[: body.index("event: done")]
        await route.fulfill(response=answer, body=body)

    await page.route("**/chat", break_off)
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page, question)

    await expect(panel(page).get_by_role("button", name="Yes")).to_be_visible()
    await expect(panel(page).locator(".text")).to_contain_text("50 MB")
    assert len(bodies) == 2
    assert bodies[0] == bodies[1]
    assert await times_kept(owner, cast, question) == 1


async def test_a_help_center_that_fails_is_asked_again_with_the_same_question(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    question = "How large may files be?"

    async def fail(route: Route) -> None:
        await route.fetch()
        await route.fulfill(status=503, headers=ANYWHERE, body="")

    await page.route("**/chat", fail, times=1)
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page, question)
    await expect(panel(page)).to_contain_text("Nothing is lost")
    await panel(page).get_by_role("button", name="Try again").click()

    await expect(panel(page).locator(".text")).to_contain_text("50 MB")
    await expect(question_field(page)).to_be_focused()
    assert await times_kept(owner, cast, question) == 1


async def test_a_visitor_whose_token_has_expired_still_gets_answers_and_the_page_hears_of_it(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    token = sign(await secret_of(owner, cast.acme), claims(exp=now() - 3600))
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    await page.evaluate("() => void Instep('on', 'error', (value) => (window.told = value))")
    await page.evaluate("token => Instep('identify', token)", token)
    await question_field(page).fill("size of a file")
    found = panel(page).get_by_role("list", name="Articles", exact=True)
    await expect(found.get_by_role("button").first).to_be_visible()
    assert await page.evaluate("window.told") == {"status": 400}

    await page.evaluate("token => Instep('identify', token)", token)
    await question_field(page).fill("How large may a file be?")
    await page.keyboard.press("Enter")
    await expect(panel(page).locator(".text")).to_contain_text("50 MB")


async def test_a_refusal_of_something_else_keeps_the_visitor_signed_in(
    page: Page, hosts: HostSite, tag: str, cast: Cast, owner: Tx
) -> None:
    token = sign(await secret_of(owner, cast.acme), claims())
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    await page.evaluate("token => Instep('identify', token)", token)
    async with page.expect_response("**/chat") as refused:
        await page.evaluate("Instep('ask', 'x'.repeat(2001))")
    assert (await refused.value).status == 400
    await expect(panel(page).get_by_role("button", name="Try again")).to_be_visible()

    async with page.expect_request("**/chat") as asked:
        await page.evaluate("Instep('ask', 'How large may a file be?')")
    assert token in str((await asked.value).post_data)


async def test_a_failure_below_long_answers_is_seen(page: Page, hosts: HostSite, tag: str) -> None:
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page)
    for count in range(1, 4):
        await expect(panel(page).get_by_role("button", name="Yes")).to_have_count(count)
        await page.evaluate("Instep('ask', 'How large may a file be?')")
    await page.route("**/chat", lambda route: route.fulfill(status=503, headers=ANYWHERE, body=""))
    await expect(panel(page).get_by_role("button", name="Yes")).to_have_count(4)
    await page.evaluate("Instep('ask', 'How large may two files be?')")

    await expect(panel(page).locator(".failure")).to_be_in_viewport(ratio=1)


async def test_a_limit_is_waited_for(page: Page, hosts: HostSite, tag: str) -> None:
    refusal = {**ANYWHERE, "Retry-After": "1"}
    await page.route("**/chat", lambda route: route.fulfill(status=429, headers=refusal, body=""), times=1)
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page)
    retry = panel(page).get_by_role("button", name="Try again")
    await expect(panel(page)).to_contain_text("Too many questions")
    await expect(retry).to_be_disabled()
    await expect(retry).to_be_enabled()
    await retry.click()

    await expect(panel(page).locator(".text")).to_contain_text("50 MB")


async def test_a_search_that_fails_hinders_nobody_from_asking(page: Page, hosts: HostSite, tag: str) -> None:
    for path in ("**/search?**", "**/suggestions?**"):
        await page.route(path, lambda route: route.fulfill(status=500, headers=ANYWHERE, body=""))
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    async with page.expect_response("**/search?**"):
        await question_field(page).fill("How large may a file be?")
    await page.keyboard.press("Enter")

    await expect(panel(page).locator(".text")).to_contain_text("50 MB")


async def test_an_article_that_can_not_be_read_leaves_its_passage_and_its_page(
    page: Page, hosts: HostSite, tag: str
) -> None:
    await page.route("**/articles/art_*", lambda route: route.abort())
    await page.goto(hosts.add(HostPage(tag)))
    await ask(page)
    sources = panel(page).get_by_role("list", name="Sources")
    await sources.get_by_role("button", name="Files", exact=True).click()

    await expect(panel(page).get_by_role("blockquote")).to_contain_text("50 MB")
    await expect(panel(page).get_by_role("link", name="Open as a page")).to_be_visible()


async def test_a_message_that_can_not_be_sent_stays(page: Page, hosts: HostSite, tag: str) -> None:
    await page.route("**/leads", lambda route: route.abort(), times=1)
    await page.goto(hosts.add(HostPage(tag)))
    await open_panel(page)
    await panel(page).get_by_role("button", name="Talk to a person").click()
    await panel(page).get_by_label("Email").fill("ann@example.com")
    await panel(page).get_by_label("Message").fill("My file is 80 MB.")
    await panel(page).get_by_role("button", name="Send").click()
    await expect(panel(page).get_by_role("alert")).to_contain_text("still here")

    await panel(page).get_by_role("button", name="Send").click()
    await expect(panel(page)).to_contain_text("Your message was sent.")
