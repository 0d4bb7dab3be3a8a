"""POST /v1/changelog/entries/{id}/unpublish."""

from instep.platform.core.database import Tx
from tests.support.cast import Client
from tests.support.changelog_entries import ENTRIES, archive, create_entry, publish_entry
from tests.support.http import error, ok

ENTRY = f"{ENTRIES}/exports-as-csv"


async def test_an_unpublished_entry_is_a_draft_again_and_off_the_site(
    client: Client, visitor: Client
) -> None:
    live = await publish_entry(client)

    draft = ok(await client.post(f"{ENTRIES}/{live['id']}/unpublish"))

    assert draft == {**live, "status": "draft", "url": None, "updatedAt": draft["updatedAt"]}
    assert draft["updatedAt"] >= live["updatedAt"]
    assert ok(await client.get(ENTRY)) == draft
    assert (await visitor.get(live["url"])).status_code == 404


async def test_a_draft_cant_be_unpublished(client: Client) -> None:
    entry = await create_entry(client)

    assert error(await client.post(f"{ENTRY}/unpublish")) == (400, "invalid_state")
    assert ok(await client.get(ENTRY)) == entry


async def test_an_archived_entry_becomes_a_draft(client: Client, owner: Tx) -> None:
    await archive(owner, await publish_entry(client))
    assert ok(await client.get(ENTRY))["url"] is None

    assert ok(await client.post(f"{ENTRY}/unpublish"))["status"] == "draft"
