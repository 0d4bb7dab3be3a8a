"""What a bot may use of the model in a day, however many tasks run at once."""

from datetime import timedelta
from uuid import UUID

from instep.core.database import Database, Tx
from instep.identity.schemas import Ctx
from instep.llm.budget import reserve_tokens, settle
from tests.llm.spending import acting
from tests.support.cast import Cast
from tests.support.http import at_once


async def test_a_day_holds_so_much_and_no_more(database: Database, cast: Cast, owner: Tx) -> None:
    async with acting(database, cast.acme) as ctx:
        assert await reserve_tokens(ctx, 600, 1_000) is not None
        assert await reserve_tokens(ctx, 401, 1_000) is None
        assert await reserve_tokens(ctx, 400, 1_000) is not None
        assert await reserve_tokens(ctx, 1, 1_000) is None

    assert await used(owner, cast.acme.bot_id) == 1_000


async def test_what_was_set_aside_and_not_used_can_be_used_again(
    database: Database, cast: Cast, owner: Tx
) -> None:
    async with acting(database, cast.acme) as ctx:
        share = await reserve_tokens(ctx, 1_000, 1_000)
        assert share is not None
        await settle(ctx, share, 150)
        assert await used(owner, cast.acme.bot_id) == 150
        assert await reserve_tokens(ctx, 850, 1_000) is not None


async def test_what_nobody_knows_the_use_of_stays_counted(database: Database, cast: Cast, owner: Tx) -> None:
    async with acting(database, cast.acme) as ctx:
        share = await reserve_tokens(ctx, 700, 1_000)
        assert share is not None
        await settle(ctx, share, None)

    assert await used(owner, cast.acme.bot_id) == 700


async def test_more_than_was_set_aside_is_counted_too(database: Database, cast: Cast, owner: Tx) -> None:
    async with acting(database, cast.acme) as ctx:
        share = await reserve_tokens(ctx, 700, 1_000)
        assert share is not None
        await settle(ctx, share, 1_900)
        assert await reserve_tokens(ctx, 1, 1_000) is None

    assert await used(owner, cast.acme.bot_id) == 1_900


async def test_a_day_without_tokens_begins_none(database: Database, cast: Cast) -> None:
    async with acting(database, cast.acme) as ctx:
        assert await reserve_tokens(ctx, 1, 0) is None


async def test_each_bot_and_each_day_has_its_own(database: Database, cast: Cast) -> None:
    async with acting(database, cast.acme) as ctx:
        assert await reserve_tokens(ctx, 1_000, 1_000) is not None
        assert await reserve_tokens(ctx, 1, 1_000) is None
        tomorrow = Ctx(ctx.tx, ctx.bot, ctx.actor, ctx.now + timedelta(days=1))
        assert await reserve_tokens(tomorrow, 1_000, 1_000) is not None
    async with acting(database, cast.globex) as ctx:
        assert await reserve_tokens(ctx, 1_000, 1_000) is not None


async def test_of_many_at_once_only_so_many_get_a_share(database: Database, cast: Cast, owner: Tx) -> None:
    async def take(number: int) -> bool:
        async with acting(database, cast.acme) as ctx:
            return await reserve_tokens(ctx, 300, 1_000) is not None

    taken = await at_once(8, take)

    assert sorted(taken) == [False] * 5 + [True] * 3
    assert await used(owner, cast.acme.bot_id) == 900


async def used(owner: Tx, bot_id: UUID) -> int:
    return int(await owner.value("select sum(tokens) from model_use where bot_id = %(bot)s", bot=bot_id))
