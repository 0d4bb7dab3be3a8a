"""A bot's daily budget for the model, however many tasks run at once."""

from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.budget import Budget, BudgetedModel, Prices, settle_reservation
from instep.platform.llm.protocol import Completion, CompletionError, OnText, Prompt
from tests.support.budgets import reserve_tokens, task_ctx
from tests.support.cast import Cast
from tests.support.http import at_once


async def test_a_day_holds_so_much_and_no_more(database: Database, cast: Cast, owner: Tx) -> None:
    async with task_ctx(database, cast.acme) as ctx:
        assert await reserve_tokens(ctx, 600, 1_000) is not None
        assert await reserve_tokens(ctx, 401, 1_000) is None
        assert await reserve_tokens(ctx, 400, 1_000) is not None
        assert await reserve_tokens(ctx, 1, 1_000) is None

    assert await used(owner, cast.acme.bot_id) == 1_000


async def test_unused_tokens_of_a_reservation_can_be_used_again(
    database: Database, cast: Cast, owner: Tx
) -> None:
    async with task_ctx(database, cast.acme) as ctx:
        reservation = await reserve_tokens(ctx, 1_000, 1_000)
        assert reservation is not None
        await settle_reservation(ctx, reservation, Prices().use(100, 50))
        assert await used(owner, cast.acme.bot_id) == 150
        assert await reserve_tokens(ctx, 850, 1_000) is not None


async def test_more_than_was_set_aside_is_counted_too(database: Database, cast: Cast, owner: Tx) -> None:
    async with task_ctx(database, cast.acme) as ctx:
        reservation = await reserve_tokens(ctx, 700, 1_000)
        assert reservation is not None
        await settle_reservation(ctx, reservation, Prices().use(1_900, 0))
        assert await reserve_tokens(ctx, 1, 1_000) is None

    assert await used(owner, cast.acme.bot_id) == 1_900


async def test_a_day_without_tokens_begins_none(database: Database, cast: Cast) -> None:
    async with task_ctx(database, cast.acme) as ctx:
        assert await reserve_tokens(ctx, 1, 0) is None


async def test_each_bot_and_each_day_has_its_own(database: Database, cast: Cast) -> None:
    async with task_ctx(database, cast.acme) as ctx:
        assert await reserve_tokens(ctx, 1_000, 1_000) is not None
        assert await reserve_tokens(ctx, 1, 1_000) is None
        tomorrow = Ctx(ctx.tx, ctx.bot, ctx.actor, ctx.now + timedelta(days=1))
        assert await reserve_tokens(tomorrow, 1_000, 1_000) is not None
    async with task_ctx(database, cast.globex) as ctx:
        assert await reserve_tokens(ctx, 1_000, 1_000) is not None


async def test_parallel_reservations_stay_within_the_budget(
    database: Database, cast: Cast, owner: Tx
) -> None:
    async def take(number: int) -> bool:
        async with task_ctx(database, cast.acme) as ctx:
            return await reserve_tokens(ctx, 300, 1_000) is not None

    taken = await at_once(8, take)

    assert sorted(taken) == [False] * 5 + [True] * 3
    assert await used(owner, cast.acme.bot_id) == 900


class MeteredModel:
    """Completes every prompt, or fails, and reports this many used tokens."""

    name = "metered"

    def __init__(self, used_tokens: int | None, *, fails: bool = False) -> None:
        self.used_tokens = used_tokens
        self.fails = fails
        self.prompts = 0

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        self.prompts += 1
        if self.fails:
            raise CompletionError("It answered 500.", self.used_tokens)
        return Completion("{}", self.used_tokens)


PROMPT = Prompt("Do it.", "data", {"type": "object"}, 500)


def budgeted(database: Database, cast: Cast, model: MeteredModel, tokens_per_day: int) -> BudgetedModel:
    enter = partial(task_ctx, database, cast.acme)
    return BudgetedModel(model, enter, "drafts", Budget(tokens_per_day, "Today's tokens are used up."))


@pytest.mark.parametrize(("used_tokens", "counted"), [(120, 120), (None, PROMPT.max_total_tokens)])
@pytest.mark.parametrize("fails", [False, True])
async def test_a_prompt_counts_with_what_it_took_or_else_with_the_most_that_it_may_take(
    database: Database, cast: Cast, owner: Tx, used_tokens: int | None, counted: int, fails: bool
) -> None:
    model = budgeted(database, cast, MeteredModel(used_tokens, fails=fails), 1_000)

    with pytest.raises(CompletionError) if fails else nullcontext():
        await model.complete(PROMPT)

    assert await used(owner, cast.acme.bot_id) == counted


async def test_a_prompt_that_the_rest_of_the_day_does_not_hold_is_not_sent(
    database: Database, cast: Cast
) -> None:
    metered = MeteredModel(600)
    model = budgeted(database, cast, metered, 1_000)

    await model.complete(PROMPT)
    with pytest.raises(CompletionError, match=r"Today's tokens are used up\.") as error:
        await model.complete(PROMPT)

    assert (metered.prompts, error.value.total_tokens) == (1, 0)


async def used(owner: Tx, bot_id: UUID) -> int:
    return int(await owner.value("select sum(tokens) from model_use where bot_id = %(bot)s", bot=bot_id))
