"""A forgotten password: an emailed link sets a new one, without revealing who has an account."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from fastapi import FastAPI

from instep.accounts.people import actions
from instep.accounts.people.schemas import User
from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast, RunJobs, create_company
from tests.support.limits import SetLimit, SetSetting
from tests.support.mail_server import MailServer, text_of
from tests.support.second_factors import add_authenticator
from tests.support.sign_in import (
    HERE,
    OTHER_PASSWORD,
    PASSWORD,
    TOKEN,
    Browser,
    browser,
    fresh_email,
    is_signed_in,
    sign_up,
)

FORGOTTEN = "/sign-in/forgotten"
LINK = re.compile(r"http://help\.test(/sign-in/reset\?token=([\w-]+))")
AskForLink = Callable[[str], Awaitable[str]]


@pytest.fixture
def ask_for_link(app: FastAPI, api: Api, mail: MailServer, run_jobs: RunJobs) -> AskForLink:
    """Request a new password and return the path of the emailed link."""

    async def ask(email: str) -> str:
        async with browser(app) as ann:
            assert (await ann.send(FORGOTTEN, FORGOTTEN, email=email)).status_code == 200
        await run_jobs()
        match = LINK.search(text_of(mail.to(email)[-1]))
        assert match is not None
        return match[1]

    return ask


async def set_password(visitor: Browser, link: str, password: str = OTHER_PASSWORD) -> Any:
    page = await visitor.get(link)
    if page.status_code != 200:
        return page
    token = TOKEN.findall(page.text)[0]
    fields = {"form-token": token, "token": link.partition("token=")[2], "password": password}
    return await visitor.client.post("/sign-in/reset", data=fields, headers=HERE)


async def test_the_link_sets_a_new_password_once_and_ends_other_sessions(
    app: FastAPI, owner: Tx, cast: Cast, user: User, ask_for_link: AskForLink
) -> None:
    async with browser(app) as thief, browser(app) as ann:
        await thief.sign_in(user.email)
        link = await ask_for_link(user.email)
        weak = await set_password(ann, link, "password12345")
        done = await set_password(ann, link)
        again = await set_password(ann, link, PASSWORD)
        assert (weak.status_code, done.status_code, again.status_code) == (400, 303, 404)
        assert not await is_signed_in(thief)
        # The link alone does not sign in.
        assert not await is_signed_in(ann)
        assert (await ann.sign_in(user.email, PASSWORD)).status_code == 401
        assert (await ann.sign_in(user.email, OTHER_PASSWORD)).status_code == 303

    entries = await actions.list_audit(owner, cast.acme.workspace_id, 9)
    assert [entry.resource for entry in entries if entry.action == "reset_password"] == [user.id]


async def test_mail_programs_that_open_the_link_use_nothing_up(
    app: FastAPI, user: User, ask_for_link: AskForLink
) -> None:
    link = await ask_for_link(user.email)
    async with browser(app) as scanner, browser(app) as ann:
        for _ in range(3):
            assert (await scanner.get(link)).status_code == 200
        assert (await set_password(ann, link)).status_code == 303


async def test_only_the_hash_of_a_link_is_stored(owner: Tx, user: User, ask_for_link: AskForLink) -> None:
    token = (await ask_for_link(user.email)).partition("token=")[2]
    rows = await owner.value("select string_agg(c::text, ' ') from challenges c")

    assert token not in rows
    assert token.encode().hex() not in rows


async def test_a_link_works_for_an_hour(
    app: FastAPI, owner: Tx, database: Database, user: User, ask_for_link: AskForLink
) -> None:
    link = await ask_for_link(user.email)
    await owner.execute(
        "update challenges set expires_at = expires_at - %(ttl)s where person_id = %(id)s",
        ttl=limits.RESET_LINK_TTL,
        id=user.id,
    )
    async with browser(app) as ann:
        assert (await set_password(ann, link)).status_code == 404
    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))
    assert not await owner.value("select count(*) from challenges where person_id = %(id)s", id=user.id)


async def test_a_new_password_makes_all_earlier_links_void(
    app: FastAPI, owner: Tx, cast: Cast, user: User, ask_for_link: AskForLink
) -> None:
    first, second = [await ask_for_link(user.email) for _ in range(2)]
    async with browser(app) as ann:
        assert (await set_password(ann, second)).status_code == 303
        assert (await set_password(ann, first, PASSWORD)).status_code == 404
    third = await ask_for_link(user.email)
    await actions.change_password(owner, cast.acme.workspace_id, user.email, "a password of the operator")
    async with browser(app) as ann:
        assert (await set_password(ann, third)).status_code == 404


async def test_two_parallel_uses_of_a_reset_link_set_one_password(
    app: FastAPI, user: User, ask_for_link: AskForLink
) -> None:
    link = await ask_for_link(user.email)
    async with browser(app) as ann, browser(app) as bob:
        answers = await asyncio.gather(set_password(ann, link), set_password(bob, link, PASSWORD + "s"))

    assert sorted(answer.status_code for answer in answers) == [303, 404]


async def test_a_second_factor_is_asked_for_as_ever(
    app: FastAPI, owner: Tx, user: User, ask_for_link: AskForLink
) -> None:
    await add_authenticator(owner, user)
    link = await ask_for_link(user.email)
    async with browser(app) as ann:
        assert (await set_password(ann, link)).status_code == 303
        answer = await ann.sign_in(user.email, OTHER_PASSWORD)
        assert answer.headers["Location"].startswith("/sign-in/code")
        assert not await is_signed_in(ann)


async def test_everyone_gets_the_same_answer_and_only_accounts_an_email(
    app: FastAPI, api: Api, owner: Tx, cast: Cast, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    disabled = await sign_up(owner, cast.acme.workspace_id)
    await actions.disable_user(owner, cast.acme.workspace_id, disabled.email)
    emails = [user.email, disabled.email, fresh_email("nobody"), "no address", "\0", ""]
    pages, statements = set(), set()
    for email in emails:
        async with browser(app) as ann:
            answer = await ann.send(FORGOTTEN, FORGOTTEN, email=email)
        assert answer.status_code == 200
        pages.add(re.sub(r"<bdi>.*?</bdi>", "", answer.text))
        statements.add(await owner.value("select string_agg(kind, ' ') from jobs"))
        await run_jobs()

    assert len(pages) == 1
    # The server does the same work for every request.
    assert statements == {"send_reset_link"}
    assert mail.recipients == [user.email]


async def test_an_account_gets_three_links_an_hour_and_nobody_learns_of_the_limit(
    app: FastAPI, api: Api, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    answers = []
    for _ in range(limits.MAX_RESETS_PER_ACCOUNT + 2):
        async with browser(app) as ann:
            answers.append(await ann.send(FORGOTTEN, FORGOTTEN, email=user.email))
        await run_jobs()

    assert {answer.status_code for answer in answers} == {200}
    assert len(mail.to(user.email)) == limits.MAX_RESETS_PER_ACCOUNT
    last = LINK.search(text_of(mail.to(user.email)[0]))
    assert last is not None
    async with browser(app) as ann:
        assert (await set_password(ann, last[1])).status_code == 303


async def test_one_address_and_one_network_ask_for_few_links(
    app: FastAPI, api: Api, mail: MailServer, set_limit: SetLimit
) -> None:
    set_limit("MAX_SIGN_INS_PER_ADDRESS", 2)
    set_limit("MAX_SIGN_INS_PER_NETWORK", 4)
    async with browser(app, "198.51.100.7") as ann:
        statuses = [(await ann.send(FORGOTTEN, FORGOTTEN, email=fresh_email())).status_code for _ in range(3)]
        refused = await ann.send(FORGOTTEN, FORGOTTEN, email=fresh_email())
    assert statuses == [200, 200, 429]
    assert 0 < int(refused.headers["Retry-After"]) <= limits.SIGN_IN_ADDRESS_WINDOW_SECONDS
    for host, expected in (("8", [200, 200]), ("9", [429, 429])):
        async with browser(app, f"198.51.100.{host}") as ann:
            answers = [await ann.send(FORGOTTEN, FORGOTTEN, email=fresh_email()) for _ in range(2)]
        assert [answer.status_code for answer in answers] == expected


async def test_a_form_of_another_site_sends_nothing(
    app: FastAPI, api: Api, owner: Tx, user: User, mail: MailServer
) -> None:
    async with browser(app) as ann:
        answer = await ann.client.post(FORGOTTEN, data={"email": user.email}, headers=HERE)

    assert answer.status_code == 403
    sql = "select count(*) from jobs where payload ->> 'email' = %(email)s"
    assert not await owner.value(sql, email=user.email)


async def test_without_email_the_page_is_not_there_and_sign_in_says_whom_to_ask(
    app: FastAPI, api: Api
) -> None:
    async with browser(app) as ann:
        form = await ann.get("/sign-in")
        assert "instep user password" in form.text
        assert (await ann.get(FORGOTTEN)).status_code == 404
        assert (await ann.send("/sign-in", FORGOTTEN, email="ann@acme.example")).status_code == 404


async def test_person_of_a_sign_in_provider_gets_no_reset_link(
    app: FastAPI,
    api: Api,
    owner: Tx,
    user: User,
    mail: MailServer,
    run_jobs: RunJobs,
    set_setting: SetSetting,
) -> None:
    for name, value in (("ISSUER", "https://login.example"), ("CLIENT_ID", "x"), ("CLIENT_SECRET", "y")):
        set_setting(f"INSTEP_OIDC_{name}", value)
    await owner.execute("update people set password_hash = null where id = %(id)s", id=user.id)
    async with browser(app) as ann:
        await ann.send(FORGOTTEN, FORGOTTEN, email=user.email)
    await run_jobs()

    [message] = mail.to(user.email)
    assert "reset" not in text_of(message)
    assert "http://help.test/sign-in" in text_of(message)
    assert not await owner.value("select count(*) from challenges where person_id = %(id)s", id=user.id)


async def make_unproved(owner: Tx, user: User) -> None:
    """Mark the account as possibly created by an owner who saw its link."""
    await owner.execute(
        "update people set unproved_in = %(workspace)s where id = %(id)s",
        workspace=user.workspace_id,
        id=user.id,
    )


async def test_the_link_proves_the_address_so_accounts_that_others_made_with_it_end(
    app: FastAPI, owner: Tx, cast: Cast, ask_for_link: AskForLink
) -> None:
    email = fresh_email("victim")
    attacker_company = await create_company(owner, "Attacker")
    mine = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR, email)
    await owner.execute(
        """
        with p as (
            insert into people (id, email, password_hash, unproved_in)
            values (%(id)s, %(email)s, 'a hash of the attacker', %(workspace)s) returning id)
        insert into memberships (workspace_id, person_id, role) select %(workspace)s, id, 'owner' from p
        """,
        id=f"per_{email}",
        email=email,
        workspace=attacker_company.workspace_id,
    )
    link = await ask_for_link(email)
    async with browser(app) as ann:
        page = await set_password(ann, link)
        assert (page.status_code, "Attacker" in page.text) == (200, True)
        # The person must sign in before joining.
        assert not await is_signed_in(ann)
        assert (await ann.sign_in(email, OTHER_PASSWORD)).status_code == 303

    ids = await owner.value("select array_agg(id) from people where email = %(email)s", email=email)
    assert ids == [mine.id]


async def test_account_made_by_an_owner_joins_with_its_new_password(
    app: FastAPI, owner: Tx, cast: Cast, ask_for_link: AskForLink
) -> None:
    user = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    await make_unproved(owner, user)
    link = await ask_for_link(user.email)
    async with browser(app) as ann:
        page = await set_password(ann, link)
        [join] = re.findall(r'href="(/join\?token=[^"]+)"', page.text)
        answer = await ann.send(join, "/join", token=join.partition("token=")[2])
        assert answer.status_code == 303
        assert await is_signed_in(ann)
    async with browser(app) as ann:
        assert (await ann.sign_in(user.email, PASSWORD)).status_code == 401
        assert (await ann.sign_in(user.email, OTHER_PASSWORD)).status_code == 303

    account = await owner.value(
        "select unproved_in is null from people where email = %(email)s", email=user.email
    )
    assert account is True
