"""Events of a task: one for each of its drafts and one for its end (contract section 5)."""

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.drafting.tasks.jobs import give_up, run_task
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs.queue import Job
from tests.support.cast import Api, Cast, Json, RunJobs
from tests.support.changes import DIFF, PETS, SETTINGS, get, publish, send, write, write_articles
from tests.support.events import before, heard, kinds, told
from tests.support.http import all_pages, at_once
from tests.support.webhook_endpoints import create_webhook

TASK = {"type": "task", "name": "Instep"}


def of_kind(events: list[Json], kind: str) -> list[Json]:
    return [event for event in events if event["type"] == kind]


# The stage that a running task reports.
STAGE = "Reading the change, and the articles that it touches."


async def test_a_change_that_is_documented_tells_of_its_edits_and_of_its_end(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await publish(client, "More settings", SETTINGS + "More.\n")
    await create_webhook(client)
    queued = await send(client)

    await run_jobs()

    events = await heard(owner, cast.acme)
    ended = await get(client, f"tasks/{queued['id']}")
    running = {**queued, "status": "running", "summary": STAGE, "startedAt": ended["startedAt"]}
    [end] = of_kind(events, "task.completed")
    assert told(end) == ("task.completed", ended, before(running, ended))
    edits = of_kind(events, "edit.proposed")
    listed = await all_pages(client, "/v1/drafts")
    assert len(listed) == 2
    assert sorted(event["data"]["object"]["id"] for event in edits) == sorted(row["id"] for row in listed)
    for event in edits:
        assert event["data"]["object"] in listed
        assert event["data"]["previousAttributes"] == {}
    assert len(events) == 3
    assert all((event["actor"], event["botId"]) == (TASK, ended["botId"]) for event in events)


async def test_a_new_article_that_is_written_is_told(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await create_webhook(client)
    queued = await write(client)

    await run_jobs()

    events = await heard(owner, cast.acme)
    [draft], [end] = of_kind(events, "draft.created"), of_kind(events, "task.completed")
    assert told(draft)[1:] == ((await all_pages(client, "/v1/drafts"))[0], {})
    assert told(end)[1] == await get(client, f"tasks/{queued['id']}")
    assert len(events) == 2


async def test_a_change_that_touches_no_article_ends_all_the_same(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await create_webhook(client)
    queued = await send(client)

    await run_jobs()

    [event] = await heard(owner, cast.acme)
    ended = await get(client, f"tasks/{queued['id']}")
    assert (ended["status"], ended["outcome"]) == ("completed", "no_changes")
    assert told(event)[:2] == ("task.completed", ended)


async def test_a_task_that_fails_has_ended_too(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    for number in range(8):
        await publish(client, f"Settings {number}", SETTINGS + PETS * 1_000)
    await create_webhook(client)
    queued = await send(client)
    monkeypatch.setattr(limits, "MAX_WRITER_SECONDS", 0.001)

    await run_jobs()

    [event] = await heard(owner, cast.acme)
    ended = await get(client, f"tasks/{queued['id']}")
    assert (ended["status"], ended["error"]["code"]) == ("failed", "too_expensive")
    assert told(event) == (
        "task.completed",
        ended,
        {"status": "running", "summary": STAGE, "error": None, "finishedAt": None},
    )


async def test_a_task_that_is_given_up_before_it_ran_was_queued(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await create_webhook(client)
    await send(client)
    await owner.execute("update jobs set attempts = %(most)s", most=limits.MAX_TASK_ATTEMPTS)

    await run_jobs()

    [event] = await heard(owner, cast.acme)
    kind, shown, old = told(event)
    assert (kind, shown["status"], shown["error"]["code"]) == ("task.completed", "failed", "internal_error")
    assert old == {"status": "queued", "error": None, "finishedAt": None}


async def test_however_often_and_wherever_a_task_runs_it_ends_once(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    """Workers believe each other dead, and some of them give up."""
    client = api(cast.acme.write_key)
    await write_articles(client)
    await create_webhook(client)
    await send(client)
    job = Job(1, "run_task", await owner.value("select payload from jobs"), 1)

    async def work(number: int) -> None:
        await (give_up if number % 6 == 5 else run_task)(database, job)

    await at_once(6, work)
    await at_once(6, work)

    events = await heard(owner, cast.acme)
    [end] = of_kind(events, "task.completed")
    drafts = [draft["id"] for draft in end["data"]["object"]["drafts"]]
    assert [event["data"]["object"]["id"] for event in of_kind(events, "edit.proposed")] == drafts
    assert len(events) == 1 + len(drafts)


async def test_an_attempt_that_fails_halfway_leaves_no_event(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    """The first edit and its event were written when the second edit failed."""
    client = api(cast.acme.write_key)
    await write_articles(client)
    await publish(client, "More settings", SETTINGS + "More.\n")
    await create_webhook(client)
    await send(client)
    refuse = """begin if (select count(*) from drafts where task_id = new.task_id) = 1 then
        raise exception 'the disk is full'; end if; return new; end"""
    await owner.execute(f"create function refuse() returns trigger language plpgsql as $${refuse}$$")
    await owner.execute(
        "create trigger refuse before insert on drafts for each row execute function refuse()"
    )
    try:
        await run_jobs()
        assert await kinds(owner, cast.acme) == []
    finally:
        await owner.execute("drop function refuse cascade")
    await owner.execute("update jobs set run_at = now()")

    await run_jobs()

    assert sorted(await kinds(owner, cast.acme)) == ["edit.proposed", "edit.proposed", "task.completed"]


async def test_the_edit_of_an_earlier_task_that_ends_last_is_told_as_dismissed(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await create_webhook(client)
    earlier = await send(client)
    later = await send(client, diff=DIFF.replace("REQUEST_TIMEOUT", "HTTP_TIMEOUT"))
    # The earlier task has been running for so long that the later one does not wait for it.
    await owner.execute(
        "update tasks set created_at = created_at - interval '2 hours' where id = %(id)s", id=earlier["id"]
    )
    payloads = await owner.value("select array_agg(payload order by id) from jobs")

    for payload in reversed(payloads):
        await run_task(database, Job(1, "run_task", payload, 1))

    events = of_kind(await heard(owner, cast.acme), "edit.proposed")
    by_task = {event["data"]["object"]["taskId"]: event["data"]["object"] for event in events}
    assert len(events) == 2
    assert {task: row["status"] for task, row in by_task.items()} == {
        later["id"]: "pending",
        earlier["id"]: "dismissed",
    }
    detail = await get(client, f"drafts/{by_task[earlier['id']]['id']}")
    assert by_task[earlier["id"]] == {name: detail[name] for name in by_task[earlier["id"]]}


async def test_a_task_that_waits_in_a_paused_workspace_has_not_ended(
    api: Api, cast: Cast, run_jobs: RunJobs, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await create_webhook(client)
    await send(client)
    await pause_workspace(owner, cast.acme.workspace_id)

    await run_jobs()

    assert await kinds(owner, cast.acme) == []
