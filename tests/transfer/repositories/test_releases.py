"""Drafts approved for a release go live when the host publishes it, even if that event was missed."""

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Client, Json
from tests.support.changes import SETTINGS_AFTER, get, write_articles
from tests.support.connected_repositories import Connected
from tests.support.github_double import Delivery, GitHubDouble


async def deliver(api: Api, repository: Connected, delivery: Delivery) -> None:
    headers = delivery.headers(repository.secret)
    answer = await api(None).post(repository.hook_path, content=delivery.body, headers=headers)
    assert answer.status_code == 202
    await repository.work()


async def draft_of(api: Api, client: Client, host: GitHubDouble, repository: Connected) -> Json:
    """The draft created for a merged pull request."""
    await write_articles(client)
    host.open()
    host.merge()
    await deliver(api, repository, host.delivery("closed"))
    task = await get(client, f"tasks/{(await repository.only_change()).task_id}")
    [draft] = task["drafts"]
    stored: Json = await get(client, f"drafts/{draft['id']}")
    return stored


async def approve(client: Client, draft: Json) -> None:
    answer = await client.post(f"/v1/drafts/{draft['id']}/apply", json={"when": "release"})
    assert answer.status_code == 200, answer.text


async def status_of(client: Client, draft: Json) -> str:
    status: str = (await get(client, f"drafts/{draft['id']}"))["status"]
    return status


async def test_a_release_applies_what_is_approved(
    api: Api, client: Client, host: GitHubDouble, repository: Connected
) -> None:
    draft = await draft_of(api, client, host, repository)
    await approve(client, draft)

    delivery = host.release("v1.1/first", 7)
    await deliver(api, repository, delivery)
    await deliver(api, repository, delivery)

    assert await status_of(client, draft) == "applied"
    article = await get(client, f"articles/{draft['articleId']}")
    assert article["contentMarkdown"] == SETTINGS_AFTER


async def test_nothing_goes_live_that_nobody_has_approved(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    draft = await draft_of(api, client, host, repository)

    await deliver(api, repository, host.release("v1.1", 7))
    await repository.poll(owner)

    assert await status_of(client, draft) == "pending"


@pytest.mark.parametrize("fields", [{"draft": True}, {"prerelease": True}])
async def test_a_release_that_is_not_out_and_one_without_the_change_apply_nothing(
    api: Api, client: Client, host: GitHubDouble, repository: Connected, fields: dict[str, object]
) -> None:
    draft = await draft_of(api, client, host, repository)
    await approve(client, draft)

    await deliver(api, repository, host.release("v1.1-rc", 7, **fields))
    await deliver(api, repository, host.release("v1.0.5"))

    assert await status_of(client, draft) == "pending"


async def test_a_missed_release_is_found_by_the_poll_and_so_is_a_late_approval(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    draft = await draft_of(api, client, host, repository)
    host.release("v1.1", 7)
    host.release("v1.2")
    del host.tags["v1.2"]
    await repository.poll(owner)
    assert await status_of(client, draft) == "pending"

    await approve(client, draft)
    await repository.poll(owner)
    assert await status_of(client, draft) == "applied"


async def test_releases_in_the_wrong_order_apply_the_change_once(
    api: Api, client: Client, host: GitHubDouble, repository: Connected
) -> None:
    draft = await draft_of(api, client, host, repository)
    await approve(client, draft)
    earlier, later = host.release("v1.0"), host.release("v1.1", 7)

    await deliver(api, repository, later)
    await deliver(api, repository, earlier)

    assert await status_of(client, draft) == "applied"


async def test_a_pull_request_that_is_closed_unmerged_takes_its_drafts_along_and_brings_them_back(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await write_articles(client)
    await repository.set_fields(owner, moment="opened")
    host.open()
    await deliver(api, repository, host.delivery("opened"))
    [draft] = (await get(client, "drafts"))["results"]

    host.change(7, state="closed")
    closed = host.delivery("closed")
    await deliver(api, repository, closed)
    await deliver(api, repository, closed)
    assert await status_of(client, draft) == "dismissed"
    assert (await repository.only_change()).status == "ignored"

    host.change(7, state="open")
    await deliver(api, repository, closed)
    assert (await get(client, "drafts"))["results"] == []
    await deliver(api, repository, host.delivery("reopened"))
    [again] = (await get(client, "drafts"))["results"]
    assert again["id"] != draft["id"]


async def test_an_approved_draft_of_a_closed_pull_request_stays_with_a_warning(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await write_articles(client)
    await repository.set_fields(owner, moment="opened")
    host.open()
    await deliver(api, repository, host.delivery("opened"))
    [draft] = (await get(client, "drafts"))["results"]
    await approve(client, draft)

    host.change(7, state="closed")
    await deliver(api, repository, host.delivery("closed"))

    kept = await get(client, f"drafts/{draft['id']}")
    assert (kept["status"], kept["approvedAt"]) == ("pending", None)
    assert any("without being merged" in warning for warning in kept["warnings"])


async def test_a_delivery_of_a_closing_that_was_taken_back_makes_no_second_task(
    api: Api, client: Client, owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    await write_articles(client)
    await repository.set_fields(owner, moment="opened")
    host.open()
    await deliver(api, repository, host.delivery("opened"))
    host.change(7, state="closed")
    closed = host.delivery("closed")
    host.change(7, state="open")

    await deliver(api, repository, closed)

    assert (await repository.only_change()).status == "sent"
    assert len((await get(client, "tasks"))["results"]) == 1


async def test_a_poll_of_an_unchanged_repository_gets_no_rows_again(
    owner: Tx, host: GitHubDouble, repository: Connected
) -> None:
    host.open()
    await repository.poll(owner)
    before = len(host.requests)
    await repository.poll(owner)

    later = host.requests[before:]
    assert later
    assert all("if-none-match" in request.headers for request in later)
