"""A bot's daily token budget: tokens are reserved before a prompt, and settled after the completion."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date

from instep.core import limits
from instep.core.config import settings
from instep.identity.schemas import Ctx
from instep.llm.protocol import Completion, CompletionError, Model, OnText, Prompt

Enter = Callable[[], AbstractAsyncContextManager[Ctx]]


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens that a bot's budget of one day (UTC) has set aside."""

    day: date
    tokens: int


@dataclass(frozen=True, slots=True)
class BudgetedModel:
    """A model whose prompts a bot pays from its daily budget.

    `enter` opens a transaction of the bot. None is open while the model works. `exhausted` is the sentence of
    the `CompletionError` when the rest of the day's budget is too small for a prompt.
    """

    model: Model
    enter: Enter
    tokens_per_day: int
    exhausted: str

    @property
    def name(self) -> str:
        return self.model.name

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        """Reserve the most that the prompt may take, complete it, and settle what it took.

        If the caller is cancelled in between, the reservation stays counted, because the use is unknown.
        """
        async with self.enter() as ctx:
            reservation = await reserve_tokens(ctx, prompt.max_total_tokens, self.tokens_per_day)
        if reservation is None:
            raise CompletionError(self.exhausted, 0)
        try:
            completion = await self.model.complete(prompt, on_text)
        except CompletionError as error:
            await self.settle(reservation, error.total_tokens)
            raise
        await self.settle(reservation, completion.total_tokens)
        return completion

    async def settle(self, reservation: Reservation, used_tokens: int | None) -> None:
        async with self.enter() as ctx:
            await settle_reservation(ctx, reservation, used_tokens)


def task_model(model: Model, enter: Enter) -> BudgetedModel:
    """The model as tasks use it: they may take all of the bot's day."""
    exhausted = "The tokens of this help center are used up for today."
    return BudgetedModel(model, enter, settings().model_tokens_per_day, exhausted)


def visitor_model(model: Model, enter: Enter) -> BudgetedModel:
    """The model as visitors' questions use it: a share of the bot's day, so that tasks are left the rest."""
    tokens_per_day = int(settings().model_tokens_per_day * limits.ANSWERS_BUDGET_SHARE)
    exhausted = "The tokens that visitors' questions may use are used up for today."
    return BudgetedModel(model, enter, tokens_per_day, exhausted)


async def reserve_tokens(ctx: Ctx, tokens: int, tokens_per_day: int) -> Reservation | None:
    """None when the rest of the day is smaller. One statement decides, so two at once can't overdraw."""
    day = await ctx.tx.value(
        """
        insert into model_use as u (workspace_id, bot_id, day, tokens)
        select %(workspace)s, %(bot)s, (%(now)s::timestamptz at time zone 'UTC')::date, %(tokens)s
        where %(tokens)s::bigint <= %(max_tokens)s
        on conflict (bot_id, day, workspace_id) do update set tokens = u.tokens + excluded.tokens
            where u.tokens + excluded.tokens <= %(max_tokens)s
        returning day
        """,
        workspace=ctx.bot.workspace_id,
        bot=ctx.bot.id,
        now=ctx.now,
        tokens=tokens,
        max_tokens=tokens_per_day,
    )
    return Reservation(day, tokens) if day else None


async def tokens_used_today(ctx: Ctx) -> int:
    """The tokens that the bot has used since midnight (UTC), reserved ones included."""
    tokens: int | None = await ctx.tx.value(
        """
        select tokens from model_use
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and day = (%(now)s::timestamptz at time zone 'UTC')::date
        """,
        bot=ctx.bot.id,
        now=ctx.now,
    )
    return tokens or 0


async def settle_reservation(ctx: Ctx, reservation: Reservation, used_tokens: int | None) -> None:
    """Count what was used instead of what was reserved; with None the reservation stays counted."""
    await ctx.tx.execute(
        """
        update model_use set tokens = greatest(0, tokens + %(difference)s)
        where bot_id = %(bot)s and workspace_id = %(workspace)s and day = %(day)s
        """,
        bot=ctx.bot.id,
        day=reservation.day,
        difference=0 if used_tokens is None else used_tokens - reservation.tokens,
    )
    await ctx.tx.execute(
        """
        delete from model_use
        where bot_id = %(bot)s and workspace_id = %(workspace)s and day < %(day)s::date - %(days)s::integer
        """,
        bot=ctx.bot.id,
        day=reservation.day,
        days=limits.MODEL_USAGE_RETENTION.days,
    )
