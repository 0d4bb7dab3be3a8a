"""A pull request may undo what an earlier push changed; the draft then leaves the queue too."""

import pytest

from tests.drafting.tasks.test_new_pages import page
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import SETTINGS_AFTER, get, send, write_articles
from tests.support.wording import like

OTHER = """\
diff --git a/src/colours.py b/src/colours.py
--- a/src/colours.py
+++ b/src/colours.py
@@ -1 +1 @@
-LINK = "blue"
+LINK = "green"
"""


async def pending(client: Client) -> list[Json]:
    drafts: list[Json] = (await get(client, "drafts"))["results"]
    return drafts


async def ended(client: Client, run_jobs: RunJobs, **fields: object) -> Json:
    task = await send(client, None, **fields)
    await run_jobs()
    return await get(client, f"tasks/{task['id']}")


async def test_a_draft_leaves_the_queue_when_a_later_push_no_longer_calls_for_it(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    [draft] = (await ended(client, run_jobs))["drafts"]

    later = await ended(client, run_jobs, diff=OTHER)

    assert await pending(client) == []
    assert (await get(client, f"drafts/{draft['id']}"))["status"] == "dismissed"
    assert "1 draft was" in later["summary"]


async def test_a_new_page_leaves_the_queue_too(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await ended(client, run_jobs, diff=page("Single sign-on"))

    await ended(client, run_jobs, diff=page("Two factors"))

    assert [row["title"] for row in await pending(client)] == ["Two factors"]


@pytest.mark.parametrize(
    "fields", [{"url": "https://git.test/acme/pull/8"}, {"diff": None, "body": "Renames a variable."}]
)
async def test_draft_stays_after_another_change_and_one_without_a_diff(
    api: Api, cast: Cast, run_jobs: RunJobs, fields: Json
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    [draft] = (await ended(client, run_jobs))["drafts"]

    await ended(client, run_jobs, **{"diff": OTHER, **fields})

    assert [row["id"] for row in await pending(client)] == [draft["id"]]


@pytest.mark.parametrize("is_approved", [False, True])
async def test_drafts_with_work_of_a_person_stay_with_a_warning(
    api: Api, cast: Cast, run_jobs: RunJobs, is_approved: bool
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    [draft] = (await ended(client, run_jobs))["drafts"]
    address = f"/v1/drafts/{draft['id']}"
    if is_approved:
        await client.post(f"{address}/apply", json={"when": "release"})
    else:
        await client.patch(address, json={"contentMarkdown": f"{SETTINGS_AFTER}\nAsk us for more.\n"})

    await ended(client, run_jobs, diff=OTHER)
    await ended(client, run_jobs, diff=OTHER)

    [kept] = await pending(client)
    warnings = (await get(client, f"drafts/{kept['id']}"))["warnings"]
    assert [warning for warning in warnings if "no longer requires" in warning] == [
        like("…no longer requires…")
    ]
