"""Several changes as one bundle, which proposes nothing twice."""

import pytest

from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import PROVEN, STATED, change, get, publish, send
from tests.support.http import error, ok

BUNDLE = "Backfill of the last 30 days"
ELSEWHERE = PROVEN.replace("src/settings.py", "src/worker.py")


async def send_bundled(
    client: Client, run_jobs: RunJobs, number: int, diff: str = PROVEN, bundle: str = BUNDLE
) -> Json:
    url = f"https://git.test/acme/pull/{number}"
    task = await send(client, None, title=f"Change {number}", url=url, diff=diff, bundle=bundle)
    await run_jobs()
    return await get(client, f"tasks/{task['id']}")


@pytest.fixture
def client(api: Api, cast: Cast) -> Client:
    return api(cast.acme.write_key)


async def test_an_edit_that_waits_in_the_bundle_is_not_proposed_again(
    client: Client, run_jobs: RunJobs
) -> None:
    await publish(client, "Timeouts", STATED)
    first = await send_bundled(client, run_jobs, 1)
    second = await send_bundled(client, run_jobs, 2, ELSEWHERE)
    outside = await send_bundled(client, run_jobs, 3, ELSEWHERE, "Another bundle")

    assert (first["change"]["bundle"], first["outcome"]) == (BUNDLE, "drafts")
    assert second["drafts"] == []
    assert second["reviewed"][0]["reason"].startswith("Not proposed again")
    assert outside["outcome"] == "drafts"


async def test_an_edit_that_waits_because_of_drift_is_not_proposed_again(
    client: Client, run_jobs: RunJobs
) -> None:
    await publish(client, "Timeouts", STATED)
    line = {"file": "src/settings.py", "line": 3, "fileToday": "src/settings.py", "lineToday": 3}
    commit = {"commit": "4b825dc", "title": "Wait longer", "date": "2026-11-03", "diff": PROVEN, "names": []}
    body = {
        "commit": "4b825dc",
        "changes": [{**commit, "standing": [line]}],
        "goneNames": [],
        "absentKeys": [],
    }
    [finding] = ok(await client.post("/v1/drift/checks", json=body))["findings"]

    await send(client, diff=PROVEN)
    await run_jobs()

    assert [row["id"] for row in (await get(client, "drafts"))["results"]] == [finding["draftId"]]


async def test_the_same_change_again_keeps_its_own_draft(client: Client, run_jobs: RunJobs) -> None:
    await publish(client, "Timeouts", STATED)
    await send_bundled(client, run_jobs, 1)
    again = await send_bundled(client, run_jobs, 1)

    [draft] = (await get(client, "drafts"))["results"]
    assert [row["id"] for row in again["drafts"]] == [draft["id"]]


@pytest.mark.parametrize("bundle", ["", "x" * 201, 1])
async def test_a_title_that_is_none_is_refused(client: Client, bundle: object) -> None:
    response = await client.post("/v1/tasks", json=change(bundle=bundle))

    assert error(response) == (400, "invalid_request")
