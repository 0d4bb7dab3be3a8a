"""Names, bot slugs and bot keys that the commands create."""

import pytest

from instep.accounts.workspaces.actions import (
    change_origins,
    create_bot,
    create_key,
    create_workspace,
    find_workspace,
    resume_workspace,
    revoke_key,
)
from instep.platform.core.database import Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.slug_rules import SlugTaken
from instep.platform.identity.scopes import Scope
from tests.support.cast import Cast, Client


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\0b", "\udcff"])
async def test_a_name_must_be_a_text(cast: Cast, owner: Tx, name: str) -> None:
    with pytest.raises(InvalidRequest):
        await create_workspace(owner, name)
    with pytest.raises(InvalidRequest):
        await create_bot(owner, cast.acme.workspace_id, name, None, "en")
    with pytest.raises(InvalidRequest):
        await create_key(owner, cast.acme.workspace_id, name, Scope.READ, [])


async def test_slugs_of_bots_are_unique_across_workspaces(cast: Cast, owner: Tx) -> None:
    first = await create_bot(owner, cast.acme.workspace_id, "Docs & more", None, "en")

    second = await create_bot(owner, cast.globex.workspace_id, "Docs & more", None, "en")

    assert second.slug != first.slug
    with pytest.raises(SlugTaken):
        await create_bot(owner, cast.globex.workspace_id, "Docs", first.slug, "en")


@pytest.mark.parametrize(
    ("slug", "locale"), [("Upper", "en"), ("search", "en"), (None, "English"), (None, "")]
)
async def test_a_bot_needs_a_proper_slug_and_locale(
    cast: Cast, owner: Tx, slug: str | None, locale: str
) -> None:
    with pytest.raises(InvalidRequest):
        await create_bot(owner, cast.acme.workspace_id, "Docs", slug, locale)


@pytest.mark.parametrize(
    "origin", ["", "null", "example.com", "https://example.com/", "https://*.example.com"]
)
async def test_an_origin_must_be_one(cast: Cast, owner: Tx, origin: str) -> None:
    with pytest.raises(InvalidRequest, match="origin"):
        await create_bot(owner, cast.acme.workspace_id, "Docs", None, "en", [origin])
    with pytest.raises(InvalidRequest, match="origin"):
        await change_origins(owner, cast.acme.workspace_id, cast.acme.bot_id, [origin], [])


async def test_a_bot_has_at_most_50_origins(cast: Cast, owner: Tx) -> None:
    origins = [f"https://{number}.example" for number in range(50)]
    bot = await create_bot(owner, cast.acme.workspace_id, "Docs", None, "en", [*origins, origins[0]])
    assert bot.origins == origins

    with pytest.raises(InvalidRequest, match="50"):
        await change_origins(owner, cast.acme.workspace_id, bot.id, ["https://more.example"], [])

    changed = await change_origins(
        owner, cast.acme.workspace_id, bot.id, ["https://more.example"], [origins[0]]
    )
    assert changed.origins == [*origins[1:], "https://more.example"]


async def test_the_origins_of_another_workspaces_bot_are_not_changed(cast: Cast, owner: Tx) -> None:
    with pytest.raises(NotFound):
        await change_origins(owner, cast.globex.workspace_id, cast.acme.bot_id, ["https://a.example"], [])


async def test_a_key_covers_only_bots_of_its_workspace(cast: Cast, owner: Tx) -> None:
    with pytest.raises(NotFound):
        await create_key(owner, cast.acme.workspace_id, "CI", Scope.READ, [cast.globex.bot_id])


async def test_a_key_of_another_workspace_is_not_revoked(client: Client, cast: Cast, owner: Tx) -> None:
    with pytest.raises(NotFound):
        await revoke_key(owner, cast.globex.workspace_id, cast.acme.write_key_id)

    assert (await client.get("/v1/bots")).status_code == 200


async def test_workspace_must_be_named_if_there_are_several(cast: Cast, owner: Tx) -> None:
    with pytest.raises(InvalidRequest, match=cast.globex.workspace_id):
        await find_workspace(owner, None)
    with pytest.raises(NotFound):
        await resume_workspace(owner, "ws_unknown")
