"""A bot's budget for a language model: tokens are reserved before a prompt and settled afterwards."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.platform.llm import work_prompts
from instep.platform.llm.protocol import Completion, CompletionError, Model, OnText, Prompt

Enter = Callable[[], AbstractAsyncContextManager[Ctx]]
# The purposes of a bot's model; `test` is the owner's test question.
Purpose = Literal["drafts", "new_articles", "answers", "editor", "translations", "test"]

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a million tokens."""

    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)

    def use(self, input_tokens: int, output_tokens: int) -> "ModelUse":
        cost = (self.input * input_tokens + self.output * output_tokens) / MILLION
        return ModelUse(input_tokens, output_tokens, cost)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Tokens, and their cost in the currency of the prices."""

    input_tokens: int
    output_tokens: int
    cost: Decimal

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of usage; `exhausted` is the sentence for a prompt too large for the rest of the day."""

    tokens_per_day: int
    exhausted: str
    cost_per_day: Decimal | None = None
    # The maximum cost of the work of a `BudgetedModel`.
    cost_of_work: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """Usage that is reserved in a bot's budget of one day (UTC)."""

    day: date
    use: ModelUse


@dataclass(frozen=True, slots=True)
class BudgetedModel:
    """A model whose prompts are charged to a bot's budget.

    `enter` opens a context of the bot; no transaction is open while the model works. `work_id` is the current
    task or question: its completions are kept until it ends, so that none is paid twice.
    """

    model: Model
    enter: Enter
    purpose: Purpose
    budget: Budget
    prices: Prices = Prices()
    work_id: str | None = None

    @property
    def name(self) -> str:
        return self.model.name

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        """Reserve the maximum usage of the prompt, complete it, and settle the actual usage.

        If the caller is canceled in between, the reservation stays counted, because the usage is unknown.
        """
        most = self.prices.use(prompt.max_input_tokens, prompt.max_output_tokens)
        async with self.enter() as ctx:
            earlier = await self.find_earlier(ctx, prompt)
            reservation = None if earlier else await self.reserve(ctx, most)
        if earlier is not None:
            if on_text is not None:
                on_text(earlier.text)
            return earlier
        if reservation is None:
            raise CompletionError(self.budget.exhausted, 0)
        try:
            completion = await self.model.complete(prompt, on_text)
        except CompletionError as error:
            await self.settle(prompt, reservation, error, None)
            raise
        await self.settle(prompt, reservation, completion, completion.text)
        return completion

    async def find_earlier(self, ctx: Ctx, prompt: Prompt) -> Completion | None:
        if self.work_id is None:
            return None
        return await work_prompts.find_completion(ctx, self.work_id, prompt.digest(self.name))

    async def reserve(self, ctx: Ctx, most: ModelUse) -> Reservation | None:
        if self.work_id is not None and self.budget.cost_of_work is not None:
            cost = await work_prompts.cost_of(ctx, self.work_id)
            if cost + most.cost > self.budget.cost_of_work:
                raise CompletionError("The budget of this task is used up.", 0)
        return await reserve_use(ctx, most, self.budget)

    async def settle(
        self, prompt: Prompt, reservation: Reservation, took: Completion | CompletionError, text: str | None
    ) -> None:
        most, input_tokens = reservation.use, took.input_tokens
        use = most if input_tokens is None else self.prices.use(input_tokens, took.output_tokens)
        async with self.enter() as ctx, ctx.tx.transaction():
            await settle_reservation(ctx, reservation, use)
            await count_purpose(ctx, reservation.day, self.purpose, use)
            if self.work_id is not None:
                row = {"model": self.name, "completion": text, "digest": prompt.digest(self.name)}
                tokens = {"input": use.input_tokens, "output": use.output_tokens, "cost": use.cost}
                await work_prompts.add(ctx, self.work_id, {**row, **tokens})


async def reserve_use(ctx: Ctx, use: ModelUse, budget: Budget) -> Reservation | None:
    """Reserve usage; None if the rest of the day is smaller. A single statement prevents races."""
    day = await ctx.value(
        """
        insert into model_use as u (workspace_id, bot_id, day, tokens, cost)
        select %(workspace)s, %(bot)s, (%(now)s::timestamptz at time zone 'UTC')::date, %(tokens)s, %(cost)s
        where %(tokens)s::bigint <= %(max_tokens)s
          and coalesce(%(cost)s::numeric <= %(max_cost)s::numeric, true)
        on conflict (bot_id, day, workspace_id) do update
            set tokens = u.tokens + excluded.tokens, cost = u.cost + excluded.cost
            where u.tokens + excluded.tokens <= %(max_tokens)s
              and coalesce(u.cost + excluded.cost <= %(max_cost)s::numeric, true)
        returning day
        """,
        workspace=ctx.bot.workspace_id,
        tokens=use.tokens,
        cost=use.cost,
        max_tokens=budget.tokens_per_day,
        max_cost=budget.cost_per_day,
    )
    return Reservation(day, use) if day else None


async def settle_reservation(ctx: Ctx, reservation: Reservation, use: ModelUse) -> None:
    """Count the actual usage instead of the reserved one."""
    await ctx.execute(
        """
        update model_use set tokens = greatest(0, tokens + %(tokens)s), cost = greatest(0, cost + %(cost)s)
        where bot_id = %(bot)s and workspace_id = %(workspace)s and day = %(day)s
        """,
        day=reservation.day,
        tokens=use.tokens - reservation.use.tokens,
        cost=use.cost - reservation.use.cost,
    )
    for table in ("model_use", "model_purposes"):
        await ctx.execute(
            f"""
            delete from {table}
            where bot_id = %(bot)s and workspace_id = %(workspace)s
              and day < %(day)s::date - %(days)s::integer
            """,
            day=reservation.day,
            days=limits.MODEL_USAGE_RETENTION.days,
        )


async def count_purpose(ctx: Ctx, day: date, purpose: Purpose, use: ModelUse) -> None:
    await ctx.execute(
        """
        insert into model_purposes as p
            (workspace_id, bot_id, day, purpose, calls, input_tokens, output_tokens, cost)
        values (%(workspace)s, %(bot)s, %(day)s, %(purpose)s, 1, %(input)s, %(output)s, %(cost)s)
        on conflict (bot_id, day, purpose, workspace_id) do update set calls = p.calls + 1,
            input_tokens = p.input_tokens + excluded.input_tokens,
            output_tokens = p.output_tokens + excluded.output_tokens, cost = p.cost + excluded.cost
        """,
        workspace=ctx.bot.workspace_id,
        day=day,
        purpose=purpose,
        input=use.input_tokens,
        output=use.output_tokens,
        cost=use.cost,
    )
