"""A command pauses a workspace while eight clients write and a worker runs tasks: nothing changes later."""

from asyncio import create_task, timeout, to_thread
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from itertools import count

import pytest

from instep.platform.core.database import Tx
from tests.races.conftest import Call
from tests.races.servers import Servers
from tests.support.cast import Cast, Client, Json
from tests.support.changes import change, send, write_articles
from tests.support.http import Response, at_once, create_article, error, ok

WRITERS = 8
REFUSALS = 12
PAUSES = 5
# Two test runs share a cluster, but each has its own database.
HERE = """
    locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
"""
READS = (
    *("articles", "articles/settings", "articles/settings/revisions", "drafts", "collections", "redirects"),
    "tasks",
)


@pytest.fixture
def worker(servers: Servers) -> Iterator[None]:
    process = servers.installation.start("worker")
    yield
    process.terminate()
    process.wait(20)


async def test_the_command_waits_for_a_write_that_has_begun_and_holds_back_the_next(
    servers: Servers, caller: Call, cast: Cast, owner: Tx
) -> None:
    first, second = await caller(0), await caller(1)
    path = f"/v1/articles/{(await create_article(first))['id']}"
    async with owner.transaction():
        await owner.execute("select id from articles where bot_id = %(bot)s for update", bot=cast.acme.bot_id)
        begun = create_task(first.patch(path, json={"contentMarkdown": "Begun before the pause."}))
        await wait_for(owner, "pg_backend_pid() = any(pg_blocking_pids(pid))", 1)
        pausing = create_task(pause(servers, cast))
        await wait_for(owner, HERE, 1)
        late = create_task(second.patch(path, json={"contentMarkdown": "Begun while it waits."}))
        await wait_for(owner, HERE, 2)
        assert [task.done() for task in (begun, pausing, late)] == [False] * 3

    await pausing
    assert ok(await begun)["contentMarkdown"] == "Begun before the pause."
    assert error(await late) == (402, "plan_inactive")
    assert ok(await second.get(path))["contentMarkdown"] == "Begun before the pause."


@pytest.mark.races
@pytest.mark.usefixtures("worker")
async def test_after_the_command_has_ended_no_write_commits_and_reads_go_on(
    servers: Servers, caller: Call, cast: Cast, owner: Tx
) -> None:
    writers = [await caller(number) for number in range(WRITERS)]
    await write_articles(writers[0])
    first = await send(writers[0])
    while ok(await writers[0].get(f"/v1/tasks/{first['id']}"))["status"] != "completed":
        pass

    for _ in range(PAUSES):
        writing = create_task(at_once(WRITERS, lambda number: write_until_refused(writers[number])))
        before = await changed_at(owner, cast)
        while await changed_at(owner, cast) == before:
            pass
        await pause(servers, cast)
        ended: datetime = await owner.value("select clock_timestamp()")
        state = await state_of(owner, cast)

        assert min(await writing) > 0
        assert await changed_at(owner, cast) < ended
        for path in READS:
            ok(await writers[0].get(f"/v1/{path}"))
        assert await state_of(owner, cast) == state
        await to_thread(servers.installation.run, "workspace", "resume", cast.acme.workspace_id)
    await create_article(writers[0])


async def pause(servers: Servers, cast: Cast) -> None:
    await to_thread(servers.installation.run, "workspace", "pause", cast.acme.workspace_id)


async def wait_for(owner: Tx, condition: str, number: int) -> None:
    """Poll until this many sessions wait for such a lock."""
    sql = f"select count(*) from pg_locks where not granted and {condition}"
    async with timeout(30):
        while await owner.value(sql) != number:
            pass


async def write_until_refused(client: Client) -> int:
    """The number of successful writes; once one is refused because of the pause, all later ones are too."""
    passed = refusal = 0
    async for answer in write(client):
        if answer.is_success and not refusal:
            passed += 1
            continue
        assert error(answer) == (402, "plan_inactive")
        refusal += 1
        if refusal == REFUSALS:
            break
    return passed


async def write(client: Client) -> AsyncIterator[Response]:
    article: Json = await create_article(client)
    path = f"/v1/articles/{article['id']}"
    for number in count():
        text = {"contentMarkdown": f"Text {number}."}
        yield await client.patch(path, json=text)
        yield await client.post("/v1/articles", json={"title": "New", **text})
        proposed = await client.post(f"{path}/drafts", json={"contentMarkdown": f"Proposed {number}."})
        yield proposed
        if proposed.is_success:
            yield await client.post(f"/v1/drafts/{proposed.json()['id']}/apply", json={})
        yield await client.post("/v1/collections", json={"title": "New"})
        yield await client.post(f"{path}/publish")
        yield await client.post("/v1/tasks", json=change())


async def changed_at(owner: Tx, cast: Cast) -> datetime:
    """The last time that the help center's content changed."""
    sql = "select changed_at from bots where id = %(bot)s"
    moment: datetime = await owner.value(sql, bot=cast.acme.bot_id)
    return moment


async def state_of(owner: Tx, cast: Cast) -> dict[str, str]:
    """A hash of the workspace's rows in each table except API keys, whose time of last use changes."""
    tables = await owner.value(
        """
        select array_agg(c.table_name::text) from information_schema.columns c
        where c.table_schema = 'public' and c.column_name = 'workspace_id' and c.table_name <> 'api_keys'
        """
    )
    return {name: await hash_of(owner, name, cast.acme.workspace_id) for name in tables}


async def hash_of(owner: Tx, table: str, workspace_id: str) -> str:
    state: str = await owner.value(
        f"""
        select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from {table} t
        where t.workspace_id = %(workspace)s
        """,
        workspace=workspace_id,
    )
    return state
