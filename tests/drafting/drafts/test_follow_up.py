"""Reminders of pending work, and drafts that expire because no one decides."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from instep.accounts.people.schemas import User
from instep.drafting.drafts.assigning import assign_draft
from instep.drafting.drafts.overdue import follow_up, update_review_schedule
from instep.drafting.drafts.queue_schemas import ReviewSchedule
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.scopes import Role
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json, RunJobs
from tests.support.drafts import get, queue
from tests.support.http import ok
from tests.support.inbox import notices
from tests.support.mail_server import MailServer, text_of
from tests.support.review_desk import Shelf
from tests.support.sign_in import sign_up

# Time columns of the last events of drafts and places.
PAST = {"drafts": ("asked_at", "updated_at", "created_at", "expiry_announced_at"), "places": ("asked_at",)}
LetPass = Callable[[int], Awaitable[None]]
SetSchedule = Callable[[int | None, int | None], Awaitable[None]]


@pytest.fixture
async def ann(owner: Tx, cast: Cast) -> User:
    return await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)


@pytest.fixture
def shelf(database: Database, owner: Tx, cast: Cast) -> Shelf:
    return Shelf(database, owner, cast.acme)


@pytest.fixture
async def draft(database: Database, cast: Cast, owner: Tx, shelf: Shelf, ann: User) -> Json:
    """A draft by a task, assigned to a person."""
    draft = await shelf.edit()
    await owner.execute("update drafts set author_type = 'task' where id = %(id)s", id=draft["id"])
    async with acting(database, cast.acme) as ctx:
        await assign_draft(ctx, draft["id"], ann.id)
    await owner.execute("delete from notices")
    return draft


@pytest.fixture
def set_schedule(database: Database, cast: Cast) -> SetSchedule:
    async def set_days(reminder: int | None, expiry: int | None) -> None:
        async with acting(database, cast.acme) as ctx:
            await update_review_schedule(ctx, ReviewSchedule(reminder, expiry))

    return set_days


@pytest.fixture
def let_pass(owner: Tx, database: Database) -> LetPass:
    """Let this many days pass, then run the job twice."""

    async def let_days_pass(days: int) -> None:
        for table, columns in PAST.items():
            changes = ", ".join(f"{name} = {name} - %(time)s" for name in columns)
            await owner.execute(f"update {table} set {changes}", time=timedelta(days=days))
        for _ in range(2):
            await follow_up(database)

    return let_days_pass


async def test_a_person_is_reminded_once_in_seven_days_of_everything_that_waits(
    database: Database,
    cast: Cast,
    owner: Tx,
    run_jobs: RunJobs,
    mail: MailServer,
    shelf: Shelf,
    ann: User,
    draft: Json,
    let_pass: LetPass,
) -> None:
    await let_pass(6)
    assert await notices(owner, ann.id) == []

    second = await shelf.edit("Roles")
    async with acting(database, cast.acme) as ctx:
        await assign_draft(ctx, second["id"], ann.id)
    await owner.execute("delete from notices")
    await let_pass(2)
    assert await notices(owner, ann.id) == [("waiting", draft["id"])]
    assert await owner.value("select others from notices where person_id = %(id)s", id=ann.id) == 1

    await let_pass(6)
    assert len(await notices(owner, ann.id)) == 1
    await let_pass(2)
    assert len(await notices(owner, ann.id)) == 2
    await run_jobs()
    assert "/review/" in text_of(mail.to(ann.email)[-1])


async def test_decided_or_unscheduled_drafts_send_no_reminder(
    client: Client, owner: Tx, ann: User, draft: Json, set_schedule: SetSchedule, let_pass: LetPass
) -> None:
    await set_schedule(None, None)
    await let_pass(30)
    await set_schedule(3, None)
    ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss"))
    await let_pass(30)

    assert await notices(owner, ann.id) == []


async def test_an_unchanged_draft_expires_after_a_warning_and_can_come_back(
    client: Client, owner: Tx, ann: User, draft: Json, set_schedule: SetSchedule, let_pass: LetPass
) -> None:
    await set_schedule(None, 30)
    # The draft is already old enough to expire, but its assignee is warned first.
    await let_pass(60)
    assert await notices(owner, ann.id) == [("expiring", draft["id"])]
    await let_pass(limits.EXPIRY_WARNING_DAYS - 1)
    assert await queue(client) == [draft["id"]]
    await let_pass(1)

    shown = await get(client, f"drafts/{draft['id']}")
    assert (shown["status"], shown["dismissal"]["reason"]) == ("dismissed", None)
    assert "30 days" in shown["dismissal"]["comment"]
    actions = await owner.value(
        "select array_agg(action) from audit_entries where resource = %(id)s and actor_name = 'Instep'",
        id=draft["id"],
    )
    assert actions == ["dismiss_draft"]

    ok(await client.post(f"/v1/drafts/{draft['id']}/reopen"))
    await let_pass(20)
    assert await queue(client) == [draft["id"]]
    assert len(await notices(owner, ann.id)) == 1


@pytest.mark.parametrize("act", ["edit", "comment", "approve", "propose"])
async def test_drafts_with_work_of_a_person_do_not_expire(
    client: Client, owner: Tx, ann: User, draft: Json, set_schedule: SetSchedule, let_pass: LetPass, act: str
) -> None:
    await set_schedule(None, 14)
    await let_pass(14)
    assert len(await notices(owner, ann.id)) == 1
    path = f"/v1/drafts/{draft['id']}"
    if act == "edit":
        ok(await client.patch(path, json={"contentMarkdown": "Files may have **50 MB**."}))
    elif act == "comment":
        answer = await client.post(f"/v1/comments?subject={draft['id']}", json={"body": "Not yet."})
        assert answer.status_code == 201
    elif act == "approve":
        ok(await client.post(f"{path}/apply", json={"when": "release"}))
    else:
        await owner.execute("update drafts set author_type = 'person'")
    for _ in range(2):
        await let_pass(30)

    assert await queue(client) == [draft["id"]]
    assert (await notices(owner, ann.id)).count(("expiring", draft["id"])) == 1


async def test_the_article_of_an_expired_new_article_is_restored_with_its_draft(
    client: Client, shelf: Shelf, owner: Tx, set_schedule: SetSchedule, let_pass: LetPass
) -> None:
    draft_id = await shelf.gap()
    await owner.execute("update drafts set author_type = 'task'")
    await owner.execute("update articles set author_type = 'task'")
    await set_schedule(None, 14)
    await let_pass(14)
    await let_pass(limits.EXPIRY_WARNING_DAYS)
    assert (await get(client, f"drafts/{draft_id}"))["status"] == "dismissed"

    ok(await client.post(f"/v1/drafts/{draft_id}/reopen"))
    assert await queue(client) == [draft_id]


@pytest.mark.parametrize("days", [(0, None), (366, None), (7, 13)])
async def test_days_out_of_range_are_refused(set_schedule: SetSchedule, days: tuple[int, int | None]) -> None:
    with pytest.raises(InvalidRequest):
        await set_schedule(*days)
