"""A proposal that a reviewer dismissed as wrong is not repeated until someone allows it again."""

import pytest

from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import DIFF, PETS, SETTINGS, send, write_articles
from tests.support.drafts import get, queue
from tests.support.http import error

LIMIT_DIFF = """\
diff --git a/src/limits.py b/src/limits.py
--- a/src/limits.py
+++ b/src/limits.py
@@ -1 +1 @@
-max_upload_mb = 10
+max_upload_mb = 25
"""
BOTH = SETTINGS + "\nThe setting `max_upload_mb` is 10 by default.\n"


@pytest.fixture
async def writer(api: Api, cast: Cast) -> Client:
    client = api(cast.acme.write_key)
    await write_articles(client)
    return client


async def drafts_of(client: Client, run_jobs: RunJobs, **fields: str) -> list[Json]:
    """The drafts of a task for the change."""
    task = await send(client, **fields)
    await run_jobs()
    drafts: list[Json] = (await get(client, f"tasks/{task['id']}"))["drafts"]
    return drafts


async def dismiss(client: Client, draft: Json, **body: str) -> None:
    dismissed = await client.post(f"/v1/drafts/{draft['id']}/dismiss", json=body)
    assert (dismissed.status_code, dismissed.json()) == (200, {"id": draft["id"], "status": "dismissed"})


@pytest.mark.parametrize("reason", ["not_needed", "wrong_article", "wrong_text"])
async def test_dismissed_change_is_not_proposed_again(writer: Client, run_jobs: RunJobs, reason: str) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, reason=reason, comment="It is an internal name.")

    assert await drafts_of(writer, run_jobs, url="https://git.test/acme/pull/8") == []

    [row] = (await get(writer, "insights/suppressed"))["results"]
    assert row.pop("id").startswith("sup_")
    assert row.pop("dismissedAt").endswith("Z")
    assert row == {
        "articleId": draft["articleId"],
        "articleTitle": "Settings",
        "summary": "“ACME_TIMEOUT” → “ACME_REQUEST_TIMEOUT”",
        "reason": reason,
        "comment": "It is an internal name.",
        "draftId": draft["id"],
        "placeId": None,
        "dismissedBy": {"type": "api_key", "name": "Acme writer"},
    }


async def test_a_task_says_what_it_holds_back(writer: Client, run_jobs: RunJobs) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, reason="not_needed")

    task = await send(writer, url="https://git.test/acme/pull/8")
    await run_jobs()

    task = await get(writer, f"tasks/{task['id']}")
    assert task["outcome"] == "no_changes"
    [verdict] = [row for row in task["reviewed"] if row["articleId"] == draft["articleId"]]
    assert verdict["verdict"] == "no_edit"
    assert verdict["reason"].startswith("Not proposed again")


@pytest.mark.parametrize("body", [{}, {"reason": "later"}, {"reason": "duplicate", "comment": "See above."}])
async def test_other_reasons_hold_nothing_back(
    writer: Client, run_jobs: RunJobs, body: dict[str, str]
) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, **body)

    assert len(await drafts_of(writer, run_jobs)) == 1
    assert (await get(writer, "insights/suppressed"))["results"] == []


async def test_the_other_facts_of_an_article_are_still_proposed(writer: Client, run_jobs: RunJobs) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, reason="wrong_text")
    await writer.patch(f"/v1/articles/{draft['articleId']}", json={"contentMarkdown": BOTH})

    [other] = await drafts_of(writer, run_jobs, diff=DIFF + LIMIT_DIFF)

    detail = await get(writer, f"drafts/{other['id']}")
    assert detail["contentMarkdown"] == BOTH.replace("10", "25")


async def test_the_same_fact_in_another_article_is_proposed(writer: Client, run_jobs: RunJobs) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, reason="wrong_article")
    pets = (await writer.get("/v1/articles/pets")).json()
    await writer.patch(f"/v1/articles/{pets['id']}", json={"contentMarkdown": PETS + "\n" + SETTINGS})

    [other] = await drafts_of(writer, run_jobs)

    assert other["articleId"] == pets["id"]


async def test_deleting_the_suppression_allows_the_proposal_again(writer: Client, run_jobs: RunJobs) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, reason="not_needed")
    [row] = (await get(writer, "insights/suppressed"))["results"]

    lifted = await writer.delete(f"/v1/insights/suppressed/{row['id']}")

    assert (lifted.status_code, lifted.json()) == (200, {"id": row["id"], "deleted": True})
    assert error(await writer.delete(f"/v1/insights/suppressed/{row['id']}")) == (404, "not_found")
    assert len(await drafts_of(writer, run_jobs)) == 1


async def test_reopening_takes_the_dismissal_back_wholly(writer: Client, run_jobs: RunJobs) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, reason="not_needed")

    await writer.post(f"/v1/drafts/{draft['id']}/reopen")

    assert await queue(writer) == [draft["id"]]
    assert (await get(writer, "insights/suppressed"))["results"] == []


async def test_another_company_sees_and_lifts_nothing(
    writer: Client, globex: Client, run_jobs: RunJobs
) -> None:
    [draft] = await drafts_of(writer, run_jobs)
    await dismiss(writer, draft, reason="not_needed")
    [row] = (await get(writer, "insights/suppressed"))["results"]

    assert (await get(globex, "insights/suppressed"))["results"] == []
    assert error(await globex.delete(f"/v1/insights/suppressed/{row['id']}")) == (404, "not_found")


@pytest.mark.parametrize(
    "body", [{"reason": "because"}, {"reason": None}, {"comment": "x" * 2_001}, {"why": "x"}]
)
async def test_a_bad_reason_is_refused(client: Client, draft: Json, body: Json) -> None:
    refusal = await client.post(f"/v1/drafts/{draft['id']}/dismiss", json=body)

    assert error(refusal) == (400, "invalid_request")
    assert await queue(client) == [draft["id"]]
