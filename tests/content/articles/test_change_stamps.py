"""`stamp_change`: the stamp that orders a help center's changes for search, replicas and lists."""

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.http import all_pages
from tests.support.synced_repository import Repository, page


async def stamp_of(tx: Tx, bot_id: UUID) -> datetime:
    stamp: datetime = await tx.value("select stamp_change(%(bot)s)", bot=bot_id)
    return stamp


async def stored_stamp(tx: Tx, bot_id: UUID) -> datetime:
    stamp: datetime = await tx.value("select changed_at from bots where id = %(bot)s", bot=bot_id)
    return stamp


async def test_a_transaction_has_one_stamp_for_each_bot(owner: Tx, cast: Cast) -> None:
    async with owner.transaction():
        first = await stamp_of(owner, cast.acme.bot_id)
        assert await stamp_of(owner, cast.acme.bot_id) == first
        other = await stamp_of(owner, cast.globex.bot_id)
        assert await stored_stamp(owner, cast.globex.bot_id) == other
    async with owner.transaction():
        assert await stamp_of(owner, cast.acme.bot_id) > first


async def test_a_stamp_of_a_savepoint_is_rolled_back_with_it(owner: Tx, cast: Cast) -> None:
    async with owner.transaction():
        with suppress(LookupError):
            async with owner.transaction():
                await stamp_of(owner, cast.acme.bot_id)
                raise LookupError
        assert await stamp_of(owner, cast.acme.bot_id) == await stored_stamp(owner, cast.acme.bot_id)


async def test_pages_of_a_list_hold_each_article_that_one_transaction_made(client: Client) -> None:
    repository = Repository(client)
    for number in range(5):
        repository.write(f"a{number}.md", page(f"A {number}"))
    await repository.sync()

    slugs = [row["slug"] for row in await all_pages(client, "/v1/articles", limit=2)]

    assert sorted(slugs) == [f"a{number}" for number in range(5)]
