"""Tasks in the dashboard: the request, its progress and results, and creating more tasks."""

import html
import re

import pytest
from playwright.async_api import Page, expect

from instep.platform.core.database import Database, Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client, RunJobs
from tests.support.changes import DIFF, change, send, write_articles
from tests.support.limits import SetSetting
from tests.support.places import REASON, open_place

TITLE = "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT"


async def test_the_list_tells_what_came_of_each_task(desk: Desk, client: Client, run_jobs: RunJobs) -> None:
    await write_articles(client)
    await send(client)
    await run_jobs()
    await send(client, title="Another one")

    text = (await desk.get("tasks")).text

    assert text.index("Another one") < text.index(TITLE)
    assert "queued" in text
    assert "1 draft" in text
    assert "1 to review" in text


@pytest.mark.parametrize(("status", "titles"), [("running", ["New"]), ("completed", ["Old"]), ("failed", [])])
async def test_the_list_is_filtered_by_status(
    desk: Desk, client: Client, run_jobs: RunJobs, status: str, titles: list[str]
) -> None:
    await send(client, title="Old")
    await run_jobs()
    await send(client, title="New")

    assert titles_in((await desk.get(f"tasks?status={status}")).text) == titles


async def test_the_list_goes_on_on_a_next_page(desk: Desk, client: Client) -> None:
    for number in range(21):
        await send(client, title=f"Change {number}")
    first = (await desk.get("tasks")).text
    [following] = re.findall(r'rel="next" href="([^"]+)"', first)

    second = (await desk.visitor.get(following.replace("&amp;", "&"))).text

    assert len(titles_in(first)) == 20
    assert titles_in(second) == ["Change 0"]
    assert "First page" in second


async def test_a_workspace_without_tasks_says_what_to_do_first(desk: Desk, viewer: Desk) -> None:
    assert 'href="' + desk.path("tasks/new") in (await desk.get("tasks")).text
    assert "tasks/new" not in (await viewer.get("tasks")).text


async def test_a_task_shows_drafts_reasons_and_what_was_sent(
    desk: Desk, client: Client, run_jobs: RunJobs
) -> None:
    article = await write_articles(client)
    task = await send(client)
    await run_jobs()
    ended = (await client.get(f"/v1/tasks/{task['id']}")).json()

    text = (await desk.get(f"tasks/{task['id']}")).text

    assert f'href="{desk.path("review/" + ended["drafts"][0]["id"])}"' in text
    assert "to review" in text
    assert "ACME_REQUEST_TIMEOUT&#34;, &#34;30&#34;" in text
    assert 'hx-trigger="every' not in text
    assert article["title"] in text


async def test_articles_that_are_looked_at_tell_why_they_stay(desk: Desk, client: Client, owner: Tx) -> None:
    task = await send(client)
    await owner.execute(
        """
        update tasks set status = 'completed', outcome = 'no_changes', summary = 'Nothing.', reviewed =
          '[{"article_id": "art_1", "title": "Pets", "verdict": "no_edit", "reason": "It shares few words."},
            {"article_id": "art_2", "title": "Limits", "verdict": "concerned", "reason": "A limit is new.",
             "heading": "Uploads", "evidence": []}]'
        where id = %(id)s
        """,
        id=task["id"],
    )

    text = (await desk.get(f"tasks/{task['id']}")).text

    below = text[text.index("Reviewed, no change") :]
    # The second article got no draft although the change concerns it.
    assert "It shares few words." in below
    assert "A limit is new." in below


async def test_a_task_names_its_places_and_never_says_that_no_edit_is_needed(
    desk: Desk, client: Client, cast: Cast, owner: Tx, database: Database
) -> None:
    place = await open_place(client, database, cast.acme)
    await owner.execute(
        "update tasks set status = 'completed', outcome = 'places', summary = 'Found.' where id = %(id)s",
        id=place["taskId"],
    )

    for path in ("tasks", f"tasks/{place['taskId']}"):
        text = (await desk.get(path)).text
        assert "needs writing" in text
        assert "no edit needed" not in text
    for words in ("Under “<bdi>Schedule exports</bdi>”", "line 5", REASON, f"review/{place['id']}"):
        assert words in html.unescape(text)

    await client.post(f"/v1/places/{place['id']}/resolve")
    text = (await desk.get(f"tasks/{place['taskId']}")).text
    assert "resolved" in text
    assert "needs writing" not in text


async def test_a_failed_task_says_why_and_what_to_do(desk: Desk, client: Client, owner: Tx) -> None:
    task = await send(client)
    await owner.execute(
        "update tasks set status = 'failed', error_code = 'too_expensive', error_message = 'Send less.' "
        "where id = %(id)s",
        id=task["id"],
    )

    text = (await desk.get(f"tasks/{task['id']}")).text

    assert "Send less." in text
    assert "No article" in text


async def test_while_a_task_waits_its_progress_is_asked_for_and_its_end_loads_the_page(
    desk: Desk, client: Client, run_jobs: RunJobs
) -> None:
    task = await send(client)
    page = (await desk.get(f"tasks/{task['id']}")).text
    waiting = await desk.get(f"tasks/{task['id']}/progress")
    await run_jobs()
    ended = await desk.get(f"tasks/{task['id']}/progress")

    assert 'hx-trigger="every 2s"' in page
    assert ("HX-Refresh" in waiting.headers, ended.headers["HX-Refresh"]) == (False, "true")


async def test_a_change_is_sent_from_a_form_and_runs(desk: Desk, client: Client, run_jobs: RunJobs) -> None:
    await write_articles(client)
    sent = change()["change"] | {"diff": DIFF.replace("\n", "\r\n"), "body": ""}

    answer = await desk.send("tasks/new", "tasks", about="change", nonce="a", **sent)
    await run_jobs()

    assert "1" in re.findall(r'Drafts <span class="count">(\d+)', (await desk.follow(answer)).text)


async def test_a_form_that_is_sent_twice_makes_one_task(desk: Desk, client: Client) -> None:
    fields = {"about": "article", "nonce": "a", "title": "Export", "instructions": "", "collectionId": ""}
    first = await desk.send("tasks/new", "tasks", **fields)
    second = await desk.send("tasks/new", "tasks", **fields)
    other = await desk.send("tasks/new", "tasks", **(fields | {"title": "Import"}))

    assert first.headers["Location"] == second.headers["Location"] != other.headers["Location"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": " ", "diff": DIFF}, "Title: it is required"),
        ({"title": "A" * 201, "diff": DIFF}, "Title: it "),
        ({"title": "A", "diff": "@@ -1 +1 @@ nonsense"}, "diff"),
    ],
)
async def test_a_form_that_is_refused_keeps_what_was_written(
    desk: Desk, fields: dict[str, str], words: str
) -> None:
    answer = await desk.send("tasks/new", "tasks", about="change", kind="pr", body="My words", **fields)

    assert answer.status_code == 400
    assert words in answer.text
    assert "My words" in answer.text


async def test_rate_limited_form_keeps_its_text_and_does_not_count(
    desk: Desk, owner: Tx, set_setting: SetSetting
) -> None:
    set_setting("INSTEP_TASKS_PER_HOUR", "1")
    fields = {"about": "article", "title": "Export", "instructions": "My words"}
    await desk.send("tasks/new", "tasks", **fields)
    answers = [await desk.send("tasks/new", "tasks", **fields) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [429, 429]
    assert "My words" in answers[0].text
    hits = "select hits from rate_windows where policy = 'tasks' and subject = %(id)s"
    assert await owner.value(hits, id=desk.user.id) == 1


async def test_strangers_see_no_task_and_viewers_send_none(
    desk: Desk, viewer: Desk, stranger: Desk, client: Client
) -> None:
    task = await send(client)

    assert (await stranger.get(f"tasks/{task['id']}")).status_code == 404
    assert (await desk.get("tasks/task_nothing")).status_code == 404
    assert (await viewer.get(f"tasks/{task['id']}")).status_code == 200
    assert (await viewer.get("tasks/new")).status_code == 403
    assert (await viewer.post("tasks", {"about": "article"})).status_code == 403
    assert (await desk.post("tasks", {"about": "article"})).status_code == 403


async def test_a_page_that_waits_shows_the_end_by_itself(
    signed_in_tab: Page, development_server: str, desk: Desk, client: Client, run_jobs: RunJobs
) -> None:
    task = await send(client)
    await signed_in_tab.goto(development_server + desk.path(f"tasks/{task['id']}"))
    await expect(signed_in_tab.get_by_role("status").first).to_contain_text("Waiting to start")
    await run_jobs()

    await expect(signed_in_tab.get_by_text("no edit needed")).to_be_visible()


def titles_in(text: str) -> list[str]:
    return re.findall(r'<a class="row" [^>]*><strong><bdi>([^<]+)', text)
