"""Approved edits of docs in the repository are committed to the pull request's branch."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest

from instep.platform.core.database import Database, Tx
from instep.transfer.repositories.schemas import RepositoryFields
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import get
from tests.support.code_host_doubles import TOKEN as HOST_TOKEN
from tests.support.code_host_doubles import GiteaDouble, GitLabDouble, HostDouble, SignedDelivery, speaking
from tests.support.connected_repositories import LOOPBACK, Connected, connected, tasks_of
from tests.support.github_double import TOKEN, Delivery, GitHubDouble, github
from tests.support.http import ok
from tests.support.limits import SetSetting
from tests.support.synced_repository import FOLDER, Repository, article_at

PATH, BRANCH, OWN_BRANCH = f"{FOLDER}/settings.md", "acme/app:rename", "acme/app:instep/pr-7"
TEXT = (
    "\ufeff---\r\n# Ours\r\ntitle:  'Settings'\r\ntags: [x]\r\n---\r\n"
    "Trailing  \r\n\r\nSet `ACME_TIMEOUT` to a number of seconds.\t\r\n\r\nThe *end*"
)
AFTER = TEXT.replace("ACME_TIMEOUT", "ACME_REQUEST_TIMEOUT")
CODE = {"src/settings.py": b"TIMEOUT = 30\n"}


Tell = Callable[[Delivery], Awaitable[None]]


@pytest.fixture
def host() -> Iterator[GitHubDouble]:
    with github() as double:
        yield double


@pytest.fixture
async def repository(
    database: Database, cast: Cast, host: GitHubDouble, docs: Repository, set_setting: SetSetting
) -> AsyncIterator[Connected]:
    set_setting(*LOOPBACK)
    fields = RepositoryFields(moment="opened", docs_folder=FOLDER)
    async with connected(database, cast.acme, "github", host.url, TOKEN, fields=fields) as repository:
        yield repository


@pytest.fixture
async def docs(client: Client) -> Repository:
    """The docs of the branch `main`, in sync."""
    docs = Repository(client)
    docs.write("settings.md", TEXT)
    await docs.sync()
    await docs.settle()
    return docs


@pytest.fixture
def tell(api: Api, owner: Tx, repository: Connected) -> Tell:
    async def deliver(delivery: Delivery) -> None:
        headers = delivery.headers(repository.secret)
        answer = await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
        assert answer.status_code == 202
        await repository.review(owner)

    return deliver


@pytest.fixture
async def draft(client: Client, host: GitHubDouble, tell: Tell) -> Json:
    """The draft of an open pull request that makes the article wrong."""
    host.branches.modes[PATH] = "100755"
    host.branches.push("acme/app:main", {PATH: TEXT.encode(), **CODE})
    pull = host.open()
    host.branches.push(BRANCH, {PATH: TEXT.encode(), **CODE}, pull["head"]["sha"])
    await tell(host.delivery("opened"))
    [draft] = (await get(client, "drafts"))["results"]
    return dict(draft)


def file_in(host: GitHubDouble, branch: str) -> str:
    return host.branches.commits[host.branches.heads[branch]][PATH].decode()


async def status_of(client: Client, draft: Json) -> str:
    status: str = (await get(client, f"drafts/{draft['id']}"))["status"]
    return status


@pytest.mark.parametrize("command", ["apply 1", "commit"])
async def test_an_approved_edit_is_committed_and_comes_back_without_another_draft(
    client: Client, host: GitHubDouble, docs: Repository, tell: Tell, draft: Json, command: str
) -> None:
    before = host.branches.heads[BRANCH]
    await tell(host.comment(f"/instep {command}"))
    head = host.branches.heads[BRANCH]
    assert host.branches.parents[head] == before
    assert host.branches.commits[head] == {PATH: AFTER.encode(), **CODE}
    assert host.branches.modes == {PATH: "100755"}
    assert head[:7] in host.own_comments[0]
    assert (host.checks[-1]["head_sha"], host.checks[-1]["conclusion"]) == (head, "success")

    # The host reports the commit: it starts no task, and nothing is committed again.
    await tell(host.delivery("synchronize"))
    assert len(await tasks_of(client)) == 1
    assert host.branches.heads[BRANCH] == head
    assert (await get(client, f"drafts/{draft['id']}"))["approvedAt"] is not None

    host.merge()
    await tell(host.delivery("closed"))
    assert await status_of(client, draft) == "applied"
    docs.write("settings.md", file_in(host, BRANCH))
    answer = await docs.sync()
    assert answer["writes"] == []
    await docs.settle()
    assert (await get(client, "drafts"))["results"] == []
    assert "ACME_REQUEST_TIMEOUT" in (await article_at(client, "settings"))["contentMarkdown"]


async def test_a_draft_that_is_dismissed_after_its_commit_says_where_to_revert_the_edit(
    client: Client, host: GitHubDouble, tell: Tell, draft: Json
) -> None:
    await tell(host.comment("/instep apply 1"))
    commit = host.branches.heads[BRANCH][:7]
    assert "revert" not in host.own_comments[0]

    for _ in range(2):
        ok(await client.post(f"/v1/drafts/{draft['id']}/dismiss"))
        await tell(host.delivery("synchronize"))
        assert re.search(f"{commit}.*revert", host.own_comments[0])
        [comment] = (await get(client, f"comments?subject={draft['id']}"))["results"]
        assert commit in comment["body"]
        assert host.pulls[7]["html_url"] in comment["body"]
        ok(await client.post(f"/v1/drafts/{draft['id']}/reopen"))
        await tell(host.delivery("synchronize"))
        assert "revert" not in host.own_comments[0]


async def test_a_sync_that_is_first_applies_the_draft(
    client: Client, host: GitHubDouble, docs: Repository, tell: Tell, draft: Json
) -> None:
    await tell(host.comment("/instep apply 1"))
    host.merge()
    docs.write("settings.md", file_in(host, BRANCH))
    await docs.sync()
    assert await status_of(client, draft) == "applied"

    await tell(host.delivery("closed"))
    await docs.settle()
    assert "1 draft is live" in host.own_comments[0]
    assert len(await tasks_of(client)) == 1


async def test_a_later_push_to_the_branch_keeps_the_commit_and_makes_no_second_draft(
    client: Client, host: GitHubDouble, tell: Tell, draft: Json
) -> None:
    await tell(host.comment("/instep apply 1"))
    head = host.branches.push(BRANCH, {"src/other.py": b"x\n"})
    docs_diff = f"diff --git a/{PATH} b/{PATH}\n--- a/{PATH}\n+++ b/{PATH}\n@@ -1 +1 @@\n-{TEXT}\n+{AFTER}\n"
    host.change(7, head={**host.pulls[7]["head"], "sha": head})
    host.diffs[7] += docs_diff.replace("\r\n", "")
    await tell(host.delivery("synchronize"))

    assert len(await tasks_of(client)) == 2
    [pending] = (await get(client, "drafts"))["results"]
    assert pending["approvedAt"] is not None
    assert host.branches.heads[BRANCH] == head


async def test_a_branch_that_moves_meanwhile_is_read_again_and_never_forced(
    client: Client, owner: Tx, host: GitHubDouble, repository: Connected, tell: Tell, draft: Json
) -> None:
    pushed = TEXT.replace("Trailing", "New").encode()
    host.branches.pushes = [(BRANCH, {PATH: pushed})]
    await tell(host.comment("/instep apply 1"))
    assert file_in(host, BRANCH).encode() == pushed
    await tell(host.delivery("synchronize"))

    assert file_in(host, BRANCH) == AFTER.replace("Trailing", "New")
    assert OWN_BRANCH not in host.branches.heads


async def test_an_edit_that_overlaps_with_the_branch_is_reported_and_not_committed(
    client: Client, host: GitHubDouble, tell: Tell, draft: Json
) -> None:
    head = host.branches.push(BRANCH, {PATH: TEXT.replace("a number of", "some").encode()})
    host.change(7, head={**host.pulls[7]["head"], "sha": head})
    await tell(host.delivery("synchronize"))
    await tell(host.comment("/instep apply 1"))

    assert host.branches.heads[BRANCH] == head
    assert "same lines" in host.own_comments[0]
    # Someone undoes the overlapping change in the branch and asks again.
    head = host.branches.push(BRANCH, {PATH: TEXT.encode()})
    host.change(7, head={**host.pulls[7]["head"], "sha": head})
    await tell(host.delivery("synchronize"))
    await tell(host.comment("/instep commit all"))
    assert file_in(host, BRANCH) == AFTER


@pytest.mark.parametrize("way", ["fork", "open fork", "protected"])
async def test_a_closed_branch_gets_one_pull_request_of_its_own(
    client: Client, host: GitHubDouble, tell: Tell, draft: Json, way: str
) -> None:
    if way == "protected":
        host.branches.closed = {BRANCH}
    else:
        fork = {"id": 99, "full_name": "octocat/app"}
        head = {**host.pulls[7]["head"], "repo": fork}
        host.change(7, head=head, maintainer_can_modify=way == "open fork")
        host.branches.heads["octocat/app:rename"] = host.branches.heads.pop(BRANCH)
        host.branches.closed = {"octocat/app:rename"}
    await tell(host.comment("/instep apply 1"))
    await tell(host.comment("/instep commit 1"))

    assert file_in(host, OWN_BRANCH) == AFTER
    assert file_in(host, "acme/app:main") == TEXT
    [own] = [row for row in host.pulls.values() if row["number"] != 7]
    assert (own["head"]["ref"], own["base"]["ref"]) == ("instep/pr-7", "main")
    assert own["html_url"] in host.own_comments[0]
    tasks = len(await tasks_of(client))
    await tell(host.delivery("opened", own["number"]))
    assert len(await tasks_of(client)) == tasks


async def test_a_token_that_may_not_write_is_reported_and_the_edit_still_goes_live(
    client: Client, host: GitHubDouble, tell: Tell, draft: Json
) -> None:
    host.branches.is_read_only = True
    await tell(host.comment("/instep apply 1"))
    assert "Contents" in host.own_comments[0]
    assert file_in(host, BRANCH) == TEXT

    host.merge()
    await tell(host.delivery("closed"))
    assert await status_of(client, draft) == "applied"


@pytest.mark.parametrize("author", ["reader", "stranger"])
async def test_people_without_write_access_commit_nothing(
    host: GitHubDouble, tell: Tell, draft: Json, author: str
) -> None:
    await tell(host.comment("/instep commit all", author))

    assert file_in(host, BRANCH) == TEXT
    assert "can write to this repository" in host.own_comments[1]


async def test_without_the_setting_nothing_is_committed(
    owner: Tx, host: GitHubDouble, repository: Connected, tell: Tell, draft: Json
) -> None:
    await repository.set_fields(owner, docs_folder=None)
    await tell(host.comment("/instep commit 1"))
    await tell(host.comment("/instep apply 1"))

    assert file_in(host, BRANCH) == TEXT
    assert "settings" in host.own_comments[1]


@pytest.mark.parametrize("kind", [GitLabDouble, GiteaDouble])
async def test_other_hosts_get_the_same_commit(
    api: Api,
    database: Database,
    client: Client,
    owner: Tx,
    cast: Cast,
    docs: Repository,
    set_setting: SetSetting,
    kind: type[HostDouble],
) -> None:
    set_setting(*LOOPBACK)
    fields = RepositoryFields(moment="opened", docs_folder=FOLDER)
    with speaking(kind()) as double:
        branches, files = double.branches, {PATH: TEXT.encode(), **CODE}
        async with connected(database, cast.acme, double.kind, double.url, HOST_TOKEN, fields=fields) as row:

            async def tell(delivery: SignedDelivery) -> None:
                headers = {"Content-Type": "application/json", **delivery.headers}
                await api(None).post(row.hook_path, content=delivery.body, headers=headers)
                await row.review(owner)

            branches.push("acme/app:main", files)
            branches.push(BRANCH, files, double.open().head)
            await tell(double.delivery("opened", row.secret))
            # Someone pushes a different version of the file, which must not be overwritten.
            pushed = {PATH: TEXT.replace("Trailing", "New").encode()}
            branches.pushes = [(BRANCH, pushed)]
            await tell(double.commented(row.secret, "/instep apply 1"))
            assert branches.commits[branches.heads[BRANCH]] == {**files, **pushed}
            await tell(double.delivery("opened", row.secret))
            head = branches.heads[BRANCH]
            assert branches.commits[head] == {**CODE, PATH: AFTER.replace("Trailing", "New").encode()}
            tasks = len(await tasks_of(client))
            await tell(double.delivery("opened", row.secret))
            assert (len(await tasks_of(client)), branches.heads[BRANCH]) == (tasks, head)

            branches.closed = {branches.push(BRANCH, {PATH: TEXT.encode()}) and BRANCH}
            await tell(double.delivery("opened", row.secret))
            await tell(double.commented(row.secret, "/instep commit 1"))
            assert branches.commits[branches.heads[OWN_BRANCH]][PATH] == AFTER.encode()
            assert len(double.opened) == 1
            assert f"{double.url}/own" in double.comments[1]
