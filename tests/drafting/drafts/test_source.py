"""A draft's source and certainty."""

from instep.platform.core.database import Database
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import PROVEN, STATED, URL, publish, send, write
from tests.support.drafts import get, queue_new

TITLE = "Wait longer"


async def test_a_draft_of_a_change_names_the_change_and_is_certain(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Timeouts", STATED)
    task = await send(client, diff=PROVEN, title=TITLE)
    await run_jobs()

    [row] = (await get(client, "drafts"))["results"]

    assert row["source"] == {"kind": "pr", "title": TITLE, "url": URL, "taskId": task["id"]}
    assert (row["certainty"], row["approvedBy"], row["approvedAt"]) == ("certain", None, None)
    detail = await get(client, f"drafts/{row['id']}")
    assert {name: detail[name] for name in row} == row


async def test_a_draft_of_a_requested_article_names_the_request(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    task = await write(client)
    await run_jobs()

    [row] = (await get(client, "drafts"))["results"]

    title = task["article"]["title"]
    assert row["source"] == {"kind": "article", "title": title, "url": None, "taskId": task["id"]}
    assert row["certainty"] == "likely"


async def test_a_draft_from_questions_names_the_first(client: Client, cast: Cast, database: Database) -> None:
    draft_id = await queue_new(database, cast.acme, "gap_draft")

    draft = await get(client, f"drafts/{draft_id}")

    title = "How do I export my data?"
    assert draft["source"] == {"kind": "question", "title": title, "url": None, "taskId": None}


async def test_draft_of_a_program_has_no_source_and_no_certainty(draft: Json) -> None:
    assert (draft["source"], draft["certainty"]) == (None, None)
