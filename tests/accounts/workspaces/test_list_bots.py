"""GET /v1/bots."""

from instep.accounts.workspaces.actions import create_bot, create_key, create_workspace, pause_workspace
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast, Client
from tests.support.http import error, ok


async def test_a_key_of_one_bot_sees_that_bot(api: Api, cast: Cast) -> None:
    for key in (cast.acme.read_key, cast.acme.write_key):
        assert ok(await api(key).get("/v1/bots")) == {
            "results": [
                {"id": str(cast.acme.bot_id), "name": "Acme", "slug": cast.acme.slug, "isDefault": True}
            ],
            "has_more": False,
            "next_cursor": None,
        }


async def test_a_key_of_all_bots_sees_those_of_its_workspace_and_new_ones(
    wide: Client, cast: Cast, owner: Tx
) -> None:
    ids = [str(cast.acme.bot_id), str(cast.second_bot_id)]
    assert [bot["id"] for bot in ok(await wide.get("/v1/bots"))["results"]] == ids

    third = await create_bot(owner, cast.acme.workspace_id, "Acme third", None, "en")

    assert [bot["id"] for bot in ok(await wide.get("/v1/bots"))["results"]] == [*ids, str(third.id)]


async def test_a_key_of_several_bots_sees_these(api: Api, cast: Cast, owner: Tx) -> None:
    await create_bot(owner, cast.acme.workspace_id, "Acme third", None, "en")
    bots = [cast.acme.bot_id, cast.second_bot_id]
    key = await create_key(owner, cast.acme.workspace_id, "two", Scope.READ, bots)

    listed = ok(await api(key.key).get("/v1/bots"))["results"]

    assert [bot["name"] for bot in listed] == ["Acme", "Acme second"]


async def test_a_key_of_a_workspace_without_bots_sees_none(api: Api, cast: Cast, owner: Tx) -> None:
    empty = await create_workspace(owner, "Empty")
    key = await create_key(owner, empty.id, "all", Scope.READ, [])
    client = api(key.key)

    assert ok(await client.get("/v1/bots"))["results"] == []
    assert error(await client.get("/v1/articles")) == (400, "bot_required")


async def test_bots_are_listed_while_the_workspace_is_paused(api: Api, cast: Cast, owner: Tx) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)

    listed = ok(await api(cast.paused.read_key).get("/v1/bots"))["results"]

    assert [bot["id"] for bot in listed] == [str(cast.paused.bot_id)]
