"""A worker is killed in the middle of a task: another one completes it, and each article gets one draft."""

import asyncio

import psycopg

from instep.platform.core.jobs.worker import LEASE
from tests.support.cast import Api, Cast
from tests.support.changes import PETS, SETTINGS, SETTINGS_AFTER, send
from tests.support.http import created, ok
from tests.support.installation import installed

ARTICLES = 40
# Long enough to keep the writer busy for a while.
TEXT = SETTINGS + PETS * 400
STATUS = "select status from tasks where id = %s"
# If many lines drop a name, it is renamed in any number of articles.
LINES = "".join(
    f'{mark}use_{number}("{name}")\n'
    for mark, name in (("-", "ACME_TIMEOUT"), ("+", "ACME_REQUEST_TIMEOUT"))
    for number in range(8)
)
DIFF = f"--- a/src/settings.py\n+++ b/src/settings.py\n@@ -1,8 +1,8 @@\n{LINES}"
# Ends leases as time would; a living worker would have renewed them.
END_LEASES = "update jobs set run_at = run_at - %s where worker is not null"


async def test_another_worker_ends_the_task_of_a_killed_one_with_one_draft_an_article(
    api: Api, cast: Cast, database_url: str
) -> None:
    client = api(cast.acme.write_key)
    texts = [{"title": f"Settings {number}", "contentMarkdown": TEXT} for number in range(ARTICLES)]
    articles = [created(await client.post("/v1/articles", json=text))["id"] for text in texts]
    task = await send(client, diff=DIFF)

    await asyncio.to_thread(kill_the_first_worker, database_url, task["id"])

    done = ok(await client.get(f"/v1/tasks/{task['id']}"))
    assert (done["status"], done["outcome"]) == ("completed", "drafts")
    waiting = ok(await client.get("/v1/drafts?page_size=100"))["results"]
    assert sorted(draft["articleId"] for draft in waiting) == sorted(articles)
    assert sorted(draft["id"] for draft in waiting) == sorted(draft["id"] for draft in done["drafts"])
    draft = ok(await client.get(f"/v1/drafts/{waiting[0]['id']}"))
    assert draft["contentMarkdown"].startswith(SETTINGS_AFTER)


def kill_the_first_worker(database_url: str, task_id: str) -> None:
    """Run two workers, killing the first, until the second has completed the task."""
    with (
        installed(INSTEP_DATABASE_URL=database_url) as installation,
        psycopg.connect(database_url, autocommit=True) as connection,
    ):

        def status() -> str:
            row = connection.execute(STATUS, [task_id]).fetchone()
            assert row is not None
            return str(row[0])

        killed = installation.start("worker")
        installation.until(lambda: status() == "running", 30)
        killed.kill()
        killed.wait()
        assert status() == "running"
        connection.execute(END_LEASES, [LEASE])
        installation.start("worker")
        installation.until(lambda: status() in ("completed", "failed"), 60)
