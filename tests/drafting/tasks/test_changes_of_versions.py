"""Changes of a branch: their product version, its articles, and applying their drafts."""

from typing import Any

import pytest

from instep.drafting import writer
from instep.drafting.tasks import jobs
from tests.support.cast import Client, Json, RunJobs
from tests.support.changes import PROVEN, SETTINGS, STATED, publish, send
from tests.support.http import created, error, ok
from tests.support.limits import SetLimit

VERSIONS = "/v1/product-versions"
TITLE = "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT"


@pytest.fixture(autouse=True)
async def three_versions(client: Client) -> None:
    for slug, branch in (("1.x", "release/1.*"), ("2.x", "main"), ("3.0", "next")):
        created(await client.post(VERSIONS, json={"slug": slug, "branches": [branch]}))
    ok(await client.patch(f"{VERSIONS}/2.x", json={"isCurrent": True}))


async def process(client: Client, run_jobs: RunJobs, branch: str) -> Json:
    task = await send(client, branch=branch, url=f"https://git.test/acme/pull/{branch}")
    await run_jobs()
    return ok(await client.get(f"/v1/tasks/{task['id']}"))


async def texts(client: Client, version: str) -> list[str]:
    """The texts of a version's articles."""
    rows = ok(await client.get("/v1/articles", params={"version": version}))["results"]
    return sorted(row["contentMarkdown"] for row in rows)


async def only_draft(client: Client) -> Json:
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    return ok(await client.get(f"/v1/drafts/{draft['id']}"))


async def test_a_branch_without_a_version_changes_all_versions(client: Client, run_jobs: RunJobs) -> None:
    await publish(client, "Install", SETTINGS)

    task = await process(client, run_jobs, "feature/login")
    draft = await only_draft(client)
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    assert (task["version"], draft["version"]) == (None, None)
    assert await texts(client, "1.x") == await texts(client, "3.0") == [draft["contentMarkdown"]]


async def test_only_articles_of_the_version_get_drafts(client: Client, run_jobs: RunJobs) -> None:
    new = await publish(client, "Install", SETTINGS)
    ok(await client.patch(f"/v1/articles/{new['id']}", json={"sinceVersion": "2.x"}))

    task = await process(client, run_jobs, "release/1.4")

    assert (task["version"], task["outcome"], task["reviewed"]) == ("1.x", "no_changes", [])
    assert (await process(client, run_jobs, "next"))["outcome"] == "drafts"


async def test_a_change_of_the_current_version_reaches_later_ones_and_leaves_older_ones(
    client: Client, run_jobs: RunJobs
) -> None:
    article = await publish(client, "Install", SETTINGS)

    await process(client, run_jobs, "main")
    draft = await only_draft(client)
    applied = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    assert ok(applied)["articleId"] == article["id"]
    assert "2.x" in applied.headers["Instep-Warnings"]
    assert draft["version"] == "2.x"
    assert await texts(client, "1.x") == [SETTINGS]
    assert await texts(client, "2.x") == await texts(client, "3.0") == [draft["contentMarkdown"]]


async def test_a_change_of_an_older_version_reaches_it_alone(client: Client, run_jobs: RunJobs) -> None:
    article = await publish(client, "Install", SETTINGS)

    await process(client, run_jobs, "release/1.4")
    draft = await only_draft(client)
    applied = ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    assert applied["articleId"] != article["id"]
    assert await texts(client, "1.x") == [draft["contentMarkdown"]]
    assert await texts(client, "2.x") == await texts(client, "3.0") == [SETTINGS]
    settled = ok(await client.get(f"/v1/drafts/{draft['id']}"))
    assert (settled["status"], settled["articleId"]) == ("applied", applied["articleId"])

    ok(await client.post(f"/v1/drafts/{draft['id']}/reopen"))
    assert await texts(client, "1.x") == await texts(client, "2.x") == [SETTINGS]


async def test_a_change_of_the_next_version_leaves_the_current_one(client: Client, run_jobs: RunJobs) -> None:
    article = await publish(client, "Install", SETTINGS)

    await process(client, run_jobs, "next")
    draft = await only_draft(client)
    applied = ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    assert applied["articleId"] != article["id"]
    assert await texts(client, "2.x") == await texts(client, "1.x") == [SETTINGS]
    assert await texts(client, "3.0") == [draft["contentMarkdown"]]


async def test_a_version_between_two_others_gets_articles_of_its_own(
    client: Client, run_jobs: RunJobs
) -> None:
    ok(await client.patch(f"{VERSIONS}/3.0", json={"isCurrent": True}))
    article = await publish(client, "Install", SETTINGS)
    await publish(client, "Installieren", "Nichts.", locale="de", translationOf=article["id"])

    await process(client, run_jobs, "main")
    draft = await only_draft(client)
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    rows = ok(await client.get("/v1/articles", params={"locale": "en"}))["results"]
    assert {(row["slug"], row["contentMarkdown"]) for row in rows} == {
        ("install-1-x", SETTINGS),
        ("install-2-x", draft["contentMarkdown"]),
        ("install", SETTINGS),
    }
    assert [[each["locale"] for each in row["translations"]] for row in rows] == [["de"]] * 3


async def test_a_draft_belongs_to_the_part_of_an_article_that_is_split_meanwhile(
    client: Client, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = await publish(client, "Install", SETTINGS)
    write = jobs.write_drafts

    async def split_and_write(*args: Any) -> writer.Report:
        created(await client.post(f"/v1/articles/{article['id']}/split", json={"version": "2.x"}))
        return await write(*args)

    monkeypatch.setattr(jobs, "write_drafts", split_and_write)
    task = await process(client, run_jobs, "release/1.4")

    draft = await only_draft(client)
    assert draft["articleId"] != article["id"]
    assert [row["articleId"] for row in task["reviewed"]] == [draft["articleId"]]
    assert (draft["baseVersion"], draft["conflict"]) == (0, False)
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    assert await texts(client, "1.x") == [draft["contentMarkdown"]]
    assert await texts(client, "2.x") == [SETTINGS]


async def test_a_statement_dismissed_for_good_stays_dismissed_after_a_split(
    client: Client, run_jobs: RunJobs
) -> None:
    article = await publish(client, "Install", SETTINGS)
    await process(client, run_jobs, "main")
    draft = await only_draft(client)
    ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss", json={"reason": "not_needed"}))

    created(await client.post(f"/v1/articles/{article['id']}/split", json={"version": "2.x"}))
    await process(client, run_jobs, "release/1.4")

    assert ok(await client.get("/v1/drafts"))["results"] == []


async def test_a_reviewer_may_change_all_versions_now_or_with_the_release(
    client: Client, run_jobs: RunJobs
) -> None:
    await publish(client, "Install", SETTINGS)
    task = await process(client, run_jobs, "release/1.4")
    draft = await only_draft(client)

    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={"allVersions": True, "when": "release"}))
    ok(await client.post("/v1/releases", json={"taskIds": [task["id"]]}))

    assert await texts(client, "1.x") == await texts(client, "3.0") == [draft["contentMarkdown"]]


async def test_a_revert_by_title_leaves_the_drafts_of_other_versions(
    client: Client, run_jobs: RunJobs
) -> None:
    await publish(client, "Install", SETTINGS)
    await process(client, run_jobs, "main")
    draft = await only_draft(client)

    for branch, status in (("release/1.4", "pending"), ("main", "dismissed")):
        await send(client, title=f'Revert "{TITLE}"', url=None, diff=None, branch=branch)
        await run_jobs()
        assert ok(await client.get(f"/v1/drafts/{draft['id']}"))["status"] == status


async def test_a_bundle_proposes_the_same_edit_once_for_each_version(
    client: Client, run_jobs: RunJobs
) -> None:
    await publish(client, "Timeouts", STATED)
    outcomes = []
    for number, branch in enumerate(("main", "release/1.4", "main")):
        url = f"https://git.test/acme/pull/{number}"
        diff = PROVEN.replace("settings.py", f"settings{number}.py")
        task = await send(client, url=url, diff=diff, bundle="Backfill", branch=branch)
        await run_jobs()
        outcomes.append(ok(await client.get(f"/v1/tasks/{task['id']}"))["outcome"])

    assert outcomes == ["drafts", "drafts", "no_changes"]


async def test_if_there_are_many_articles_those_of_the_version_are_chosen(
    client: Client, run_jobs: RunJobs, set_limit: SetLimit
) -> None:
    set_limit("MAX_WRITER_ARTICLES", 2)
    for number in range(3):
        await publish(client, f"Settings {number}", SETTINGS)
    rows = ok(await client.get("/v1/articles"))["results"]
    for row in rows[:2]:
        ok(await client.patch(f"/v1/articles/{row['id']}", json={"sinceVersion": "2.x"}))
    await run_jobs()

    task = await process(client, run_jobs, "release/1.4")

    assert [row["articleId"] for row in task["drafts"]] == [rows[2]["id"]]


async def test_a_version_is_not_deleted_while_a_task_or_a_draft_is_for_it(
    client: Client, run_jobs: RunJobs
) -> None:
    await publish(client, "Install", SETTINGS)
    await send(client, branch="release/1.4")

    assert error(await client.delete(f"{VERSIONS}/1.x")) == (400, "invalid_state")
    await run_jobs()
    draft = await only_draft(client)
    refusal = await client.delete(f"{VERSIONS}/1.x")
    assert error(refusal) == (400, "invalid_state")
    assert "1 change waits" in refusal.json()["error"]

    ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss", json={}))
    ok(await client.delete(f"{VERSIONS}/1.x"))


async def test_drafts_of_two_versions_for_one_article_wait_for_their_own_texts(
    client: Client, run_jobs: RunJobs
) -> None:
    article = await publish(client, "Install", SETTINGS)
    await process(client, run_jobs, "release/1.4")
    old = await only_draft(client)
    await process(client, run_jobs, "main")
    [new] = [row for row in ok(await client.get("/v1/drafts"))["results"] if row["id"] != old["id"]]

    ok(await client.post(f"/v1/drafts/{new['id']}/apply", json={}))

    moved = ok(await client.get(f"/v1/drafts/{old['id']}"))
    assert moved["articleId"] != article["id"]
    assert not moved["conflict"]
    ok(await client.post(f"/v1/drafts/{old['id']}/apply", json={}))
    assert await texts(client, "1.x") == [old["contentMarkdown"]]
