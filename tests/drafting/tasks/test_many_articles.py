"""A bot has more articles than the writer reads: it reads those most relevant to the change."""

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import (
    DIFF,
    PETS,
    SETTINGS,
    SETTINGS_AFTER,
    get,
    publish,
    send,
    write,
    write_articles,
)

LIMIT = 8
OTHER = "# Time\n\nA timeout of os settings: retries, a number of seconds to get.\n"
# Code that shares words with the other articles, so that they are the nearest.
ORDINARY = """\
diff --git a/src/time.py b/src/time.py
--- a/src/time.py
+++ b/src/time.py
@@ -1,3 +1,3 @@
 # A timeout of os settings: retries, a number of seconds to get.
 # A timeout of os settings: retries, a number of seconds to get.
-wait(1)
+wait(2)
"""
DOCS = """\
diff --git a/docs/feeding.md b/docs/feeding.md
--- a/docs/feeding.md
+++ b/docs/feeding.md
@@ -1,3 +1,3 @@
 # Feeding

-Cats eat at eight in the morning.
+Cats eat at nine in the morning.
"""


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_WRITER_ARTICLES", LIMIT)


async def write_others(client: Client, count: int = 2 * LIMIT) -> None:
    """Publish articles that share ordinary words with the change, but none of its names."""
    for number in range(count):
        await publish(client, f"Time {number}", OTHER)


async def finished(
    client: Client, run_jobs: RunJobs, diff: str = DIFF, title: str = "A timeout of os settings"
) -> Json:
    task = await send(client, title=title, diff=diff + ORDINARY)
    await run_jobs()
    done = await get(client, f"tasks/{task['id']}")
    assert done["status"] == "completed", done["error"]
    return done


@pytest.mark.usefixtures("_few")
async def test_the_article_with_the_changed_name_is_read_and_the_report_says_how_many_were(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Pets", PETS)
    article = await publish(client, "Of cats", SETTINGS + PETS * 50)
    await write_others(client)

    task = await finished(client, run_jobs)

    [named] = task["drafts"]
    assert named["articleId"] == article["id"]
    assert (await get(client, f"drafts/{named['id']}"))["contentMarkdown"] == SETTINGS_AFTER + PETS * 50
    assert f"Compared with {LIMIT} of {2 * LIMIT + 2} articles" in task["summary"]
    assert len(task["reviewed"]) <= LIMIT


@pytest.mark.usefixtures("_few")
async def test_an_article_that_is_not_live_yet_is_read_too(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    body = {"title": "Settings", "contentMarkdown": SETTINGS}
    waiting = (await client.post("/v1/articles", json=body)).json()
    for number in range(LIMIT):
        await client.post("/v1/articles", json={"title": f"Newer {number}", "contentMarkdown": PETS})
    await write_others(client)

    task = await finished(client, run_jobs)

    assert waiting["status"] == "draft"
    assert [draft["articleId"] for draft in task["drafts"]] == [waiting["id"]]


@pytest.mark.usefixtures("_few")
async def test_an_article_in_another_language_or_for_signed_in_readers_is_read_too(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_others(client)
    ids = []
    for fields in ({"locale": "de"}, {"visibility": "authenticated"}):
        body = {"title": "Settings", "contentMarkdown": SETTINGS, **fields}
        ids.append((await client.post("/v1/articles", json=body)).json()["id"])
        await client.post(f"/v1/articles/{ids[-1]}/publish")

    task = await finished(client, run_jobs)

    assert sorted(draft["articleId"] for draft in task["drafts"]) == sorted(ids)


@pytest.mark.usefixtures("_few")
async def test_an_address_that_only_links_have_is_read(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    text = "# Of cats\n\nSee [what they do](https://api.acme.io/v1/old-jobs/list).\n"
    article = await publish(client, "Of cats", text)
    await write_others(client)
    diff = (
        "--- a/src/routes.py\n+++ b/src/routes.py\n@@ -1,2 +1,2 @@\n"
        '-@router.get("/v1/old-jobs/list")\n+@router.get("/v1/new-jobs/list")\n'
        " ROUTES = 3\n"
    )

    task = await finished(client, run_jobs, diff=diff)

    assert article["id"] in {row["articleId"] for row in task["reviewed"]}


@pytest.mark.usefixtures("_few")
async def test_the_article_of_a_changed_page_of_documentation_is_read(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Of cats", f"# Feeding\n\nCats eat at eight in the morning.\n{PETS * 50}")
    await write_others(client)

    task = await finished(client, run_jobs, diff=DOCS)

    [named] = task["drafts"]
    assert named["articleId"] == article["id"]
    assert "nine" in (await get(client, f"drafts/{named['id']}"))["contentMarkdown"]


@pytest.mark.parametrize("limit", [2 * LIMIT + 2, 2_000])
async def test_a_bot_that_is_read_whole_says_nothing_of_it(
    api: Api, cast: Cast, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(limits, "MAX_WRITER_ARTICLES", limit)
    client = api(cast.acme.write_key)
    await write_articles(client)
    await write_others(client)

    task = await finished(client, run_jobs)

    assert task["summary"] == "Renamed `ACME_TIMEOUT` to `ACME_REQUEST_TIMEOUT`; 1 article states it."
    assert len(task["drafts"]) == 1


@pytest.mark.usefixtures("_few")
async def test_unread_articles_do_not_count_as_compared(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await write_others(client)

    task = await finished(client, run_jobs)

    unread = await owner.value("select unread_articles from tasks where id = %(id)s", id=task["id"])
    assert unread == LIMIT + 2
    page = await client.get(f"/help/{cast.acme.slug}/articles/time-1")
    assert page.status_code == 200
    assert "Compared with product changes" not in page.text


@pytest.mark.usefixtures("_few")
async def test_a_new_article_is_written_from_what_many_articles_say(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_others(client)
    await publish(client, "Exports", "# Exports\n\nExports are made at night, in the settings.\n")
    task = await write(client)

    await run_jobs()

    done = await get(client, f"tasks/{task['id']}")
    assert (done["status"], len(done["drafts"])) == ("completed", 1)
    assert "Compared" not in done["summary"]
