"""POST /v1/drafts/{id}/dismiss."""

import pytest

from tests.support.cast import Client, Json
from tests.support.drafts import get, queue


async def test_a_dismissed_draft_leaves_the_queue_and_the_article_as_it_was(
    client: Client, article: Json, draft: Json
) -> None:
    dismissed = await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    assert (dismissed.status_code, dismissed.json()) == (200, {"id": draft["id"], "status": "dismissed"})
    assert await queue(client) == []
    assert await get(client, f"articles/{article['id']}") == article


async def test_an_edit_of_a_deleted_article_is_dismissed(client: Client, article: Json, draft: Json) -> None:
    await client.delete(f"/v1/articles/{article['id']}")

    dismissed = await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    assert (dismissed.status_code, dismissed.json()) == (200, {"id": draft["id"], "status": "dismissed"})
    await client.post(f"/v1/articles/{article['id']}/restore")
    assert await queue(client) == []


@pytest.mark.parametrize("settle", ["apply", "dismiss"])
async def test_a_settled_draft_is_not_dismissed(client: Client, draft: Json, settle: str) -> None:
    await client.post(f"/v1/drafts/{draft['id']}/{settle}", json={})
    before = await get(client, f"drafts/{draft['id']}")

    refusal = await client.post(f"/v1/drafts/{draft['id']}/dismiss")

    assert (refusal.status_code, refusal.json()["code"]) == (400, "draft_not_pending")
    assert await get(client, f"drafts/{draft['id']}") == before
