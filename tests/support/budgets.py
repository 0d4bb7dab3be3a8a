"""Helpers for a company that has used part of its daily token budget."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.llm.budget import Budget, BudgetedModel, Prices, Reservation, reserve_use
from instep.platform.llm.protocol import Prompt
from tests.support.cast import Company
from tests.support.scripted_model import Scripted

TASK_ACTOR = Actor("task", "Instep", can_write=True)


@asynccontextmanager
async def task_ctx(database: Database, company: Company) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(company.workspace_id) as tx:
        yield Ctx(tx, await find_bot(tx, company.bot_id), TASK_ACTOR, utc_now())


async def spend(database: Database, company: Company, tokens: int = 100) -> None:
    async with task_ctx(database, company) as ctx:
        assert await reserve_tokens(ctx, tokens, tokens) is not None


async def leave_work(database: Database, company: Company) -> None:
    """Spend tokens on a task that never finishes."""
    model = BudgetedModel(
        Scripted(lambda data: {}),
        partial(task_ctx, database, company),
        "drafts",
        Budget(1_000_000, "Used up."),
        work_id="task_unended",
    )
    await model.complete(Prompt("Do it.", "data", {}, 500))


async def reserve_tokens(ctx: Ctx, tokens: int, tokens_per_day: int) -> Reservation | None:
    return await reserve_use(ctx, Prices().use(tokens, 0), Budget(tokens_per_day, "Used up."))
