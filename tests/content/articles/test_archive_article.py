"""Archiving takes an article off the help center; people do it in the dashboard."""

import pytest

from instep.content.articles.actions import archive_article
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import Conflict, InvalidState, NotFound
from tests.support.articles import acting, put_into_review
from tests.support.cast import Cast, Client
from tests.support.events import kinds
from tests.support.http import create_article, created, ok


async def test_a_live_article_leaves_the_help_center_and_can_go_live_again(
    client: Client, visitor: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    created(await client.post("/v1/webhooks", json={"url": "https://hooks.test/a", "events": ["*"]}))
    await create_article(client)
    live = ok(await client.post("/v1/articles/install/publish"))

    async with acting(database, cast.acme) as ctx:
        await archive_article(ctx, "install")

    archived = ok(await client.get("/v1/articles/install"))
    assert archived == {**live, "status": "archived", "url": None, "updatedAt": archived["updatedAt"]}
    assert (await visitor.get(live["url"])).status_code == 404
    assert await kinds(owner, cast.acme) == ["article.published", "article.unpublished"]
    assert ok(await client.post("/v1/articles/install/publish"))["status"] == "published"


async def test_unknown_article_or_article_in_review_is_refused(cast: Cast, database: Database) -> None:
    await put_into_review(database, cast.acme)
    async with acting(database, cast.acme) as ctx:
        with pytest.raises(InvalidState):
            await archive_article(ctx, "install")
        with pytest.raises(NotFound):
            await archive_article(ctx, "nothing")


async def test_stale_etag_is_a_conflict(client: Client, cast: Cast, database: Database) -> None:
    await create_article(client)
    async with acting(database, cast.acme) as ctx:
        with pytest.raises(Conflict):
            await archive_article(ctx, "install", '"older"')
