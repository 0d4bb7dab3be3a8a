"""One person in several workspaces: one role in each, one workspace at a time, and no access to others."""

import pytest
from fastapi import FastAPI

from instep.accounts.people import actions, own_account
from instep.accounts.people.schemas import User
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.identity.sessions import Session, authenticate_session
from tests.support.cast import Api, Cast
from tests.support.http import at_once
from tests.support.sign_in import OTHER_PASSWORD, PASSWORD, SIGNING_KEY, browser, fresh_email, sign_up


async def join(owner: Tx, workspace_id: str, user: User, role: Role) -> None:
    await owner.execute(
        "insert into memberships (workspace_id, person_id, role, used_at) "
        "values (%(workspace)s, %(id)s, %(role)s, '-infinity')",
        workspace=workspace_id,
        id=user.id,
        role=role.value,
    )


async def session_of(database: Database, token: str) -> Session:
    async with authenticate_session(database, token) as (session, _):
        assert session is not None
        return session


async def begin(app: FastAPI, user: User, password: str = PASSWORD) -> str:
    """Sign in and return the session's token."""
    async with browser(app) as ann:
        await ann.sign_in(user.email, password)
        return ann.client.cookies["instep-session"]


async def test_a_session_goes_to_another_workspace_and_has_the_role_of_there(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User, database: Database
) -> None:
    await join(owner, cast.globex.workspace_id, user, Role.VIEWER)
    token = await begin(app, user)
    person = (await session_of(database, token)).person
    assert (person.workspace_id, person.role) == (cast.acme.workspace_id, Role.OWNER)

    await own_account.switch_workspace(database, token, person, cast.globex.workspace_id)
    switched = (await session_of(database, token)).person
    async with database.enter_workspace(switched.workspace_id) as tx:
        memberships = await own_account.list_memberships(tx, switched)

    assert (switched.workspace_id, switched.role) == (cast.globex.workspace_id, Role.VIEWER)
    assert {(each.workspace_id, each.role) for each in memberships} == {
        (cast.acme.workspace_id, "owner"),
        (cast.globex.workspace_id, "viewer"),
    }
    # Signing in opens the workspace that was used last.
    again = (await session_of(database, await begin(app, user))).person
    assert again.workspace_id == cast.globex.workspace_id


async def test_switching_to_a_workspace_without_a_membership_is_refused(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User, database: Database
) -> None:
    token = await begin(app, user)
    person = (await session_of(database, token)).person
    with pytest.raises(NotFound):
        await own_account.switch_workspace(database, token, person, cast.globex.workspace_id)
    await join(owner, cast.globex.workspace_id, user, Role.EDITOR)
    await actions.disable_user(owner, cast.globex.workspace_id, user.email)
    with pytest.raises(NotFound):
        await own_account.switch_workspace(database, token, person, cast.globex.workspace_id)

    assert (await session_of(database, token)).person.workspace_id == cast.acme.workspace_id


async def test_member_disabled_in_one_workspace_still_works_in_another(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User, database: Database
) -> None:
    await join(owner, cast.globex.workspace_id, user, Role.EDITOR)
    token = await begin(app, user)
    there = await begin(app, user)
    await own_account.switch_workspace(
        database, there, (await session_of(database, there)).person, cast.globex.workspace_id
    )

    await actions.disable_user(owner, cast.acme.workspace_id, user.email)

    async with authenticate_session(database, token) as (session, _):
        assert session is None
    assert (await session_of(database, there)).person.workspace_id == cast.globex.workspace_id
    assert (await session_of(database, await begin(app, user))).person.role == Role.EDITOR


async def test_a_workspace_sees_its_own_people_alone(
    api: Api, cast: Cast, owner: Tx, user: User, database: Database
) -> None:
    async with database.enter_workspace(cast.globex.workspace_id) as tx:
        assert user.id not in {other.id for other in await actions.list_users(tx, cast.globex.workspace_id)}
        assert await actions.list_users(tx, cast.acme.workspace_id) == []
        assert await tx.value("select count(*) from people where id = %(id)s", id=user.id) == 0


async def test_the_last_owner_stays_one_unless_the_operator_says_so(
    api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    # The test needs a workspace without other owners.
    workspace_id = cast.paused.workspace_id
    await owner.execute("delete from memberships where workspace_id = %(id)s", id=workspace_id)
    ann = await sign_up(owner, workspace_id)
    actor = person_of(ann).as_actor("page")
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        with pytest.raises(InvalidRequest, match="only owner"):
            await actions.change_role(tx, workspace_id, ann.email, Role.EDITOR, actor)
        with pytest.raises(InvalidRequest, match="only owner"):
            await actions.disable_user(tx, workspace_id, ann.email, actor)
    bob = await sign_up(owner, workspace_id, Role.OWNER, fresh_email("bob"))
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        assert (await actions.change_role(tx, workspace_id, bob.email, Role.VIEWER, actor)).role == "viewer"
    assert (await actions.change_role(owner, workspace_id, ann.email, Role.VIEWER)).role == "viewer"


async def test_two_owners_who_disable_each_other_leave_one_owner(
    api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    workspace_id = cast.paused.workspace_id
    for _ in range(5):
        await owner.execute("delete from memberships where workspace_id = %(id)s", id=workspace_id)
        people = [await sign_up(owner, workspace_id) for _ in range(2)]

        async def disable(number: int, people: list[User] = people) -> bool:
            actor = person_of(people[1 - number]).as_actor("page")
            async with database.enter_workspace(workspace_id) as tx, tx.transaction():
                try:
                    await actions.disable_user(tx, workspace_id, people[number].email, actor)
                except InvalidRequest:
                    return False
            return True

        assert sorted(await at_once(2, disable)) == [False, True]


async def test_a_new_password_of_ones_own_ends_all_other_sessions_and_the_old_token(
    app: FastAPI, api: Api, cast: Cast, user: User, database: Database
) -> None:
    here, elsewhere = await begin(app, user), await begin(app, user)
    session = await session_of(database, here)
    with pytest.raises(own_account.WrongPassword):
        await own_account.change_own_password(database, SIGNING_KEY, session, "wrong", OTHER_PASSWORD, "")

    signed_in = await own_account.change_own_password(
        database, SIGNING_KEY, session, PASSWORD, OTHER_PASSWORD, "Firefox/130.0 Linux"
    )

    for token in (here, elsewhere):
        async with authenticate_session(database, token) as (old, _):
            assert old is None
    renewed = await session_of(database, signed_in.token)
    async with database.enter_workspace(renewed.person.workspace_id) as tx:
        [open_session] = await own_account.list_sessions(tx, renewed.person)
    assert (open_session.id, open_session.browser) == (renewed.id, "Firefox on Linux")
    assert await begin(app, user, OTHER_PASSWORD)


async def test_a_session_is_ended_by_its_own_person_alone(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User, database: Database
) -> None:
    token, other = await begin(app, user), await begin(app, user)
    session, other_session = await session_of(database, token), await session_of(database, other)
    bob = person_of(await sign_up(owner, cast.acme.workspace_id))
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        with pytest.raises(NotFound):
            await own_account.end_own_session(tx, bob, session.id)
        await own_account.end_own_session(tx, session.person, other_session.id)
        assert [each.id for each in await own_account.list_sessions(tx, session.person)] == [session.id]


def person_of(user: User) -> Person:
    return Person(user.id, user.workspace_id, user.email, Role(user.role))
