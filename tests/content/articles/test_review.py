"""An article in review belongs to a draft in the queue: settling one of them settles the other."""

import pytest

from instep.drafting.drafts.actions import queue_gap_draft, queue_new_article
from instep.platform.core.database import Database, Tx
from tests.support.articles import Queue, draft_status, put_into_review
from tests.support.cast import Cast, Client
from tests.support.http import all_pages, at_once, created, error, ok

INSTALL = "/v1/articles/install"


async def test_an_article_in_review_is_not_live(client: Client, cast: Cast, database: Database) -> None:
    draft_id = await put_into_review(database, cast.acme)

    article = ok(await client.get(INSTALL))

    assert (article["status"], article["url"], article["version"]) == ("in_review", None, 1)
    assert await all_pages(client, "/v1/articles", status="in_review") == [article]
    assert error(await client.post(f"{INSTALL}/unpublish")) == (400, "invalid_state")
    await client.patch(INSTALL, json={"contentMarkdown": "Two."})
    [revision] = await all_pages(client, f"{INSTALL}/revisions")
    assert (revision["origin"], revision["draftId"]) == ("create", draft_id)
    assert revision["author"] == {"type": "command", "name": "Writer"}


@pytest.mark.parametrize("queue", [queue_new_article, queue_gap_draft])
async def test_publishing_it_applies_its_draft(
    client: Client, cast: Cast, database: Database, owner: Tx, queue: Queue
) -> None:
    draft_id = await put_into_review(database, cast.acme, queue)

    assert ok(await client.post(f"{INSTALL}/publish"))["status"] == "published"

    assert await draft_status(owner, draft_id) == ("applied", True)
    assert await all_pages(client, "/v1/drafts") == []


async def test_edits_proposed_for_it_stay_in_the_queue(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await put_into_review(database, cast.acme)
    edit = created(await client.post(f"{INSTALL}/drafts", json={"contentMarkdown": "Two."}))

    ok(await client.post(f"{INSTALL}/publish"))

    assert await draft_status(owner, edit["id"]) == ("pending", False)


async def test_parallel_publishing_and_deletion_settle_the_draft_once(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    draft_id = await put_into_review(database, cast.acme)
    ref = ok(await client.get(INSTALL))["id"]

    async def ask(number: int) -> int:
        path = f"/v1/articles/{ref}"
        return (await (client.post(f"{path}/publish") if number % 2 else client.delete(path))).status_code

    statuses = await at_once(20, ask)

    # Published articles can be deleted too, so the deletion always comes last.
    applied = 200 in statuses[1::2]
    assert await draft_status(owner, draft_id) == ("applied" if applied else "dismissed", True)
