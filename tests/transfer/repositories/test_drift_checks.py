"""A connected repository is checked for drift automatically: git fetches its history, within all limits."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Iterator
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import defer
from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.outbound.networks import Address
from instep.transfer.repositories import clones, drift_jobs
from instep.transfer.repositories.hosts.host_requests import HostFailed
from instep.transfer.repositories.jobs import POLL_REPOSITORIES
from tests.support.cast import Cast, Client, Json
from tests.support.changes import get
from tests.support.ci_servers import Asked, Reply, serving
from tests.support.connected_repositories import LOOPBACK, Connected, connected
from tests.support.git_server import TEXT, GitServer, changed_code
from tests.support.github_double import TOKEN, GitHubDouble, github
from tests.support.limits import SetLimit, SetSetting
from tests.support.repositories import Repository

CREDENTIALS = f"x-access-token:{TOKEN}"


@pytest.fixture
def code(tmp_path: Path) -> Repository:
    return changed_code(tmp_path / "app")


@pytest.fixture
def host(code: Repository) -> Iterator[GitHubDouble]:
    with github() as double:
        double.git = GitServer(code.folder / ".git", CREDENTIALS).answer
        yield double


@pytest.fixture
async def repository(
    database: Database,
    cast: Cast,
    host: GitHubDouble,
    set_setting: SetSetting,
    tmp_path: Path,
    client: Client,
) -> AsyncIterator[Connected]:
    set_setting(*LOOPBACK)
    set_setting("INSTEP_DATA_DIR", str(tmp_path / "data"))
    answer = await client.post("/v1/articles", json={"title": "Clean up", "contentMarkdown": TEXT})
    assert answer.status_code == 201, answer.text
    async with connected(database, cast.acme, "github", host.url, TOKEN, is_checked=True) as repository:
        yield repository


def leftovers() -> list[Path]:
    return list((settings().data_dir / clones.FOLDER).glob("*/*"))


async def waiting(client: Client) -> tuple[list[Json], list[Json]]:
    return (await get(client, "drafts"))["results"], (await get(client, "places"))["results"]


async def test_a_check_follows_the_connection_and_makes_drafts_and_places(
    client: Client, code: Repository, repository: Connected
) -> None:
    assert (await repository.stored()).check_status == "waiting"

    await repository.work()

    row = await repository.stored()
    assert (row.check_status, row.checked_commit) == ("checked", code.git("rev-parse", "HEAD"))
    assert (row.wrong_statements, row.wrong_articles) == (2, 1)
    [draft], [place] = await waiting(client)
    assert draft["source"]["kind"] == place["source"]["kind"] == "drift"
    text = (await get(client, f"drafts/{draft['id']}"))["contentMarkdown"]
    assert "`--retention-days`" in text
    assert leftovers() == []


async def test_a_check_is_about_the_current_version(client: Client, repository: Connected) -> None:
    for slug in ("1.x", "2.x"):
        body = {"slug": slug, "isCurrent": slug == "2.x"}
        assert (await client.post("/v1/product-versions", json=body)).status_code == 201
    old = {"title": "Old", "contentMarkdown": TEXT, "untilVersion": "1.x"}
    assert (await client.post("/v1/articles", json=old)).status_code == 201

    await repository.work()

    assert (await repository.stored()).wrong_articles == 1
    [draft], [place] = await waiting(client)
    assert draft["version"] == "2.x"
    assert {draft["articleTitle"], place["articleTitle"]} == {"Clean up"}


async def test_a_second_check_writes_nothing_and_what_was_dismissed_stays_dismissed(
    client: Client, repository: Connected
) -> None:
    await repository.work()
    before = await waiting(client)

    assert (await repository.check()).wrong_statements == 2
    assert await waiting(client) == before

    [draft], [place] = before
    for path in (f"drafts/{draft['id']}", f"places/{place['id']}"):
        answer = await client.post(f"/v1/{path}/dismiss", json={"reason": "not_needed"})
        assert answer.status_code == 200, answer.text
    assert (await repository.check()).wrong_statements == 0
    assert await waiting(client) == ([], [])


async def test_only_files_in_the_paths_count(client: Client, owner: Tx, repository: Connected) -> None:
    await repository.set_fields(owner, paths=["docs"])
    await repository.work()

    row = await repository.stored()
    assert (row.check_status, row.wrong_statements) == ("checked", 0)


async def test_another_branch_is_read_if_one_is_chosen(
    owner: Tx, code: Repository, repository: Connected
) -> None:
    code.git("branch", "stable", "HEAD~1")
    await repository.set_fields(owner, branch="stable")

    await repository.work()

    row = await repository.stored()
    assert (row.checked_commit, row.wrong_statements) == (code.git("rev-parse", "stable"), 1)


async def test_a_missing_branch_and_a_missing_repository_are_said(
    owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await repository.set_fields(owner, branch="next")
    assert "no branch next" in ((await repository.check()).check_message or "")

    host.git = None
    assert "repository does not exist" in ((await repository.check()).check_message or "")
    assert leftovers() == []


async def test_a_token_without_the_right_to_read_code_is_named_and_not_shown(
    host: GitHubDouble, code: Repository, repository: Connected, caplog: pytest.LogCaptureFixture
) -> None:
    host.git = GitServer(code.folder / ".git", "x-access-token:another").answer

    row = await repository.check()

    assert row.check_status == "failed"
    assert "does not allow the token to read the code" in (row.check_message or "")
    assert TOKEN not in (row.check_message or "") + caplog.text
    host.tokens.clear()
    assert "expired or was revoked" in ((await repository.check()).check_message or "")


async def test_a_redirect_to_another_host_gets_no_token(host: GitHubDouble, repository: Connected) -> None:
    asked = list[Asked]()

    def answer(request: Asked) -> Reply:
        asked.append(request)
        return Reply(200, raw=b"")

    with serving(answer) as other:
        host.git = lambda request: Reply(302, headers={"Location": f"{other}/acme/app.git/info/refs"})
        row = await repository.check()

    assert row.check_status == "failed"
    assert "another address" in (row.check_message or "")
    assert asked == []


async def test_git_connects_only_to_the_address_that_the_guard_has_vetted(
    host: GitHubDouble, repository: Connected
) -> None:
    port = host.url.rpartition(":")[2]
    origin = clones.Origin("GitHub", f"http://git.internal:{port}/acme/app.git", "main", CREDENTIALS)

    async def find_addresses(name: str) -> list[Address]:
        """Resolves the name, which no name server knows."""
        return [IPv4Address("127.0.0.1")]

    async with clones.cloned(OutboundClient(read_allow_list("git.internal"), find_addresses), origin) as git:
        assert git.read("rev-parse", clones.BRANCH)
    with pytest.raises(HostFailed, match="can't be reached"):
        async with clones.cloned(OutboundClient(read_allow_list(""), find_addresses), origin):
            pass


async def test_a_repository_over_the_limit_is_refused_and_leaves_nothing(
    code: Repository, repository: Connected, set_limit: SetLimit
) -> None:
    code.commit("A picture", {"a.bin": random.Random(1).randbytes(200_000)})
    set_limit("MAX_CLONE_BYTES", 20_000)

    row = await repository.check()

    assert row.check_status == "failed"
    assert "larger than" in (row.check_message or "")
    assert leftovers() == []


async def test_a_host_that_sends_nothing_is_left_after_the_time(
    host: GitHubDouble, repository: Connected, set_limit: SetLimit
) -> None:
    def answer(request: object) -> Reply:
        time.sleep(2)
        return Reply(503)

    host.git = answer
    set_limit("CLONE_SECONDS", 0.5)

    row = await repository.check()

    assert (row.check_status, "minutes" in (row.check_message or "")) == ("failed", True)
    assert leftovers() == []


async def test_without_git_the_page_says_so(
    repository: Connected, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    row = await repository.check()

    assert row.check_status == "failed"
    assert "needs git" in (row.check_message or "")


async def test_a_host_that_fails_is_asked_again(
    owner: Tx, host: GitHubDouble, code: Repository, repository: Connected
) -> None:
    host.git = lambda request: Reply(503)
    assert (await repository.check()).check_status == "waiting"

    host.git = GitServer(code.folder / ".git", CREDENTIALS).answer
    await owner.execute(
        "update jobs set run_at = now() where kind = 'check_repository' and workspace_id = %(id)s",
        id=repository.company.workspace_id,
    )
    await repository.work()
    assert (await repository.stored()).check_status == "checked"


async def test_one_check_runs_at_a_time_in_a_process(repository: Connected) -> None:
    async with drift_jobs.turn:
        assert (await repository.check()).check_status == "waiting"


async def test_the_folders_of_killed_processes_are_removed(repository: Connected) -> None:
    left = settings().data_dir / clones.FOLDER / "of-a-killed-process"
    left.mkdir(parents=True)
    (left / "pack").write_bytes(b"half a pack")

    await repository.work()

    assert not left.exists()


async def test_checks_come_back_by_themselves(database: Database, owner: Tx, repository: Connected) -> None:
    await repository.work()
    await owner.execute(
        "update repositories set checked_at = null, poll_at = now() + interval '1 day',"
        " check_at = now() + case id when %(id)s then '0' else '1 day' end::interval",
        id=repository.repository_id,
    )
    async with database.enter_workspace("") as tx:
        await defer(tx, POLL_REPOSITORIES, {})
    await repository.work()

    assert (await repository.stored()).checked_at is not None
    due = await owner.value(
        "select check_at > now() + interval '6 days' from repositories where id = %(id)s",
        id=repository.repository_id,
    )
    assert due


async def test_no_secret_is_in_the_arguments_or_the_address(
    host: GitHubDouble, repository: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = list[tuple[object, ...]]()
    run = asyncio.create_subprocess_exec

    async def spy(*arguments: Any, **options: Any) -> object:
        commands.append(arguments)
        return await run(*arguments, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", spy)
    await repository.work()

    assert commands
    assert TOKEN not in json.dumps(commands, default=str)
    assert all(TOKEN not in request.line for request in host.requests)
