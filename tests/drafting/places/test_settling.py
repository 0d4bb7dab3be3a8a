"""A place leaves the queue when it is resolved or dismissed, and returns when it is reopened."""

import pytest

from instep.accounts.workspaces.actions import create_key
from instep.drafting.places.actions import assign_place
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.scopes import Scope
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.events import forget, heard, kinds, told
from tests.support.http import at_once, error, ok
from tests.support.places import find_places, new_place, waiting
from tests.support.sign_in import sign_up
from tests.support.webhook_endpoints import create_webhook


async def test_resolved_place_leaves_the_queue_with_an_event(
    client: Client, cast: Cast, owner: Tx, place: Json
) -> None:
    await create_webhook(client)

    resolved = ok(await client.post(f"/v1/places/{place['id']}/resolve"))

    assert (resolved["id"], resolved["status"]) == (place["id"], "resolved")
    assert await waiting(client) == []
    [event] = await heard(owner, cast.acme)
    kind, thing, previous = told(event)
    assert (kind, thing) == ("place.resolved", resolved)
    assert previous["status"] == "open"


async def test_one_of_many_who_resolve_at_once_succeeds(
    client: Client, cast: Cast, owner: Tx, place: Json
) -> None:
    await create_webhook(client)

    answers = await at_once(4, lambda _: client.post(f"/v1/places/{place['id']}/resolve"))

    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    assert {error(answer) for answer in answers if answer.status_code == 400} == {(400, "invalid_state")}
    assert await kinds(owner, cast.acme) == ["place.resolved"]


@pytest.mark.parametrize("reason", ["not_needed", "wrong_article", "wrong_text"])
async def test_dismissed_place_is_not_proposed_again(
    client: Client, cast: Cast, database: Database, place: Json, reason: str
) -> None:
    body = {"reason": reason, "comment": "Only operators see it."}
    dismissed = ok(await client.post(f"/v1/places/{place['id']}/dismiss", json=body))
    assert dismissed["status"] == "dismissed"

    await find_places(
        client, database, cast.acme, new_place(place["articleId"]), url="https://git.test/acme/pull/8"
    )

    assert await waiting(client) == []
    [row] = ok(await client.get("/v1/insights/suppressed"))["results"]
    assert (row["placeId"], row["draftId"], row["articleId"]) == (place["id"], None, place["articleId"])
    assert (row["reason"], row["comment"]) == (reason, "Only operators see it.")


@pytest.mark.parametrize("body", [None, {}, {"reason": "later"}, {"reason": "duplicate"}])
async def test_other_reasons_hold_nothing_back(
    client: Client, cast: Cast, database: Database, place: Json, body: Json | None
) -> None:
    ok(await client.post(f"/v1/places/{place['id']}/dismiss", json=body))

    await find_places(
        client, database, cast.acme, new_place(place["articleId"]), url="https://git.test/acme/pull/8"
    )

    assert len(await waiting(client)) == 1


@pytest.mark.parametrize("body", [{"reason": "boring"}, {"comment": "x" * 2001}, {"why": "later"}])
async def test_a_dismissal_that_can_not_be_read_changes_nothing(
    client: Client, place: Json, body: Json
) -> None:
    refusal = await client.post(f"/v1/places/{place['id']}/dismiss", json=body)

    assert error(refusal) == (400, "invalid_request")
    assert await waiting(client) == [place]


@pytest.mark.parametrize("verb", ["resolve", "dismiss"])
async def test_reopened_place_waits_again_and_is_not_suppressed(
    client: Client, place: Json, verb: str
) -> None:
    path = f"/v1/places/{place['id']}"
    assert error(await client.post(f"{path}/reopen")) == (400, "invalid_state")
    ok(await client.post(f"{path}/{verb}", json={"reason": "not_needed"} if verb == "dismiss" else None))

    assert ok(await client.post(f"{path}/reopen"))["status"] == "open"

    assert [row["id"] for row in await waiting(client)] == [place["id"]]
    assert ok(await client.get("/v1/insights/suppressed"))["results"] == []


async def test_a_key_that_may_propose_settles_places_and_one_that_reads_does_not(
    api: Api, cast: Cast, owner: Tx, place: Json
) -> None:
    workspace = cast.acme.workspace_id
    key = await create_key(owner, workspace, "agent", Scope.PROPOSE, [cast.acme.bot_id])
    agent, reader = api(key.key), api(cast.acme.read_key)
    path = f"/v1/places/{place['id']}"

    for verb in ("resolve", "reopen", "dismiss"):
        assert error(await reader.post(f"{path}/{verb}")) == (403, "insufficient_scope")
        ok(await agent.post(f"{path}/{verb}"))

    assert await waiting(reader, status="dismissed")


async def test_a_place_is_given_to_a_person_of_the_workspace(
    client: Client, cast: Cast, database: Database, owner: Tx, place: Json
) -> None:
    ours, theirs = (
        await sign_up(owner, cast.acme.workspace_id),
        await sign_up(owner, cast.globex.workspace_id),
    )
    async with acting(database, cast.acme) as ctx:
        await assign_place(ctx, place["id"], ours.id)
        with pytest.raises(InvalidRequest):
            await assign_place(ctx, place["id"], theirs.id)

    [assigned] = await waiting(client)
    assert assigned["assignee"] == {"type": "person", "name": ours.email}

    async with acting(database, cast.acme) as ctx:
        await assign_place(ctx, place["id"], None)
    assert (await waiting(client))[0]["assignee"] is None


async def test_a_place_of_a_person_who_leaves_is_nobodys(
    client: Client, cast: Cast, database: Database, owner: Tx, place: Json
) -> None:
    user = await sign_up(owner, cast.acme.workspace_id)
    async with acting(database, cast.acme) as ctx:
        await assign_place(ctx, place["id"], user.id)

    await owner.execute("delete from memberships where person_id = %(id)s", id=user.id)

    assert (await waiting(client))[0]["assignee"] is None


async def test_a_new_place_has_an_event_and_the_same_again_has_none(
    client: Client, cast: Cast, database: Database, owner: Tx, place: Json
) -> None:
    await create_webhook(client)
    await find_places(client, database, cast.acme, new_place(place["articleId"]))
    assert await kinds(owner, cast.acme) == []
    await forget(owner, cast.acme)

    await find_places(client, database, cast.acme, new_place(place["articleId"], key="b", heading=None))

    [event] = await heard(owner, cast.acme)
    assert told(event) == ("place.created", (await waiting(client))[0], {})
