"""Unanswered questions in the dashboard: write an article, merge, dismiss, and undo."""

import re

from playwright.async_api import Page, expect

from instep.platform.core.database import Database
from instep.visitors.insights.schemas import Nearest
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client, RunJobs
from tests.support.http import ok
from tests.support.site_pages import publish
from tests.support.unanswered import RESET, ask, unanswered

OTHER = "I forgot what I type to sign in"


async def test_the_most_asked_question_comes_first_with_counts_and_nearest_articles(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    article = await publish(client, "Passwords", "Choose a long one.")
    await ask(database, cast.acme, OTHER)
    for visitor in ("ann", "bob"):
        await ask(database, cast.acme, visitor=visitor, nearest=[Nearest(article["id"], 2.0)])

    text = (await desk.get("questions")).text

    assert text.index(RESET) < text.index(OTHER)
    assert "asked 2 times by 2 visitors" in text
    assert "asked once by 1 visitor" in text
    assert f'href="{desk.path("articles/" + article["id"])}"' in text


async def test_questions_are_filtered_by_status_and_language(
    desk: Desk, cast: Cast, database: Database
) -> None:
    question = await ask(database, cast.acme)
    await ask(database, cast.acme, "Wie lade ich mein Team ein?", locale="de")
    await desk.send("questions", f"questions/{question}/dismiss")

    assert titles_in((await desk.get("questions")).text) == ["Wie lade ich mein Team ein?"]
    assert titles_in((await desk.get("questions?status=dismissed")).text) == [RESET]
    assert titles_in((await desk.get("questions?status=dismissed&language=de")).text) == []


async def test_an_article_is_written_for_a_question_that_only_one_visitor_asked(
    desk: Desk, client: Client, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    question = await ask(database, cast.acme)
    answer = await desk.send("questions", f"questions/{question}/draft")
    await run_jobs()

    assert "being written" in (await desk.follow(answer)).text
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    assert "1 visitor asked this once" in draft["reason"]
    assert f'href="{desk.path("review/" + draft["id"])}"' in (await desk.get("questions")).text


async def test_after_a_dismissed_draft_another_one_can_be_written(
    desk: Desk, client: Client, cast: Cast, database: Database, run_jobs: RunJobs
) -> None:
    question = await ask(database, cast.acme)
    await desk.send("questions", f"questions/{question}/draft")
    await run_jobs()
    again = await desk.send("questions", f"questions/{question}/draft")
    [first] = ok(await client.get("/v1/drafts"))["results"]
    ok(await client.post(f"/v1/drafts/{first['id']}/dismiss"))
    await desk.send("questions", f"questions/{question}/draft")
    await run_jobs()

    assert again.status_code == 400
    [second] = ok(await client.get("/v1/drafts"))["results"]
    assert second["id"] != first["id"]


async def test_dismissing_is_undone_from_the_notice(desk: Desk, cast: Cast, database: Database) -> None:
    question = await ask(database, cast.acme)
    answer = await desk.send("questions", f"questions/{question}/dismiss")
    notice = (await desk.follow(answer)).text
    undo = f"questions/{question}/reopen"

    assert f'action="{desk.path(undo)}"' in notice
    await desk.send("questions?status=dismissed", undo)
    assert titles_in((await desk.get("questions")).text) == [RESET]


async def test_two_questions_are_merged(desk: Desk, client: Client, cast: Cast, database: Database) -> None:
    target, question = await ask(database, cast.acme), await ask(database, cast.acme, OTHER)
    german = await ask(database, cast.acme, "Wie lade ich mein Team ein?", locale="de")
    page = (await desk.get(f"questions/{question}/merge")).text

    answer = await desk.send(f"questions/{question}/merge", f"questions/{question}/merge", into=target)

    assert (f'value="{target}"' in page, f'value="{german}"' in page) == (True, False)
    assert "Merged into" in (await desk.follow(answer)).text
    assert [row["askedCount"] for row in await unanswered(client)] == [2, 1]


async def test_no_question_is_chosen_for_whoever_merges(
    desk: Desk, client: Client, cast: Cast, database: Database
) -> None:
    await ask(database, cast.acme)
    question = await ask(database, cast.acme, OTHER)
    page = f"questions/{question}/merge"
    unchosen = await desk.send(page, page)

    assert " checked" not in (await desk.get(page)).text
    assert (unchosen.status_code, "Nothing was merged" in unchosen.text) == (400, True)
    assert len(await unanswered(client)) == 2


async def test_similar_questions_are_offered_first(desk: Desk, cast: Cast, database: Database) -> None:
    question = await ask(database, cast.acme, "How do I export my invoices?")
    for visitor in ("ann", "bob"):
        await ask(database, cast.acme, OTHER, visitor)
    similar = await ask(database, cast.acme, "Where are invoices kept for the accountant?")

    page = (await desk.get(f"questions/{question}/merge")).text

    assert re.findall(r'type="radio" name="into" value="(\w+)"', page)[0] == similar


async def test_viewers_and_strangers_change_nothing(
    desk: Desk, viewer: Desk, stranger: Desk, cast: Cast, database: Database, client: Client
) -> None:
    question, foreign = await ask(database, cast.acme), await ask(database, cast.globex)
    for act in ("draft", "dismiss", "reopen", "merge"):
        assert (await viewer.post(f"questions/{question}/{act}", {"into": "q"})).status_code == 403
        assert (await desk.post(f"questions/{question}/{act}", {"into": "q"})).status_code == 403
        assert (await desk.send("questions", f"questions/{foreign}/{act}")).status_code == 404
        assert (await stranger.post(f"questions/{question}/{act}", {"into": "q"})).status_code == 403

    assert "<form" not in main_of((await viewer.get("questions")).text)
    assert [row["status"] for row in await unanswered(client)] == ["open"]


async def test_nothing_waits_and_the_page_says_where_questions_come_from(desk: Desk) -> None:
    assert "when visitors ask" in (await desk.get("questions")).text


async def test_undo_works_from_the_keyboard(
    signed_in_tab: Page, development_server: str, desk: Desk, cast: Cast, database: Database
) -> None:
    await ask(database, cast.acme)
    await signed_in_tab.goto(development_server + desk.path("questions"))
    await signed_in_tab.get_by_role("button", name="Dismiss").press("Enter")
    await expect(signed_in_tab.get_by_role("heading", name=RESET)).to_have_count(0)
    await signed_in_tab.keyboard.press("z")

    await expect(signed_in_tab.get_by_role("heading", name=RESET)).to_be_visible()


def titles_in(text: str) -> list[str]:
    return re.findall(r'<h2 id="q_\w+" lang="[^"]+"><bdi>([^<]+)', text)


def main_of(text: str) -> str:
    return text.partition("<main")[2].partition("</main>")[0]
