"""Schedules jobs: for a pull request from a delivery or a poll, once per commit; and for checks."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.transfer.repositories import queries, review_queries
from instep.transfer.repositories.pull_boxes import changed_boxes, comment_digest
from instep.transfer.repositories.pull_commands import command_lines
from instep.transfer.repositories.pull_filters import reason_to_ignore
from instep.transfer.repositories.schemas import (
    CHECK_REPOSITORY,
    RELEASE_DRAFTS,
    REVIEW_PULL,
    RUN_PULL_COMMANDS,
    SEND_PULL_REQUEST,
    PullComment,
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
    else:
        await review_soon(tx, repository, pull_request.number)


async def take_comment(tx: Tx, repository: Repository, comment: PullComment, slug: str | None) -> None:
    """Let what a comment decides happen once, however often it is delivered.

    With a slug, only commands with it count.
    """
    if not repository.hears_comments:
        await review_queries.set_hears_comments(tx, repository.id)
        await review_soon(tx, repository, comment.number)
    if comment.is_by_bot or not repository.comments:
        return
    decisions = await decisions_of(tx, repository, comment, slug)
    # An edit without ticks, such as Instep's own, is looked at as often as it is delivered.
    is_repeatable = decisions.get("boxes") == []
    if decisions and (is_repeatable or await review_queries.put_command(tx, repository, comment)):
        payload = {
            **pull_payload(tx, repository, comment.number),
            "author": comment.author,
            "author_key": comment.author_key,
            "sent_at": comment.sent_at.isoformat(),
            **decisions,
        }
        await defer(tx, RUN_PULL_COMMANDS, payload)


async def decisions_of(
    tx: Tx, repository: Repository, comment: PullComment, slug: str | None
) -> dict[str, Any]:
    """The commands of a new comment, or the ticks of an edit of Instep's; empty for other comments."""
    if comment.before is None:
        lines = command_lines(comment.text, slug)
        return {"lines": lines} if lines else {}
    if not await review_queries.is_own_comment(tx, repository, comment):
        return {}
    boxes = changed_boxes(comment.before, comment.text)
    rows = None if boxes is None else [asdict(box) for box in boxes]
    return {"digest": comment_digest(comment.text), "boxes": rows}


async def review_soon(tx: Tx, repository: Repository, number: int) -> None:
    """Bring the comment and the status of a pull request up to date, if Instep writes any there."""
    if repository.comments or repository.status_mode != "off":
        payload = pull_payload(tx, repository, number)
        await defer(tx, REVIEW_PULL, payload, dedupe=f"{repository.id} {number}")


def pull_payload(tx: Tx, repository: Repository, number: int) -> dict[str, Any]:
    bot_id = str(repository.bot_id)
    return {"workspace": tx.workspace_id, "bot": bot_id, "repository": repository.id, "number": number}


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
