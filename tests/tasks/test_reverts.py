"""A revert takes the pending drafts of what it reverts out of the queue."""

import pytest

from tests.support.cast import Api, Cast, RunJobs
from tests.tasks.changes import DIFF, URL, get, send, write_articles

TITLE = "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT"
BACK = DIFF.replace("-TIMEOUT", "*TIMEOUT").replace("+TIMEOUT", "-TIMEOUT").replace("*TIMEOUT", "+TIMEOUT")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        (f'Revert "{TITLE}"', None),
        (f'Revert "{TITLE} (#7)" (#9)', "Reverts acme/app#7"),
        (f"revert: {TITLE}", "It broke the deployment."),
        ('Revert "Another name for the same"', "Reverts acme/app#7"),
    ],
)
async def test_drafts_of_the_reverted_change_leave_the_queue(
    api: Api, cast: Cast, run_jobs: RunJobs, title: str, body: str | None
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    await run_jobs()
    [draft] = (await get(client, f"tasks/{task['id']}"))["drafts"]

    await send(client, title=title, body=body, diff=BACK, url="https://git.test/acme/pull/9")
    await run_jobs()

    assert (await get(client, f"drafts/{draft['id']}"))["status"] == "dismissed"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Revert to the old look of buttons", None),
        (f'Revert "{TITLE}"', "Reverts acme/app#70"),
        (f"Do not revert {TITLE}", f"See {URL}"),
    ],
)
async def test_drafts_of_other_changes_stay(
    api: Api, cast: Cast, run_jobs: RunJobs, title: str, body: str | None
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    await run_jobs()
    [draft] = (await get(client, f"tasks/{task['id']}"))["drafts"]

    await send(client, title=title, body=body, diff=None, url="https://git.test/acme/pull/9")
    await run_jobs()

    assert (await get(client, f"drafts/{draft['id']}"))["status"] == "pending"
