"""Sessions: how long they last, what ends them, and which routes they can't use."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from fastapi import FastAPI

from instep.accounts.people import actions, passwords
from instep.accounts.people.schemas import Attempt, User
from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.identity.scopes import Role, permissions_of
from instep.platform.web.signed_in import includes
from tests.support.cast import Api, Cast, Client
from tests.support.sign_in import HERE, OTHER_PASSWORD, PASSWORD, SIGNING_KEY, browser, is_signed_in


async def test_signing_out_ends_the_session_itself(user: User, app: FastAPI, api: Api) -> None:
    async with browser(app) as ann, browser(app) as thief:
        await ann.sign_in(user.email)
        for name, value in ann.client.cookies.items():
            thief.client.cookies.set(name, value)
        assert await is_signed_in(thief)

        answer = await ann.send("/app/connected-apps", "/sign-out")

        assert answer.headers["Location"] == "/sign-in"
        assert not await is_signed_in(ann)
        assert not await is_signed_in(thief)
        again = await thief.client.post("/sign-out", headers=HERE)
        assert again.headers["Location"].startswith("/sign-in")
        assert "notice" not in again.headers.get("Set-Cookie", "")


async def test_each_sign_in_has_a_session_of_its_own_and_ends_the_one_before(
    user: User, app: FastAPI, api: Api
) -> None:
    async with browser(app) as ann, browser(app) as planted:
        await planted.sign_in(user.email)
        name = "instep-session"
        value = planted.client.cookies[name]
        form = await ann.get("/sign-in")
        ann.client.cookies.set(name, value, domain="help.test", path="/")
        token = form.text.split('form-token" value="')[1].split('"')[0]
        fields = {"form-token": token, "email": user.email, "password": "four words nobody connects"}
        await ann.client.post("/sign-in", data=fields)

        assert ann.client.cookies[name] != value
        assert await is_signed_in(ann)
        assert not await is_signed_in(planted)


@pytest.mark.parametrize("way", ["password", "disabled", "deleted"])
async def test_a_new_password_and_disabling_end_all_sessions_at_once(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User, way: str
) -> None:
    workspace_id = cast.acme.workspace_id
    async with browser(app) as laptop, browser(app) as phone:
        for device in (laptop, phone):
            await device.sign_in(user.email)
        if way == "password":
            await actions.change_password(owner, workspace_id, user.email, OTHER_PASSWORD)
        elif way == "disabled":
            await actions.disable_user(owner, workspace_id, user.email)
        else:
            await owner.execute("delete from people where id = %(id)s", id=user.id)

        assert not await is_signed_in(laptop)
        assert not await is_signed_in(phone)
        assert (await phone.sign_in(user.email)).status_code == 401
        again = (await phone.sign_in(user.email, OTHER_PASSWORD)).status_code
        assert again == (303 if way == "password" else 401)


@pytest.mark.parametrize(
    ("column", "age", "is_alive"),
    [
        ("seen_at", limits.SESSION_IDLE_TTL - timedelta(minutes=5), True),
        ("seen_at", limits.SESSION_IDLE_TTL + timedelta(minutes=5), False),
        ("created_at", limits.SESSION_MAX_AGE - timedelta(minutes=5), True),
        ("created_at", limits.SESSION_MAX_AGE + timedelta(minutes=5), False),
    ],
)
async def test_a_session_ends_when_it_is_old_or_was_not_used_for_long(
    app: FastAPI,
    api: Api,
    owner: Tx,
    user: User,
    database: Database,
    column: str,
    age: timedelta,
    is_alive: bool,
) -> None:
    async with browser(app) as ann:
        await ann.sign_in(user.email)
        await owner.execute(
            f"update sessions set {column} = now() - %(age)s where person_id = %(id)s", age=age, id=user.id
        )
        await prune.prune(database, Job(1, prune.PRUNE, {}, 1))
        session_count = await owner.value(
            "select count(*) from sessions where person_id = %(id)s", id=user.id
        )

        assert await is_signed_in(ann) is is_alive
        assert session_count == is_alive
        if is_alive:
            # Using the session extends it.
            sql = "select now() - seen_at < interval '1 minute' from sessions where person_id = %(id)s"
            assert await owner.value(sql, id=user.id)


async def test_sessions_and_keys_open_only_their_own_doors(
    user: User, app: FastAPI, client: Client, api: Api
) -> None:
    async with browser(app) as ann:
        await ann.sign_in(user.email)
        for path in ("/v1/articles", "/v1/bots"):
            assert (await ann.get(path)).status_code == 401
        assert (await ann.client.post("/mcp/admin", json={})).status_code == 401
        token = ann.client.cookies["instep-session"]
    with_key = await client.get("/app/connected-apps")
    bearer = await api(token).get("/app/connected-apps")

    assert (with_key.status_code, bearer.status_code) == (303, 303)
    assert (await api(token).get("/v1/articles")).status_code == 401


async def test_a_password_that_is_changed_while_it_is_checked_begins_no_session(
    app: FastAPI,
    api: Api,
    cast: Cast,
    owner: Tx,
    user: User,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def meanwhile(password: str, hashes: Sequence[str | None]) -> str | None:
        right = await passwords.matching_hash(password, hashes)
        await actions.change_password(owner, cast.acme.workspace_id, user.email, OTHER_PASSWORD)
        return right

    monkeypatch.setattr(actions, "matching_hash", meanwhile)
    with pytest.raises(actions.SignInFailed):
        await actions.sign_in(database, SIGNING_KEY, Attempt(user.email, PASSWORD, "here"))

    assert await owner.value("select count(*) from sessions where person_id = %(id)s", id=user.id) == 0


def test_roles_may_do_what_they_may_and_no_more() -> None:
    assert [permissions_of(role).scope for role in Role] == ["content:write", "content:write", "content:read"]
    assert [permissions_of(role).changes_settings for role in Role] == [True, False, False]
    allowed = [[includes(role, needed) for needed in Role] for role in Role]
    assert allowed == [[True, True, True], [False, True, True], [False, False, True]]
