"""The job of a task: from a code change to drafts in the review queue."""

from asyncio import gather

import pytest

from instep.accounts.workspaces.actions import pause_workspace, resume_workspace
from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.changes import (
    DIFF,
    PETS,
    SETTINGS,
    SETTINGS_AFTER,
    URL,
    change,
    get,
    publish,
    send,
    write_articles,
)


async def test_a_change_ends_in_a_draft_for_the_article_that_it_makes_wrong(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    article = await write_articles(client)
    task = await send(client)

    await run_jobs()

    done = await get(client, f"tasks/{task['id']}")
    assert (done["status"], done["outcome"], done["error"]) == ("completed", "drafts", None)
    assert done["createdAt"] <= done["startedAt"] <= done["finishedAt"]
    assert done["summary"]
    [named] = done["drafts"]
    assert named == {
        "id": named["id"],
        "type": "edit",
        "title": "Settings",
        "articleId": article["id"],
    }


async def test_the_draft_shows_its_diff_and_the_code_behind_it(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await finished(client, run_jobs)

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")

    assert (draft["taskId"], draft["sourceUrl"], draft["status"]) == (task["id"], URL, "pending")
    assert draft["author"]["type"] == "task"
    assert draft["contentMarkdown"] == SETTINGS_AFTER
    assert "+Set `ACME_REQUEST_TIMEOUT` to a number of seconds.\n" in draft["diff"]
    assert (draft["conflict"], draft["additions"], draft["deletions"]) == (False, 1, 1)
    [place] = draft["evidence"]
    assert place.keys() == {"file", "startLine", "endLine", "excerpt", "articleLine", "reason"}
    assert (place["file"], place["articleLine"]) == ("src/settings.py", 3)
    assert place["startLine"] <= 3 <= place["endLine"]
    assert "ACME_REQUEST_TIMEOUT" in place["excerpt"]
    assert draft["reason"]


async def test_every_article_considered_says_why_it_got_a_draft_or_none(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    article = await write_articles(client)

    task = await finished(client, run_jobs)

    told = {row["articleId"]: row for row in task["reviewed"]}
    assert told[article["id"]]["title"] == "Settings"
    assert all(row["verdict"] and row["reason"] for row in task["reviewed"])
    others = [row["verdict"] for row in task["reviewed"] if row["articleId"] != article["id"]]
    assert told[article["id"]]["verdict"] not in others


async def test_a_sure_place_without_words_is_told_with_the_code_behind_it(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    text = "# Exports\n\nCSV or JSON.\n\n## Schedule exports\n\nA scheduled export runs at night.\n"
    article = await publish(client, "Exports", text)
    await publish(client, "Pets", PETS)
    diff = (
        "--- a/app/templates/export.html\n+++ b/app/templates/export.html\n@@ -1 +1,2 @@\n"
        " <h1>Exports</h1>\n+<label>Pause the scheduled export, see https://docs.acme.test/exports</label>\n"
    )

    task = await finished(client, run_jobs, title="Support pausing of scheduled exports", diff=diff)

    assert (task["outcome"], task["drafts"]) == ("places", [])
    [named] = task["places"]
    assert named == {"id": named["id"], "articleId": article["id"], "heading": "Schedule exports"}
    found = await get(client, f"places/{named['id']}")
    assert (found["taskId"], found["line"], found["status"]) == (task["id"], 5, "open")
    row = next(row for row in task["reviewed"] if row["verdict"] == "concerned")
    assert (row["articleId"], row["heading"]) == (article["id"], "Schedule exports")
    [place] = row["evidence"]
    assert (place["file"], place["startLine"], place["articleLine"]) == ("app/templates/export.html", 2, 5)
    others = [row for row in task["reviewed"] if row["verdict"] != "concerned"]
    assert all((row["heading"], row["evidence"]) == (None, []) for row in others)


async def test_a_task_from_before_the_verdict_concerned_can_still_be_read(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await finished(client, run_jobs)
    await owner.execute(
        """
        update tasks set reviewed =
            (select jsonb_agg(row - 'heading' - 'evidence') from jsonb_array_elements(reviewed) row)
        where id = %(id)s
        """,
        id=task["id"],
    )

    assert await get(client, f"tasks/{task['id']}") == task


async def test_the_live_text_changes_when_the_draft_is_applied_and_not_before(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    article = await write_articles(client)
    task = await finished(client, run_jobs)
    assert await text_of(client, article) == SETTINGS

    await client.post(f"/v1/drafts/{task['drafts'][0]['id']}/apply", json={})

    assert await text_of(client, article) == SETTINGS_AFTER


@pytest.mark.parametrize(
    "fields",
    [
        {"diff": DIFF.replace("ACME_", "ZETA_"), "title": "Rename another"},
        {"diff": None, "title": "Tidy up"},
        {"diff": ""},
    ],
    ids=["elsewhere", "no diff", "empty diff"],
)
async def test_a_change_that_touches_no_article_ends_without_drafts(
    api: Api, cast: Cast, run_jobs: RunJobs, fields: dict[str, str | None]
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)

    task = await finished(client, run_jobs, **fields)

    assert (task["status"], task["drafts"]) == ("completed", [])
    assert task["outcome"] != "drafts"
    assert task["summary"]
    assert (await get(client, "drafts"))["results"] == []


async def test_a_help_center_without_articles_has_nothing_to_change(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    task = await finished(api(cast.acme.write_key), run_jobs)

    assert (task["status"], task["outcome"], task["reviewed"]) == ("completed", "no_changes", [])


async def test_articles_of_other_bots_are_neither_read_nor_changed(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    await write_articles(api(cast.globex.write_key))
    second = {"Service-Bot": str(cast.second_bot_id)}
    body = {"title": "Settings", "contentMarkdown": SETTINGS}
    await api(cast.wide_key).post("/v1/articles", json=body, headers=second)

    task = await finished(api(cast.acme.write_key), run_jobs)

    assert (task["outcome"], task["reviewed"]) == ("no_changes", [])
    assert (await get(api(cast.globex.read_key), "drafts"))["results"] == []


async def test_a_later_task_of_the_same_change_replaces_its_own_waiting_draft(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    first = await finished(client, run_jobs)

    second = await finished(client, run_jobs, diff=DIFF.replace("REQUEST_TIMEOUT", "HTTP_TIMEOUT"))

    [waiting] = (await get(client, "drafts"))["results"]
    assert [waiting["id"]] == [draft["id"] for draft in second["drafts"]]
    earlier = await get(client, f"drafts/{first['drafts'][0]['id']}")
    assert earlier["status"] == "dismissed"


async def test_two_tasks_of_the_same_change_at_once_leave_the_later_ones_draft(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    tasks = [await send(client, title=f"Push {number}") for number in range(6)]

    await run_jobs()

    [waiting] = (await get(client, "drafts"))["results"]
    assert waiting["taskId"] == tasks[-1]["id"]


async def test_an_empty_address_names_no_change(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)

    first = await finished(client, run_jobs, url="")
    second = await finished(client, run_jobs, url="", diff=DIFF.replace("REQUEST_TIMEOUT", "HTTP_TIMEOUT"))

    assert first["change"]["url"] is None
    waiting = {draft["id"] for draft in (await get(client, "drafts"))["results"]}
    assert waiting == {draft["id"] for task in (first, second) for draft in task["drafts"]}


async def test_only_the_tasks_own_waiting_draft_is_replaced(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    article = await write_articles(client)
    other_change = await finished(client, run_jobs, url="https://git.test/acme/pull/8")
    no_url = await finished(client, run_jobs, url=None)
    body = {"contentMarkdown": "By hand.", "sourceUrl": URL}
    by_hand = (await client.post(f"/v1/articles/{article['id']}/drafts", json=body)).json()

    latest = await finished(client, run_jobs)

    waiting = {draft["id"] for draft in (await get(client, "drafts"))["results"]}
    tasks = (other_change, no_url, latest)
    assert waiting == {by_hand["id"], *(draft["id"] for task in tasks for draft in task["drafts"])}


async def test_an_applied_draft_stays_applied_when_its_change_is_sent_again(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    first = await finished(client, run_jobs)
    path = f"drafts/{first['drafts'][0]['id']}"
    await client.post(f"/v1/{path}/apply", json={})

    second = await finished(client, run_jobs)

    assert (await get(client, path))["status"] == "applied"
    assert (second["outcome"], second["drafts"]) == ("no_changes", [])


@pytest.mark.parametrize("is_over", [False, True])
async def test_a_job_that_runs_twice_drafts_once(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx, is_over: bool
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    again = "insert into jobs (kind, payload) values ('run_task', %(payload)s)"
    payload = await owner.value("select payload::text from jobs")
    if is_over:
        await run_jobs()
        ended = await get(client, f"tasks/{task['id']}")
    await owner.execute(again, payload=payload)

    await run_jobs()

    assert len((await get(client, "drafts"))["results"]) == 1
    done = await get(client, f"tasks/{task['id']}")
    assert (done["status"], len(done["drafts"])) == ("completed", 1)
    assert not is_over or done == ended


async def test_an_article_changed_meanwhile_is_a_conflict_and_not_lost(
    api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    client = api(cast.acme.write_key)
    article = await write_articles(client)
    task = await finished(client, run_jobs)
    mine = "The default is 30.\n\n" + SETTINGS
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": mine})

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    await client.post(f"/v1/drafts/{draft['id']}/apply", json={"onConflict": "merge"})

    assert draft["conflict"] is True
    assert await text_of(client, article) == "The default is 30.\n\n" + SETTINGS_AFTER


async def test_a_change_that_is_too_expensive_fails_at_once_and_says_so(
    api: Api, cast: Cast, run_jobs: RunJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    for number in range(8):
        await publish(client, f"Settings {number}", SETTINGS + PETS * 1_000)
    task = await send(client)
    monkeypatch.setattr(limits, "MAX_WRITER_SECONDS", 0.001)

    await run_jobs()

    failed = await get(client, f"tasks/{task['id']}")
    assert (failed["status"], failed["outcome"], failed["drafts"]) == ("failed", None, [])
    assert failed["error"]["code"] == "too_expensive"
    assert failed["error"]["message"]
    assert failed["finishedAt"] is not None
    assert await run_jobs() == 0


async def test_a_task_that_keeps_failing_ends_after_its_attempts_without_half_its_drafts(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    refuse = "begin raise exception 'the disk is full'; end"
    await owner.execute(f"create function refuse() returns trigger language plpgsql as $${refuse}$$")
    await owner.execute(
        "create trigger refuse before insert on drafts for each row execute function refuse()"
    )
    try:
        for attempt in range(limits.MAX_TASK_ATTEMPTS):
            seen = await get(client, f"tasks/{task['id']}")
            assert seen["status"] == ("queued" if attempt == 0 else "running")
            assert (seen["summary"] is None) is (attempt == 0), "a running task says what it does"
            assert await run_jobs() == 1
            await owner.execute("update jobs set run_at = now() where run_at is not null")
    finally:
        await owner.execute("drop function refuse cascade")

    failed = await get(client, f"tasks/{task['id']}")
    assert (failed["status"], failed["error"]["code"]) == ("failed", "internal_error")
    assert (failed["drafts"], failed["reviewed"]) == ([], [])
    assert await run_jobs() == 0


async def test_a_task_whose_every_attempt_killed_its_worker_fails(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    task = await send(client)
    await owner.execute("update jobs set attempts = %(most)s", most=limits.MAX_TASK_ATTEMPTS)

    await run_jobs()

    failed = await get(client, f"tasks/{task['id']}")
    assert (failed["status"], failed["error"]["code"]) == ("failed", "internal_error")


async def test_the_tasks_of_a_paused_workspace_wait_until_it_is_resumed(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    await pause_workspace(owner, cast.acme.workspace_id)

    await run_jobs()

    assert (await get(client, f"tasks/{task['id']}"))["status"] == "queued"
    assert (await get(client, "drafts"))["results"] == []
    await resume_workspace(owner, cast.acme.workspace_id)
    await owner.execute("update jobs set run_at = now()")
    await run_jobs()
    assert (await get(client, f"tasks/{task['id']}"))["outcome"] == "drafts"


async def test_after_a_failed_attempt_the_next_one_completes(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    await owner.execute("alter table drafts rename to drafts_away")
    await run_jobs()
    await owner.execute("alter table drafts_away rename to drafts")
    await owner.execute("update jobs set run_at = now()")

    await run_jobs()

    done = await get(client, f"tasks/{task['id']}")
    assert (done["status"], done["error"], len(done["drafts"])) == ("completed", None, 1)


async def test_many_tasks_at_once_all_end(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await gather(*(client.post("/v1/tasks", json=change(url=f"https://git.test/{n}")) for n in range(12)))

    await run_jobs()

    listed = (await get(client, "tasks"))["results"]
    assert [(task["status"], len(task["drafts"])) for task in listed] == [("completed", 1)] * 12


async def finished(client: Client, run_jobs: RunJobs, **fields: object) -> Json:
    """The task of the change, after its job has run."""
    task = await send(client, None, **fields)
    await run_jobs()
    return await get(client, f"tasks/{task['id']}")


async def text_of(client: Client, article: Json) -> str:
    text: str = (await get(client, f"articles/{article['id']}"))["contentMarkdown"]
    return text
