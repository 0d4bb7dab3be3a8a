"""Schedules jobs: for a pull request from a delivery or a poll, once per commit; and for checks."""

from uuid import UUID

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.transfer.repositories import queries
from instep.transfer.repositories.pull_filters import reason_to_ignore
from instep.transfer.repositories.schemas import (
    CHECK_REPOSITORY,
    RELEASE_DRAFTS,
    SEND_PULL_REQUEST,
    PullRequest,
    Repository,
    RepositoryChange,
)


async def take_in(tx: Tx, repository: Repository, pull_request: PullRequest, is_approval: bool) -> None:
    """Store the current state of a pull request and, if it must be sent, a job, in the caller's transaction.

    A pull request is sent once for each commit, however often it is reported.
    """
    assert repository.bot_id is not None, "a stored repository has a bot"
    is_approved = is_approval or await queries.is_approved(tx, repository.id, pull_request.number)
    reason = reason_to_ignore(repository, pull_request, is_approved)
    now = utc_now()
    row = RepositoryChange(
        id=new_id("pull"),
        repository_id=repository.id,
        number=pull_request.number,
        head=pull_request.head,
        title=pull_request.title,
        url=pull_request.url,
        is_approved=is_approved,
        status="ignored" if reason else "waiting",
        message=reason,
        task_id=None,
        created_at=now,
        updated_at=now,
    )
    change_id = await queries.put_change(tx, repository.bot_id, row)
    if change_id is None and pull_request.is_abandoned:
        change_id = await queries.await_withdrawal(tx, repository.id, pull_request.number)
    if change_id is not None:
        await send_soon(tx, repository, change_id)


async def send_soon(tx: Tx, repository: Repository, change_id: str) -> None:
    payload = {"workspace": tx.workspace_id, "bot": str(repository.bot_id), "change": change_id}
    await defer(tx, SEND_PULL_REQUEST, payload, dedupe=change_id)


async def release_soon(tx: Tx, repository: Repository) -> None:
    """Schedule the publication of drafts that were approved for a published release."""
    payload = {"workspace": tx.workspace_id, "bot": str(repository.bot_id), "repository": repository.id}
    await defer(tx, RELEASE_DRAFTS, payload, dedupe=repository.id)


async def check_soon(tx: Tx, bot_id: UUID, repository_id: str) -> None:
    """Schedule a check of the articles against a repository's code; at most one check is waiting."""
    payload = {"workspace": tx.workspace_id, "bot": str(bot_id), "repository": repository_id}
    await defer(tx, CHECK_REPOSITORY, payload, dedupe=repository_id)
