"""Operations on tasks: create one (once per idempotency key), read, list."""

import hashlib
import re
from collections.abc import Sequence

from pydantic import MISSING

from instep.accounts.people.actions import find_member_id
from instep.content.collections.actions import referenced_id
from instep.content.product_versions.actions import list_all_versions
from instep.content.product_versions.schemas import version_of_branch
from instep.drafting.tasks import queries
from instep.drafting.tasks.schemas import (
    ChangeFields,
    Creation,
    ReadTask,
    SentChange,
    Task,
    TaskFields,
    TaskStatus,
    TaskSummary,
)
from instep.drafting.writer import InvalidDiff, parse_diff
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError, InvalidRequest, InvalidValue, NotFound, RateLimited
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.platform.core.paging import Page, PageRequest
from instep.platform.core.rate_window import RateWindow
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.access import proposes
from instep.platform.identity.schemas import Bot, Ctx, WorkspaceCtx

RUN_TASK = "run_task"
IDEMPOTENCY_KEY = re.compile(rf"[\x21-\x7e]{{1,{limits.MAX_IDEMPOTENCY_KEY_CHARACTERS}}}")


class IdempotencyMismatch(AppError):
    """This `Idempotency-Key` belongs to another request: send a new key with a new body."""

    code = "idempotency_mismatch"


async def list_tasks(ctx: Ctx, page: PageRequest) -> Page[Task]:
    """List the recent tasks, newest first."""
    return await queries.list_page(ctx, page)


async def list_task_summaries(
    ctx: Ctx, statuses: Sequence[TaskStatus], page: PageRequest
) -> Page[TaskSummary]:
    """List the tasks with these statuses, newest first, without their results."""
    return await queries.list_summaries(ctx, statuses, page)


async def get_sent_change(ctx: Ctx, task_id: str) -> SentChange:
    """Get the input of a task; of a long diff only the beginning."""
    sent_change = await queries.find_sent_change(ctx, task_id, limits.MAX_SHOWN_DIFF_CHARACTERS)
    if sent_change is None:
        raise NotFound.of("task")
    return sent_change


async def get_draft_statuses(ctx: Ctx, task_id: str) -> dict[str, str]:
    """Get the status of each draft of a task, by the draft's id."""
    return await queries.draft_statuses(ctx, task_id)


async def get_task(ctx: WorkspaceCtx, task_id: str) -> Task:
    """Get a task: poll it until its status is `completed` or `failed`.

    A key that covers several bots need not name the task's bot.
    """
    return await find_task(ctx, ctx.bots, task_id)


async def task_window(ctx: Ctx) -> RateWindow:
    """The caller's window for creating tasks, with the number used in this hour."""
    return await queries.peek_creations(ctx)


async def read_task(new: TaskFields) -> ReadTask:
    """Refuse a request that can't be processed. That may take seconds: call it outside a transaction."""
    _refuse_other_than_one(new)
    if new.change is not MISSING and new.change.diff is not MISSING:
        await _refuse_unreadable(new.change.diff)
    return ReadTask(new, hashlib.sha256(new.model_dump_json().encode()).digest())


@proposes
async def create_task(ctx: Ctx, read: ReadTask, key: str | None = None) -> Creation:
    """Document a code change (`change`), or write a new article (`article`): send exactly one of them.

    For a change, the articles that it makes wrong get edits; a new article becomes a draft of its own. The
    task changes nothing live: it creates drafts for review. A repeated request with the same
    `Idempotency-Key` gets the same task and does not run anything twice.
    """
    task_id = new_id("task")
    if key is not None and (earlier := await _claim_key(ctx, key, read, task_id)):
        return Creation(await find_task(ctx, [ctx.bot], earlier), is_replay=True)
    await _count_creation(ctx)
    if read.new.change is not MISSING:
        change = read.new.change
        author_id, version_id = await _author_id(ctx, change), await _version_id(ctx, change)
        await queries.insert_change(ctx, task_id, change, author_id, version_id)
    if read.new.article is not MISSING:
        article = read.new.article
        collection_id = await referenced_id(ctx, article.collection_id, "article.collectionId")
        await queries.insert_article(ctx, task_id, article, collection_id)
    await run_soon(ctx, task_id)
    return Creation(await find_task(ctx, [ctx.bot], task_id), is_replay=False)


async def _author_id(ctx: Ctx, change: ChangeFields) -> str | None:
    """The member whose address the change names as its author's.

    The address is not verified, so it only decides who is asked for a review.
    """
    email = change.model_dump().get("author")
    return await find_member_id(ctx.tx, ctx.workspace_id, email) if email else None


async def _version_id(ctx: Ctx, change: ChangeFields) -> str | None:
    """The version of the product whose patterns describe the change's branch, if any."""
    branch = change.model_dump().get("branch")
    if branch is None:
        return None
    version = version_of_branch(await list_all_versions(ctx), branch)
    return None if version is None else version.id


async def run_soon(ctx: Ctx, task_id: str) -> None:
    """Have a worker run a task as soon as possible, by making its waiting job due."""
    payload = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "task": task_id}
    await defer(ctx.tx, RUN_TASK, payload, dedupe=task_id)


async def find_task(ctx: Ctx | WorkspaceCtx, bots: Sequence[Bot], task_id: str) -> Task:
    task = await queries.find(ctx.tx, [bot.id for bot in bots], task_id)
    if task is None:
        raise NotFound.of("task")
    return task


def _refuse_other_than_one(new: TaskFields) -> None:
    if len(new.model_fields_set) != 1:
        message = "send exactly one of `change` and `article`"
        raise InvalidRequest(
            "Send exactly one of `change`, a code change to document, and `article`, a new article to write.",
            details=[("change", message), ("article", message)],
        )


async def _refuse_unreadable(diff: str) -> None:
    try:
        if _is_short(diff):
            parse_diff(diff)
        else:
            await run_with_timeout(_check_diff, diff, seconds=limits.MAX_DIFF_PARSE_SECONDS)
    except InvalidDiff as error:
        refusal = error.message
    except TimeLimitExceeded:
        refusal = "This diff takes too much time or memory to read: send only the part that affects users."
    else:
        return
    raise InvalidRequest(refusal, details=[("change.diff", refusal)])


def _is_short(diff: str) -> bool:
    """True if a diff is cheap enough to read in this process, by its length and its longest line."""
    if len(diff) > limits.MAX_INLINE_CHARACTERS:
        return False
    return max(map(len, diff.split("\n"))) <= limits.INLINE_LINE_CHARACTERS


def _check_diff(diff: str) -> None:
    """Raise the errors of `parse_diff`, without sending its result back from the other process."""
    parse_diff(diff)


async def _claim_key(ctx: Ctx, key: str, read: ReadTask, task_id: str) -> str | None:
    """The id of the task that an earlier request with this key created, if any."""
    if not IDEMPOTENCY_KEY.fullmatch(key):
        raise InvalidValue(
            "Idempotency-Key", f"it must be 1 to {limits.MAX_IDEMPOTENCY_KEY_CHARACTERS} visible characters"
        )
    request_hash = hashlib.sha256(ctx.bot.id.bytes + read.digest).digest()
    earlier = await queries.claim_key(ctx, key, request_hash, task_id)
    if earlier is None:
        return None
    if earlier.request_hash != request_hash:
        raise IdempotencyMismatch
    return earlier.task_id


async def _count_creation(ctx: Ctx) -> None:
    """Count within the task's transaction, so that a refused request does not count."""
    quota = settings().tasks_per_hour
    creator = "Your account" if ctx.actor.type == "person" else "This API key"
    _refuse_over(quota, await queries.count_creation(ctx), creator)
    # A caller who may create keys must not use them to get around the limit.
    workspace_quota = quota * limits.MAX_TASK_QUOTAS_PER_WORKSPACE
    _refuse_over(workspace_quota, await queries.count_creation_in_workspace(ctx), "This workspace")


def _refuse_over(quota: int, window: RateWindow, creator: str) -> None:
    if window.hits > quota:
        raise RateLimited(
            f"{creator} has used up its {quota} tasks of this hour: wait as long as `Retry-After` says,"
            " or ask the operator of this server to raise `INSTEP_TASKS_PER_HOUR`.",
            headers={"Retry-After": str(window.seconds_left)},
        )
