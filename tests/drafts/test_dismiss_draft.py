"""POST /v1/drafts/{id}/dismiss."""

import pytest

from instep.core.database import Tx
from instep.workspaces.actions import pause_workspace
from tests.drafts.review import get, propose, queue, write_article
from tests.support.cast import Cast, Client


async def test_a_dismissed_draft_leaves_the_queue_and_the_article_as_it_was(client: Client) -> None:
    article = await write_article(client)
    draft = await propose(client, article)

    dismissed = await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    assert (dismissed.status_code, dismissed.json()) == (200, {"id": draft["id"], "status": "dismissed"})
    assert await queue(client) == []
    assert await get(client, f"articles/{article['id']}") == article


@pytest.mark.parametrize("settle", ["apply", "dismiss"])
async def test_a_settled_draft_is_not_dismissed(client: Client, settle: str) -> None:
    draft = await propose(client, await write_article(client))
    await client.post(f"/v1/drafts/{draft['id']}/{settle}", json={})
    before = await get(client, f"drafts/{draft['id']}")

    refused = await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    assert (refused.status_code, refused.json()["code"]) == (400, "draft_not_pending")
    assert await get(client, f"drafts/{draft['id']}") == before


async def test_a_read_key_another_company_and_a_paused_one_dismiss_nothing(
    client: Client, reader: Client, globex: Client, cast: Cast, owner: Tx
) -> None:
    draft = await propose(client, await write_article(client))
    path = f"/v1/drafts/{draft['id']}/dismiss"

    by_reader = await reader.post(path)
    by_stranger = await globex.post(path)
    await pause_workspace(owner, cast.acme.workspace_id)
    paused = await client.post(path)

    assert (by_reader.status_code, by_reader.json()["code"]) == (403, "insufficient_scope")
    assert (by_stranger.status_code, by_stranger.json()["code"]) == (404, "not_found")
    assert (paused.status_code, paused.json()["code"]) == (402, "plan_inactive")
    assert await queue(client) == [draft["id"]]
