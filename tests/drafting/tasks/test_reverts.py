"""A revert removes the pending drafts of the reverted change from the queue."""

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, RunJobs
from tests.support.changes import DIFF, URL, get, send, write_articles

TITLE = "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT"
BACK = DIFF.replace("-TIMEOUT", "*TIMEOUT").replace("+TIMEOUT", "-TIMEOUT").replace("*TIMEOUT", "+TIMEOUT")
REVERT_URL = "https://git.test/acme/pull/9"


async def pending_draft(client: Client, run_jobs: RunJobs) -> str:
    """The id of the pending draft of a change."""
    await write_articles(client)
    task = await send(client)
    await run_jobs()
    [draft] = (await get(client, f"tasks/{task['id']}"))["drafts"]
    return str(draft["id"])


async def revert(client: Client, title: str, body: str | None, diff: str | None = BACK) -> None:
    await send(client, title=title, body=body, diff=diff, url=REVERT_URL)


async def status(client: Client, draft: str) -> str:
    return str((await get(client, f"drafts/{draft}"))["status"])


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
    draft = await pending_draft(client, run_jobs)

    await revert(client, title, body)
    await run_jobs()

    assert await status(client, draft) == "dismissed"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Revert to the old look of buttons", None),
        (f'Revert "{TITLE}"', "Reverts acme/app#70"),
        (f"Do not revert {TITLE}", f"See {URL}"),
        ('Revert "Something of another repository"', "Reverts acme/web#7"),
    ],
)
async def test_drafts_of_other_changes_stay(
    api: Api, cast: Cast, run_jobs: RunJobs, title: str, body: str | None
) -> None:
    client = api(cast.acme.write_key)
    draft = await pending_draft(client, run_jobs)

    url = REVERT_URL.replace("acme", "acme-web") if body and "acme/web" in body else REVERT_URL
    await send(client, title=title, body=body, diff=None, url=url)
    await run_jobs()

    assert await status(client, draft) == "pending"


async def test_drafts_of_another_workspace_stay(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    acme, globex = api(cast.acme.write_key), api(cast.globex.write_key)
    draft = await pending_draft(acme, run_jobs)

    await revert(globex, f'Revert "{TITLE}"', "Reverts acme/app#7")
    await run_jobs()

    assert await status(acme, draft) == "pending"


async def test_a_revert_waits_while_its_workspace_is_paused(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    draft = await pending_draft(client, run_jobs)
    await revert(client, f'Revert "{TITLE}"', None)
    await pause_workspace(owner, cast.acme.workspace_id)

    await run_jobs()

    status = await owner.value("select status from drafts where id = %(draft)s", draft=draft)
    assert status == "pending"
