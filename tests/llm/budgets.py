"""A company that has spent a part of its token budget today."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from instep.core.clock import utc_now
from instep.core.database import Database
from instep.identity.queries import find_bot
from instep.identity.schemas import Actor, Ctx
from instep.llm.budget import reserve_tokens
from tests.support.cast import Company

TASK_ACTOR = Actor("task", "Instep", can_write=True)


@asynccontextmanager
async def task_ctx(database: Database, company: Company) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(company.workspace_id) as tx:
        yield Ctx(tx, await find_bot(tx, company.bot_id), TASK_ACTOR, utc_now())


async def spend(database: Database, company: Company, tokens: int = 100) -> None:
    async with task_ctx(database, company) as ctx:
        assert await reserve_tokens(ctx, tokens, tokens) is not None
