"""The cached bot of a key saves a round trip but decides nothing."""

import pytest

from instep.platform.core.database import Tx
from tests.interfaces.site.test_addresses import counted
from tests.support.cast import Cast, Client

NEW = {"title": "What a known key wrote", "contentMarkdown": "Run it."}
WRITTEN = "select count(*) from articles where workspace_id = %(id)s"


async def test_a_read_with_a_known_key_is_one_round_trip(
    client: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = (await client.post("/v1/articles", json=NEW)).json()
    await client.get("/v1/articles")
    trips: list[str] = []
    monkeypatch.setattr(Tx, "send", counted(Tx.send, trips))

    for path in (f"/v1/articles/{article['id']}", "/v1/articles"):
        trips.clear()
        assert (await client.get(path)).status_code == 200
        assert len(trips) == 1, path


@pytest.mark.parametrize(
    ("change", "status"),
    [("revoked_at = now()", 401), ("expires_at = now()", 401), ("scope = 'content:read'", 403)],
)
async def test_changes_of_a_key_apply_to_its_next_request(
    client: Client, cast: Cast, owner: Tx, change: str, status: int
) -> None:
    assert (await client.post("/v1/articles", json=NEW)).status_code == 201

    await owner.execute(
        f"update api_keys set {change} where workspace_id = %(id)s", id=cast.acme.workspace_id
    )

    assert (await client.post("/v1/articles", json=NEW)).status_code == status
    # A caller without access learns only that, and nothing about errors in the request.
    assert (await client.post("/v1/articles", json={"no": "title"})).status_code == status
    assert await owner.value(WRITTEN, id=cast.acme.workspace_id) == 1


async def test_a_paused_workspace_takes_nothing_from_a_known_key(
    client: Client, cast: Cast, owner: Tx
) -> None:
    assert (await client.post("/v1/articles", json=NEW)).status_code == 201

    await owner.execute(
        "update workspaces set paused_at = now() where id = %(id)s", id=cast.acme.workspace_id
    )

    assert (await client.post("/v1/articles", json=NEW)).status_code == 402
    assert (await client.get("/v1/articles")).status_code == 200
    assert await owner.value(WRITTEN, id=cast.acme.workspace_id) == 1


async def test_a_key_that_covers_another_bot_now_leads_there(client: Client, cast: Cast, owner: Tx) -> None:
    await client.post("/v1/articles", json=NEW)
    assert len((await client.get("/v1/articles")).json()["results"]) == 1

    await owner.execute(
        """
        with other as (
            insert into bots (id, workspace_id, slug, name, bot_key, locale)
            select gen_random_uuid(), workspace_id, 'another', 'Another', 'pk_another', 'en'
            from bots where id = %(id)s returning id, workspace_id)
        update api_keys k set bot_ids = array[other.id], default_bot_id = other.id
        from other where k.workspace_id = other.workspace_id
        """,
        id=cast.acme.bot_id,
    )

    first = await client.get("/v1/articles")
    created = await client.post("/v1/articles", json=NEW)
    assert first.json()["results"] == []
    assert created.status_code == 201
    bots = "select count(distinct bot_id) from articles where workspace_id = %(id)s"
    assert await owner.value(bots, id=cast.acme.workspace_id) == 2
    # The request counted once although it was started twice.
    quotas = [int(answer.headers["RateLimit"].split("r=")[1].split(";")[0]) for answer in (first, created)]
    assert quotas[0] - quotas[1] == 1
