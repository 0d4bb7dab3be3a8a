"""The email digest of pending work: its recipients, frequency, contents and unsubscribing."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from fastapi import FastAPI

from instep.accounts.people import actions
from instep.accounts.people.schemas import User
from instep.drafting.drafts.email_digest import SEND_DIGESTS, send_digests
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast, RunJobs
from tests.support.mail_server import MailServer, html_of, text_of
from tests.support.review_desk import TITLE, Shelf
from tests.support.sign_in import browser, sign_up

SendDigests = Callable[[], Awaitable[None]]


@pytest.fixture
async def editor(owner: Tx, cast: Cast) -> User:
    user = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    await make_old(owner, user)
    return user


@pytest.fixture
def shelf(database: Database, owner: Tx, cast: Cast) -> Shelf:
    return Shelf(database, owner, cast.acme)


@pytest.fixture
def send_due_digests(owner: Tx, database: Database, mail: MailServer, run_jobs: RunJobs) -> SendDigests:
    async def send() -> None:
        await send_digests(database, Job(1, SEND_DIGESTS, {}, 1))
        await owner.execute("delete from jobs where kind = 'send_digests'")
        await run_jobs()

    return send


async def make_old(owner: Tx, user: User, digest: str = "weekly", days: int = 8) -> None:
    """Make the member's last digest this old."""
    await owner.execute(
        """
        update memberships set digest = %(digest)s, digest_sent_at = now() - %(age)s where person_id = %(id)s
        """,
        digest=digest,
        age=timedelta(days=days),
        id=user.id,
    )


async def let_wait(shelf: Shelf) -> str:
    """Add a draft that is pending review; return its id."""
    return str((await shelf.edit())["id"])


async def test_digest_lists_waiting_drafts_once_a_week(
    owner: Tx, cast: Cast, editor: User, shelf: Shelf, mail: MailServer, send_due_digests: SendDigests
) -> None:
    draft_id = await let_wait(shelf)
    await send_due_digests()
    await send_due_digests()

    [message] = mail.to(editor.email)
    assert TITLE in text_of(message)
    assert f"http://help.test/app/{cast.acme.slug}/review/{draft_id}" in text_of(message)
    assert draft_id in html_of(message)


async def test_without_anything_that_waits_nothing_is_sent(
    editor: User, mail: MailServer, send_due_digests: SendDigests
) -> None:
    await send_due_digests()

    assert mail.to(editor.email) == []


async def test_viewers_and_people_without_a_due_digest_get_none(
    owner: Tx, cast: Cast, shelf: Shelf, mail: MailServer, send_due_digests: SendDigests
) -> None:
    await let_wait(shelf)
    roles = (Role.VIEWER, Role.EDITOR, Role.EDITOR, Role.EDITOR)
    viewer, gone, never, recent = [await sign_up(owner, cast.acme.workspace_id, role) for role in roles]
    for user in (viewer, gone):
        await make_old(owner, user)
    await actions.disable_user(owner, cast.acme.workspace_id, gone.email)
    await make_old(owner, never, "never")
    await make_old(owner, recent, "daily", 0)
    await send_due_digests()

    assert [message["To"] for message in mail.messages] == []


async def test_members_of_other_workspaces_get_no_digest(
    owner: Tx, cast: Cast, shelf: Shelf, mail: MailServer, send_due_digests: SendDigests
) -> None:
    await let_wait(shelf)
    stranger = await sign_up(owner, cast.globex.workspace_id, Role.OWNER)
    await make_old(owner, stranger)
    await send_due_digests()

    assert mail.to(stranger.email) == []


async def test_one_click_unsubscribes_without_signing_in(
    app: FastAPI,
    api: Api,
    owner: Tx,
    editor: User,
    shelf: Shelf,
    mail: MailServer,
    send_due_digests: SendDigests,
) -> None:
    await let_wait(shelf)
    await send_due_digests()
    [message] = mail.to(editor.email)
    path = message["List-Unsubscribe"].strip("<>").removeprefix("http://help.test")
    async with browser(app) as program:
        assert (await program.get(path)).status_code == 200
        answer = await program.client.post(path, data={"List-Unsubscribe": "One-Click"})
    digest = await owner.value("select digest from memberships where person_id = %(id)s", id=editor.id)

    assert (answer.status_code, digest) == (200, "never")


async def test_people_choose_it_in_their_account(
    app: FastAPI, api: Api, owner: Tx, editor: User, mail: MailServer
) -> None:
    async with browser(app) as ann:
        await ann.sign_in(editor.email)
        answer = await ann.send("/app/account", "/app/account/digest", digest="daily")
        refused = await ann.send("/app/account", "/app/account/digest", digest="hourly")
    digest = await owner.value("select digest from memberships where person_id = %(id)s", id=editor.id)

    assert (answer.status_code, refused.status_code, digest) == (303, 400, "daily")
