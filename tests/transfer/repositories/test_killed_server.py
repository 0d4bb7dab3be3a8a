"""A server that is killed while it reads a pull request or a history loses nothing."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from instep.platform.core.database import Database, Tx
from tests.support.cast import Cast, Client
from tests.support.ci_servers import Asked, Reply, serving
from tests.support.connected_repositories import LOOPBACK, connected, tasks_of
from tests.support.git_server import TEXT, GitServer, changed_code
from tests.support.github_double import TOKEN, GitHubDouble
from tests.support.installation import Installation, installed
from tests.support.limits import SetSetting

# Leases expire within ten seconds anyway because the killed server does not renew them.
LEASES_END = "update jobs set run_at = now() where worker is not null"
SECRET_KEY = "what seals secrets while tests run"


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[Installation]:
    """A server with jobs. It ends with this file because it would run the jobs of other tests."""
    settings = {"INSTEP_DATABASE_URL": database_url, "INSTEP_SECRET_KEY": SECRET_KEY}
    with installed(INSTEP_WEBHOOK_ALLOW="127.0.0.0/8", **settings) as installation:
        yield installation


class SlowGitHub(GitHubDouble):
    """Answers the first request for a diff only when the test allows it."""

    is_asked = threading.Event()
    may_answer = threading.Event()

    def reply(self, asked: Asked) -> Reply:
        if asked.headers.get("accept") == "application/vnd.github.diff":
            self.is_asked.set()
            self.may_answer.wait(60)
        return super().reply(asked)


async def test_a_server_that_is_killed_while_it_fetches_a_history_checks_it_after_all(
    server: Installation,
    database: Database,
    owner: Tx,
    cast: Cast,
    client: Client,
    set_setting: SetSetting,
    tmp_path: Path,
) -> None:
    set_setting(*LOOPBACK)
    code = GitServer(changed_code(tmp_path / "app").folder / ".git", f"x-access-token:{TOKEN}")
    is_asked, may_answer = threading.Event(), threading.Event()

    def answer_late(asked: Asked) -> Reply:
        is_asked.set()
        may_answer.wait(60)
        return code.answer(asked)

    answer = await client.post("/v1/articles", json={"title": "Clean up", "contentMarkdown": TEXT})
    assert answer.status_code == 201
    host = GitHubDouble(git=answer_late)
    with serving(host.reply) as host.url:
        async with connected(database, cast.acme, "github", host.url, TOKEN, is_checked=True) as repository:
            process = server.serve()
            assert await asyncio.to_thread(is_asked.wait, 60)
            clones = server.folder / "clones"
            [left] = clones.iterdir()
            process.kill()
            process.wait()
            assert left.exists()
            await owner.execute(LEASES_END)

            may_answer.set()
            process = server.serve()
            async with asyncio.timeout(90):
                while (await repository.stored()).check_status != "checked":
                    await asyncio.sleep(0.2)
            assert (await repository.stored()).wrong_statements == 2
            assert list(clones.iterdir()) == []
            process.terminate()
            process.wait()


async def test_a_killed_server_goes_on_where_it_was(
    server: Installation, database: Database, owner: Tx, cast: Cast, client: Client, set_setting: SetSetting
) -> None:
    set_setting(*LOOPBACK)
    host = SlowGitHub()
    with serving(host.reply) as host.url:
        async with connected(database, cast.acme, "github", host.url, TOKEN) as repository:
            process = server.serve()
            host.open()
            opened = host.delivery("opened")
            host.merge()
            deliveries = [host.delivery("closed"), host.delivery("closed"), opened]
            async with httpx2.AsyncClient(base_url=server.url) as sender:
                for delivery in deliveries:
                    headers = delivery.headers(repository.secret)
                    answer = await sender.post(repository.hook_path, content=delivery.body, headers=headers)
                    assert answer.status_code == 202
            assert await asyncio.to_thread(host.is_asked.wait, 60)
            process.kill()
            process.wait()
            assert await tasks_of(client) == []
            await owner.execute(LEASES_END)

            host.may_answer.set()
            server.serve()
            async with asyncio.timeout(90):
                while (await repository.only_change()).status != "sent":
                    await asyncio.sleep(0.2)
            assert len(await tasks_of(client)) == 1
