"""Discarding removes an editor's saved changes; the live text stays."""

import pytest

from instep.content.articles.actions import discard_working_copy
from instep.platform.core.database import Database
from instep.platform.core.errors import Conflict, InvalidState
from tests.support.articles import acting, save_copy
from tests.support.cast import Cast, Client
from tests.support.http import create_article, ok


async def test_the_live_text_stays_and_the_copy_is_gone(
    client: Client, cast: Cast, database: Database
) -> None:
    await create_article(client)
    live = ok(await client.post("/v1/articles/install/publish"))
    await save_copy(database, cast.acme, "install", content="Better.")

    async with acting(database, cast.acme) as ctx:
        await discard_working_copy(ctx, "install")

    article = ok(await client.get("/v1/articles/install"))
    assert article == {**live, "updatedAt": article["updatedAt"]}
    assert ok(await client.post("/v1/articles/install/publish")) == article


async def test_without_a_copy_or_with_another_one_it_is_refused(
    client: Client, cast: Cast, database: Database
) -> None:
    await create_article(client)
    ok(await client.post("/v1/articles/install/publish"))
    async with acting(database, cast.acme) as ctx:
        with pytest.raises(InvalidState):
            await discard_working_copy(ctx, "install")
    await save_copy(database, cast.acme, "install", content="Better.")
    async with acting(database, cast.acme) as ctx:
        with pytest.raises(Conflict):
            await discard_working_copy(ctx, "install", '"older"')
