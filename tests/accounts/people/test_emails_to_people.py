"""Invitations by email, and changes of an account's email address."""

import re

from fastapi import FastAPI

from instep.accounts.people import actions, invitations
from instep.accounts.people.invitations import invite
from instep.accounts.people.schemas import User
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import OPERATOR
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast, RunJobs
from tests.support.http import created
from tests.support.limits import SetLimit
from tests.support.mail_server import MailServer, html_of, text_of
from tests.support.second_factors import person_of
from tests.support.sign_in import Browser, browser, fresh_email, is_signed_in, sign_up

ACCOUNT = "/app/account"
CONFIRM = re.compile(r"http://help\.test(/app/account/address\?token=([\w-]+))")


async def test_an_invitation_is_emailed_with_its_link(
    owner: Tx, cast: Cast, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    email = fresh_email("new")
    inviter = person_of(user).as_actor("page")
    new = await invite(owner, cast.acme.workspace_id, email, Role.EDITOR, inviter)
    await run_jobs()

    [message] = mail.to(email)
    assert f"http://help.test{new.path}" in text_of(message)
    assert user.email in text_of(message)
    assert new.token in html_of(message)


async def test_an_invitation_is_in_the_language_of_the_first_help_center(
    owner: Tx, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    await owner.execute("update bots set locale = 'ar' where id = %(id)s", id=cast.acme.bot_id)
    email = fresh_email("new")
    await invite(owner, cast.acme.workspace_id, email, Role.EDITOR)
    await run_jobs()

    assert 'dir="rtl"' in html_of(mail.to(email)[0])


async def test_people_choose_the_language_of_their_emails(
    app: FastAPI, api: Api, owner: Tx, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    ann = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    async with browser(app) as visitor:
        await visitor.sign_in(ann.email)
        for locale, status in (("ar", 303), ("xx", 400)):
            answer = await visitor.send(ACCOUNT, f"{ACCOUNT}/language", locale=locale)
            assert answer.status_code == status
        await visitor.send(ACCOUNT, f"{ACCOUNT}/address", address=fresh_email("other"))
    body = {"title": "Install", "contentMarkdown": "Run it."}
    article = created(await api(cast.acme.write_key).post("/v1/articles", json=body))
    comment = {"body": f"@{ann.email} Is it so?"}
    await api(cast.acme.write_key).post(f"/v1/comments?subject={article['id']}", json=comment)
    await run_jobs()

    assert len(mail.messages) == 2
    assert all('dir="rtl"' in html_of(message) for message in mail.messages)


async def test_nobodys_mailbox_is_flooded_with_invitations(
    owner: Tx, cast: Cast, mail: MailServer, run_jobs: RunJobs, set_limit: SetLimit
) -> None:
    set_limit("MAX_INVITATION_EMAILS_TO_ADDRESS", 2)
    email = fresh_email("new")
    sent = [
        (await invite(owner, workspace, email, Role.EDITOR)).is_emailed
        for workspace in (cast.acme.workspace_id, cast.globex.workspace_id, cast.acme.workspace_id)
    ]
    set_limit("MAX_INVITATION_EMAILS", 3)
    others = [
        (await invite(owner, cast.acme.workspace_id, fresh_email(), Role.EDITOR)).is_emailed for _ in range(2)
    ]
    await run_jobs()

    assert (sent, others) == ([True, True, False], [True, False])
    assert len(mail.to(email)) == 2


async def test_an_invitation_that_was_revoked_before_it_arrives_lets_nobody_in(
    app: FastAPI, api: Api, owner: Tx, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    email = fresh_email("new")
    new = await invite(owner, cast.acme.workspace_id, email, Role.EDITOR)
    await invitations.revoke_invitation(owner, cast.acme.workspace_id, new.invitation.id, OPERATOR)
    await run_jobs()

    [message] = mail.to(email)
    async with browser(app) as ann:
        assert new.path in text_of(message)
        assert (await ann.get(new.path)).status_code == 404


async def link_to(email: str, mail: MailServer, run_jobs: RunJobs) -> str:
    await run_jobs()
    match = CONFIRM.search(text_of(mail.to(email)[-1]))
    assert match is not None
    return match[1]


async def ask(ann: Browser, email: str) -> int:
    return (await ann.send(ACCOUNT, "/app/account/address", address=email)).status_code


async def confirm(ann: Browser, link: str) -> int:
    token = link.partition("token=")[2]
    return (await ann.send(ACCOUNT, "/app/account/address/confirm", token=token)).status_code


async def test_a_new_address_is_confirmed_there_and_the_former_one_gets_a_notice(
    app: FastAPI, api: Api, owner: Tx, cast: Cast, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    email = fresh_email("new")
    pending = await invite(
        owner, cast.acme.workspace_id, fresh_email(), Role.EDITOR, person_of(user).as_actor("page")
    )
    async with browser(app) as ann:
        await ann.sign_in(user.email)
        assert await ask(ann, email.upper()) == 303
        link = await link_to(email, mail, run_jobs)
        # Opening the link changes nothing.
        assert (await ann.get(link)).status_code == 200
        assert user.email in (await ann.get(ACCOUNT)).text
        assert await confirm(ann, link) == 303
        assert await confirm(ann, link) == 404
    await run_jobs()
    async with browser(app) as again:
        assert (await again.sign_in(user.email)).status_code == 401
        assert (await again.sign_in(email)).status_code == 303

    [notice] = mail.to(user.email)
    assert email in text_of(notice)
    entries = await actions.list_audit(owner, cast.acme.workspace_id, 9, action="change address")
    assert [entry.resource for entry in entries] == [user.id]
    # Invitations that the person has sent still end with the person's rights.
    await actions.disable_user(owner, cast.acme.workspace_id, email)
    async with browser(app) as invited:
        assert (await invited.get(pending.path)).status_code == 404


async def test_a_link_to_a_new_address_is_of_use_to_its_person_alone(
    app: FastAPI, api: Api, owner: Tx, cast: Cast, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    email, bob = fresh_email("new"), await sign_up(owner, cast.acme.workspace_id)
    async with browser(app) as ann, browser(app) as bobs, browser(app) as nobody:
        await ann.sign_in(user.email)
        await bobs.sign_in(bob.email)
        await ask(ann, email)
        link = await link_to(email, mail, run_jobs)
        assert (await bobs.get(link)).status_code == 404
        assert await confirm(bobs, link) == 404
        assert (await nobody.get(link)).headers["Location"].startswith("/sign-in?next=")
        assert await confirm(ann, link) == 303


async def test_an_address_that_has_an_account_is_not_revealed_and_not_taken(
    app: FastAPI, api: Api, owner: Tx, cast: Cast, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    taken = await sign_up(owner, cast.globex.workspace_id)
    async with browser(app) as ann:
        await ann.sign_in(user.email)
        assert await ask(ann, taken.email) == await ask(ann, fresh_email()) == 303
        assert await confirm(ann, await link_to(taken.email, mail, run_jobs)) == 400
        assert user.email in (await ann.get(ACCOUNT)).text


async def test_confirming_one_new_email_ends_the_links_of_the_others(
    app: FastAPI, api: Api, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    first, second = fresh_email("first"), fresh_email("second")
    async with browser(app) as ann:
        await ann.sign_in(user.email)
        for email in (first, second):
            await ask(ann, email)
        links = [await link_to(email, mail, run_jobs) for email in (first, second)]
        assert await confirm(ann, links[0]) == 303
        assert await confirm(ann, links[1]) == 404


async def test_a_new_address_needs_a_recent_sign_in_and_is_limited(
    app: FastAPI, api: Api, owner: Tx, user: User, mail: MailServer
) -> None:
    async with browser(app) as ann:
        await ann.sign_in(user.email)
        statuses = [await ask(ann, fresh_email()) for _ in range(limits.MAX_NEW_ADDRESSES)]
        assert set(statuses) == {303}
        assert await ask(ann, fresh_email()) == 429
        assert await ask(ann, "no address") == 400
        await owner.execute(
            "update sessions set verified_at = now() - interval '1 hour' where person_id = %(id)s",
            id=user.id,
        )
        answer = await ann.send(ACCOUNT, "/app/account/address", address=fresh_email())
    assert answer.headers["Location"].startswith("/app/verify")


async def test_a_link_to_set_a_new_password_ends_with_the_address(
    app: FastAPI, api: Api, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    email = fresh_email("new")
    async with browser(app) as ann:
        await ann.send("/sign-in/forgotten", "/sign-in/forgotten", email=user.email)
        await run_jobs()
        [reset] = re.findall(r"http://help\.test(/sign-in/reset\?token=\S+)", text_of(mail.to(user.email)[0]))
        await ann.sign_in(user.email)
        await ask(ann, email)
        await confirm(ann, await link_to(email, mail, run_jobs))
        assert (await ann.get(reset)).status_code == 404
        assert await is_signed_in(ann)


async def test_without_email_an_account_keeps_its_address(app: FastAPI, api: Api, user: User) -> None:
    async with browser(app) as ann:
        await ann.sign_in(user.email)
        assert "New email address" not in (await ann.get(ACCOUNT)).text
        assert await ask(ann, fresh_email()) == 404
