"""A pause: once its command has ended, no write commits."""

import asyncio
from contextlib import suppress

import pytest

from instep.accounts.workspaces.actions import pause_workspace, resume_workspace
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, PlanInactive
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from tests.support.articles import acting
from tests.support.cast import Api, Cast
from tests.support.http import create_article, error


async def test_no_write_commits_after_the_pause(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.paused.write_key)
    body = {"title": "Install", "contentMarkdown": ""}

    async def write() -> tuple[int, str]:
        """Write until refused."""
        while (answer := await client.post("/v1/articles", json=body)).status_code == 201:
            pass
        return error(answer)

    writing = asyncio.create_task(write())
    while await count(owner, cast) < 5:
        await asyncio.sleep(0)
    await pause_workspace(owner, cast.paused.workspace_id)
    at_the_pause = await count(owner, cast)

    assert await writing == (402, "plan_inactive")
    assert await count(owner, cast) == at_the_pause
    await resume_workspace(owner, cast.paused.workspace_id)
    await create_article(client)


@writes
async def write_after_a_refused_step(ctx: Ctx) -> str:
    """Like a batch, which continues after a refused step."""
    with suppress(InvalidRequest):
        async with ctx.tx.transaction():
            raise InvalidRequest("This step is refused before any statement.")
    stamp: str = await ctx.tx.value("select stamp_change(%(bot)s)::text", bot=ctx.bot.id)
    return stamp


async def test_a_refused_step_does_not_let_the_rest_pass(database: Database, cast: Cast, owner: Tx) -> None:
    async with acting(database, cast.paused) as ctx:
        assert await write_after_a_refused_step(ctx)
    await pause_workspace(owner, cast.paused.workspace_id)

    with pytest.raises(PlanInactive):
        async with acting(database, cast.paused) as ctx:
            await write_after_a_refused_step(ctx)


async def count(owner: Tx, cast: Cast) -> int:
    sql = "select count(*) from articles where bot_id = %(bot)s"
    number: int = await owner.value(sql, bot=cast.paused.bot_id)
    return number
