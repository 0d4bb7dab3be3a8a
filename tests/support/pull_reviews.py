"""Helpers for reviews in a pull request: deliver both people's actions and Instep's own comments."""

import re
from collections.abc import Awaitable, Callable

from instep.platform.core.database import Tx
from tests.support.cast import Client, Json
from tests.support.changes import SETTINGS, get, publish
from tests.support.connected_repositories import Connected
from tests.support.github_double import Delivery, GitHubDouble

SLOW = "# Slow networks\n\nRaise `ACME_TIMEOUT` on slow networks.\n"
SLOW_AFTER = SLOW.replace("ACME_TIMEOUT", "ACME_REQUEST_TIMEOUT")
MAX_OWN_DELIVERIES = 10

Deliver = Callable[..., Awaitable[int]]


def delivering(
    client: Client, owner: Tx, host: GitHubDouble, repository: Connected, most: int = MAX_OWN_DELIVERIES
) -> Deliver:
    """Deliver an event, run the jobs, and deliver Instep's own comments, which must come to an end."""

    async def post(delivery: Delivery, secret: str) -> int:
        answer = await client.post(
            repository.hook_path, content=delivery.body, headers=delivery.headers(secret)
        )
        await repository.review(owner)
        return answer.status_code

    async def deliver(delivery: Delivery, secret: str | None = None) -> int:
        status = await post(delivery, repository.secret if secret is None else secret)
        for _ in range(most):
            if not host.own_deliveries:
                return status
            await post(host.own_deliveries.pop(0), repository.secret)
        raise AssertionError("Instep answers itself")

    return deliver


async def open_with_drafts(client: Client, host: GitHubDouble, deliver: Deliver) -> dict[str, Json]:
    """Open a pull request that makes two articles wrong, and return its drafts by title."""
    await publish(client, "Settings", SETTINGS)
    await publish(client, "Slow networks", SLOW)
    host.open()
    await deliver(host.delivery("opened"))
    return {draft["title"]: draft for draft in (await get(client, "drafts"))["results"]}


def number_of(host: GitHubDouble, title: str) -> int:
    """The number of a draft in Instep's comment."""
    [number] = re.findall(rf"^\*\*(\d+)\. \[{title}\]", host.own_comments[0], re.MULTILINE)
    return int(number)


async def status_of(client: Client, draft: Json) -> str:
    status: str = (await get(client, f"drafts/{draft['id']}"))["status"]
    return status


async def is_approved(client: Client, draft: Json) -> bool:
    return (await get(client, f"drafts/{draft['id']}"))["approvedAt"] is not None


async def text_of(client: Client, draft: Json) -> str:
    text: str = (await get(client, f"articles/{draft['articleId']}"))["contentMarkdown"]
    return text


def conclusions(host: GitHubDouble) -> list[str]:
    return [check["conclusion"] for check in host.checks]
