"""Alerts to a team's email address: confirmed first, answered to the visitor, ended with one click."""

import re
from collections.abc import Sequence

import pytest
from fastapi import FastAPI

from instep.notifications.alerts import actions
from instep.notifications.alerts.schemas import AlertTarget
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidState, InvalidValue
from tests.support.alert_targets import BOTH, VISITOR, acting, add_target, listed
from tests.support.cast import Api, Cast, Client, RunJobs
from tests.support.http import created
from tests.support.mail_server import MailServer, html_of, text_of
from tests.support.sign_in import TOKEN, browser, fresh_email

LINK = re.compile(r"http://help\.test(/email/confirm\?token=([\w-]+))")


async def confirm(app: FastAPI, mail: MailServer, address: str) -> int:
    """Open the link in the email to an address and press the button; return the response's status."""
    match = LINK.search(text_of(mail.to(address)[0]))
    assert match is not None
    async with browser(app) as ann:
        answer = await ann.send(match[1], match[1], token=match[2])
    return answer.status_code


@pytest.fixture
async def team(
    app: FastAPI, api: Api, database: Database, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> str:
    """The address of a team that receives alerts of Acme's bot."""
    address = fresh_email("team")
    await add_target(database, cast.acme, address)
    await run_jobs()
    assert await confirm(app, mail, address) == 200
    mail.messages.clear()
    return address


async def tell(
    database: Database, cast: Cast, title: str, lines: Sequence[str], reply_to: str | None = None
) -> None:
    async with acting(database, cast.acme, VISITOR) as ctx:
        await actions.alert(ctx, "lead", title, lines, None, reply_to)


async def test_an_address_gets_alerts_after_it_is_confirmed(
    app: FastAPI, api: Api, database: Database, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    address = fresh_email("team")
    target = await add_target(database, cast.acme, f"mailto:{address}")
    await tell(database, cast, "Too early", ["x"])
    async with acting(database, cast.acme) as ctx:
        with pytest.raises(InvalidState):
            await actions.test_alert_target(ctx, target.id)
    await run_jobs()
    assert len(mail.to(address)) == 1
    [before] = await listed(database, cast.acme)
    assert await confirm(app, mail, address) == 200
    # The link works once.
    match = LINK.search(text_of(mail.to(address)[0]))
    assert match is not None
    async with browser(app) as ann:
        assert (await ann.get(match[1])).status_code == 404
    await tell(database, cast, "A visitor", ["Hello"])
    await run_jobs()

    [after] = await listed(database, cast.acme)
    assert (before.status, after.status, after.address) == ("unconfirmed", "untried", address)
    assert [message["Subject"] for message in mail.to(address)][1:] == ["A visitor"]


async def test_a_reply_goes_to_the_visitor(
    team: str, visitor: Client, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    body = {
        "botId": str(cast.acme.bot_id),
        "botKey": cast.acme.bot_key,
        "email": "jane@customer.example",
        "name": "Jane\r\nBcc: evil@evil.example",
        "message": "Do you have <b>a plan</b> for schools?",
    }
    created(await visitor.post("/leads", json=body))
    await run_jobs()

    [message] = mail.to(team)
    assert (message["Reply-To"], message["Bcc"]) == ("jane@customer.example", None)
    assert "Do you have <b>a plan</b>" in text_of(message)
    assert "<b>a plan" not in html_of(message)


async def test_one_click_ends_the_alerts_and_opening_the_link_does_not(
    app: FastAPI, team: str, database: Database, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    await tell(database, cast, "A visitor", ["Hello"])
    await run_jobs()
    [message] = mail.to(team)
    path = message["List-Unsubscribe"].strip("<>").removeprefix("http://help.test")
    async with browser(app) as scanner:
        assert (await scanner.get(path)).status_code == 200
        assert len(await listed(database, cast.acme)) == 1
        # Mail programs post without a cookie and without a token of ours (RFC 8058).
        answer = await scanner.client.post(path, data={"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert (await scanner.client.post(path)).status_code == 200
    assert await listed(database, cast.acme) == []


async def test_a_link_that_was_altered_ends_nothing(
    app: FastAPI, team: str, database: Database, cast: Cast
) -> None:
    async with browser(app) as stranger:
        for token in ("", "nothing", "AAAA" * 30, "\0"):
            answer = await stranger.client.post("/email/unsubscribe", params={"token": token})
            assert answer.status_code == 404
        assert (await stranger.get("/email/confirm?token=nothing")).status_code == 404
        page = await stranger.get("/sign-in")
        fields = {"form-token": TOKEN.findall(page.text)[0], "token": "nothing"}
        assert (await stranger.client.post("/email/confirm", data=fields)).status_code == 404
    assert len(await listed(database, cast.acme)) == 1


async def test_without_email_an_address_is_refused(database: Database, cast: Cast) -> None:
    with pytest.raises(InvalidValue):
        await add_target(database, cast.acme, "team@acme.example")


async def removed_target(database: Database, cast: Cast) -> AlertTarget:
    target = await add_target(database, cast.acme, fresh_email("team"), BOTH)
    async with acting(database, cast.acme) as ctx:
        return await actions.remove_alert_target(ctx, target.id)


async def test_a_target_that_was_removed_is_not_confirmed(
    app: FastAPI, api: Api, database: Database, cast: Cast, mail: MailServer, run_jobs: RunJobs
) -> None:
    target = await removed_target(database, cast)
    await run_jobs()
    match = LINK.search(text_of(mail.to(target.host)[0]))
    assert match is not None
    async with browser(app) as ann:
        assert (await ann.get(match[1])).status_code == 404
