"""/app/account: a person's own password, sessions and workspaces, and no one else's."""

from fastapi import FastAPI

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Api, Cast
from tests.support.sign_in import OTHER_PASSWORD, PASSWORD, browser, is_signed_in

ACCOUNT = "/app/account"


async def test_a_new_password_keeps_this_browser_and_ends_the_others(
    desk: Desk, app: FastAPI, api: Api
) -> None:
    visitor, email = desk.visitor, desk.user.email
    old = visitor.client.cookies["instep-session"]
    async with browser(app) as phone, browser(app) as thief:
        await phone.sign_in(email)
        wrong = await visitor.send(ACCOUNT, f"{ACCOUNT}/password", current="x", password=OTHER_PASSWORD)
        weak = await visitor.send(ACCOUNT, f"{ACCOUNT}/password", current=PASSWORD, password="qwertyuiop12")
        answer = await visitor.send(ACCOUNT, f"{ACCOUNT}/password", current=PASSWORD, password=OTHER_PASSWORD)
        page, again = await desk.follow(answer), await visitor.get(ACCOUNT)
        thief.client.cookies.set("instep-session", old)

        assert (wrong.status_code, "not your password" in wrong.text) == (400, True)
        assert (weak.status_code, "easy to guess" in weak.text) == (400, True)
        assert "Password changed" in page.text
        assert "Password changed" not in again.text
        assert not await is_signed_in(phone)
        assert not await is_signed_in(thief)
        assert await is_signed_in(visitor)


async def test_sessions_are_listed_and_ended_one_by_one_or_all_others(
    desk: Desk, app: FastAPI, api: Api, editor: Desk
) -> None:
    visitor = desk.visitor
    async with browser(app) as phone, browser(app) as tablet:
        phone.client.headers["User-Agent"] = "Mozilla/5.0 (iPhone) FxiOS/130.0 Safari/605"
        await phone.sign_in(desk.user.email)
        await tablet.sign_in(desk.user.email)
        page = await visitor.get(ACCOUNT)
        assert "Firefox on iPhone" in page.text
        row = page.text.split("Firefox on iPhone")[1]
        session_id = row.split('name="id" value="')[1].split('"')[0]

        # Someone else can't end it.
        foreign = await editor.visitor.send(ACCOUNT, f"{ACCOUNT}/sessions", id=session_id)
        assert (foreign.status_code, await is_signed_in(phone)) == (404, True)
        await visitor.send(ACCOUNT, f"{ACCOUNT}/sessions", id=session_id)
        assert [await is_signed_in(each) for each in (phone, tablet, visitor)] == [False, True, True]
        await visitor.send(ACCOUNT, f"{ACCOUNT}/sessions", id="others")
        assert [await is_signed_in(each) for each in (tablet, visitor)] == [False, True]


async def test_a_person_switches_to_their_other_workspace_and_to_no_other(
    desk: Desk, cast: Cast, owner: Tx
) -> None:
    visitor, there = desk.visitor, cast.globex.workspace_id
    refused = await visitor.send(ACCOUNT, f"{ACCOUNT}/workspace", workspace=there)
    await owner.execute(
        "insert into memberships (workspace_id, person_id, role) values (%(there)s, %(id)s, 'viewer')",
        there=there,
        id=desk.user.id,
    )
    answer = await visitor.send(ACCOUNT, f"{ACCOUNT}/workspace", workspace=there)
    home = await desk.follow(answer)

    assert refused.status_code == 404
    assert home.headers["Location"] == f"/app/{cast.globex.slug}/review"
    assert (await desk.get("get-started")).status_code in (403, 404)
