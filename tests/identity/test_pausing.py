"""A pause: from when its command has ended no write commits."""

import asyncio

from instep.core.database import Tx
from instep.workspaces.actions import pause_workspace, resume_workspace
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


async def count(owner: Tx, cast: Cast) -> int:
    sql = "select count(*) from articles where bot_id = %(bot)s"
    number: int = await owner.value(sql, bot=cast.paused.bot_id)
    return number
