"""GitLab, Gitea, Forgejo and Bitbucket: each has its own signatures, lists and pull requests."""

import pytest

from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import DIFF, get, write_articles
from tests.support.ci_servers import Reply
from tests.support.code_host_doubles import (
    TOKEN,
    BitbucketDouble,
    GiteaDouble,
    GitLabDouble,
    HostDouble,
    SignedDelivery,
    speaking,
)
from tests.support.connected_repositories import LOOPBACK, Connected, connected, tasks_of
from tests.support.limits import SetSetting
from tests.support.wording import like


@pytest.fixture
def host(other_host: HostDouble) -> HostDouble:
    return other_host


async def deliver(api: Api, repository: Connected, host: HostDouble, event: str, number: int = 7) -> None:
    delivery = host.delivery(event, repository.secret, number)
    headers = {"Content-Type": "application/json", **delivery.headers}
    answer = await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
    assert answer.status_code == 202, answer.text
    await repository.work()


async def test_a_merged_pull_request_becomes_one_draft(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected
) -> None:
    await write_articles(client)
    pull = host.open()
    await deliver(api, repository, host, "opened")
    assert (await repository.only_change()).status == "ignored"

    pull.state = "merged"
    await deliver(api, repository, host, "merged")
    await deliver(api, repository, host, "merged")
    await repository.poll(owner)

    assert (await repository.only_change()).status == "sent"
    [task] = await tasks_of(client)
    assert (await get(client, f"tasks/{task['id']}"))["outcome"] == "drafts"
    assert await owner.value("select diff from tasks where id = %(id)s", id=task["id"]) == DIFF


async def test_a_release_of_the_host_applies_what_is_approved_for_it(
    api: Api, client: Client, host: HostDouble, repository: Connected
) -> None:
    await write_articles(client)
    pull = host.open()
    pull.state = "merged"
    await deliver(api, repository, host, "merged")
    [draft] = (await get(client, "drafts"))["results"]
    approved = await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"})
    assert approved.status_code == 200

    for tag, numbers, status in (("v1.0", (), "pending"), ("v1.1", (7,), "applied")):
        delivery = host.released(repository.secret, tag, *numbers)
        answer = await api(None).post(repository.hook_path, content=delivery.body, headers=delivery.headers)
        assert answer.status_code == 202
        await repository.work()
        assert (await get(client, f"drafts/{draft['id']}"))["status"] == status


async def test_deliveries_that_the_host_has_not_signed_are_refused(
    api: Api, host: HostDouble, repository: Connected
) -> None:
    host.open()
    for secret in ("", "wrong"):
        delivery = host.delivery("opened", secret)
        answer = await api(None).post(repository.hook_path, content=delivery.body, headers=delivery.headers)
        assert answer.status_code == 401
    assert await repository.changes() == []


@pytest.mark.parametrize("way", ["delivery", "poll"])
async def test_an_approval_sends_it(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected, way: str
) -> None:
    await repository.set_fields(owner, moment="approved")
    pull = host.open()
    await deliver(api, repository, host, "opened")
    assert await tasks_of(client) == []

    pull.is_approved = True
    if way == "delivery":
        await deliver(api, repository, host, "approved")
    else:
        await repository.poll(owner)
    assert len(await tasks_of(client)) == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"is_draft": True}, "is a draft"),
        ({"author": "renovate-bot"}, "A bot opened it"),
        ({"branch": "next"}, "targets the branch next"),
        ({"state": "closed"}, "was closed"),
    ],
)
async def test_a_poll_leaves_out_what_a_delivery_would(
    client: Client,
    owner: Tx,
    host: HostDouble,
    repository: Connected,
    fields: Json,
    message: str,
) -> None:
    await repository.set_fields(owner, moment="opened")
    host.open(**fields)
    await repository.poll(owner)

    change = await repository.only_change()
    assert (change.status, change.message) == ("ignored", like(f"…{message}…"))


async def test_a_poll_reads_all_pages_of_a_host(owner: Tx, host: HostDouble, repository: Connected) -> None:
    host.page_size = 3
    for number in range(1, 11):
        host.open(number)
    await repository.poll(owner)

    assert len(await repository.changes()) == 10


async def test_a_limit_of_the_host_is_waited_for(
    api: Api, owner: Tx, host: HostDouble, repository: Connected
) -> None:
    host.open(state="merged")
    host.replies = [Reply(429, {}, {"Retry-After": "60", "RateLimit-Reset": "1"})]
    await deliver(api, repository, host, "merged")
    assert (await repository.only_change()).status == "waiting"

    await repository.try_again(owner)
    assert (await repository.only_change()).status == "sent"


async def test_an_expired_token_of_a_host_is_told(
    api: Api, owner: Tx, host: HostDouble, repository: Connected
) -> None:
    host.open(state="merged")
    host.tokens = set()
    await deliver(api, repository, host, "merged")
    await repository.poll(owner)

    change = await repository.only_change()
    assert (change.status, change.message) == ("failed", like("…does not accept the token…"))
    assert await repository.last_error() == change.message


async def test_a_gitlab_without_raw_diffs_gives_the_pages_of_files(
    api: Api, client: Client, owner: Tx, database: Database, cast: Cast, set_setting: SetSetting
) -> None:
    set_setting(*LOOPBACK)
    double = GitLabDouble(has_raw_diffs=False)
    with speaking(double):
        async with connected(database, cast.acme, "gitlab", double.url, TOKEN) as repository:
            double.open(state="merged")
            await deliver(api, repository, double, "merged")

    [task] = await tasks_of(client)
    assert await owner.value("select diff from tasks where id = %(id)s", id=task["id"]) == DIFF


async def tell(
    api: Api, owner: Tx, repository: Connected, delivery: SignedDelivery, status: int = 202
) -> None:
    headers = {"Content-Type": "application/json", **delivery.headers}
    answer = await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
    assert answer.status_code == status, answer.text
    await repository.review(owner)


@pytest.mark.parametrize("other_host", [GitLabDouble, GiteaDouble], indirect=True)
async def test_a_draft_is_reviewed_in_a_comment(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected
) -> None:
    await repository.set_fields(owner, moment="opened", status_mode="required")
    await write_articles(client)
    pull = host.open()
    await tell(api, owner, repository, host.delivery("opened", repository.secret))
    [draft] = (await get(client, "drafts"))["results"]
    assert f"/review/{draft['id']}" in host.comments[1]
    assert host.statuses[-1]["state"] in ("failed", "failure")

    await tell(api, owner, repository, host.commented(repository.secret, "/instep apply 1", "mallory"))
    assert (await get(client, f"drafts/{draft['id']}"))["approvedAt"] is None
    await tell(api, owner, repository, host.commented("guessed", "/instep apply 1"), 401)
    assert (await get(client, f"drafts/{draft['id']}"))["approvedAt"] is None

    await tell(api, owner, repository, host.commented(repository.secret, "/instep apply 1"))
    approved_by = (await get(client, f"drafts/{draft['id']}"))["approvedBy"]
    assert approved_by["name"] == like("ann at Git…")
    assert host.statuses[-1]["state"] == "success"
    # GitLab does not say who edited a comment.
    assert ("- [x] Apply when merged" in host.comments[1]) == (host.kind == "gitea")

    pull.state = "merged"
    await tell(api, owner, repository, host.delivery("merged", repository.secret))
    assert (await get(client, f"drafts/{draft['id']}"))["status"] == "applied"
    assert len(host.comments) == 2


@pytest.mark.parametrize("other_host", [BitbucketDouble], indirect=True)
async def test_a_host_without_reviews_gets_no_comment(
    api: Api, client: Client, owner: Tx, host: HostDouble, repository: Connected
) -> None:
    await repository.set_fields(owner, moment="opened")
    await write_articles(client)
    host.open()
    await tell(api, owner, repository, host.delivery("opened", repository.secret))

    assert len((await get(client, "drafts"))["results"]) == 1
    assert (host.comments, host.statuses) == ({}, [])
