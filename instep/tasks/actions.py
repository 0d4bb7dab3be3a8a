"""What can be done with tasks: create one (once per idempotency key), read, list."""

import hashlib
import re
from collections.abc import Sequence

from pydantic import MISSING

from instep.collections.actions import referenced_id
from instep.core import limits
from instep.core.config import settings
from instep.core.errors import AppError, InvalidRequest, InvalidValue, NotFound, RateLimited
from instep.core.ids import new_id
from instep.core.jobs import defer
from instep.core.paging import Page, PageRequest
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.identity.access import writes
from instep.identity.schemas import Bot, Ctx, WorkspaceCtx
from instep.tasks import queries
from instep.tasks.queries import RateWindow
from instep.tasks.schemas import Creation, ReadTask, Task, TaskCreate
from instep.writer import InvalidDiff, parse_diff

RUN_TASK = "run_task"
VISIBLE = re.compile(rf"[\x21-\x7e]{{1,{limits.MAX_IDEMPOTENCY_KEY_CHARACTERS}}}")


class IdempotencyMismatch(AppError):
    """This `Idempotency-Key` belongs to another request: send a new key with a new body."""

    code = "idempotency_mismatch"


async def list_tasks(ctx: Ctx, page: PageRequest) -> Page[Task]:
    """List the recent tasks, newest first."""
    return await queries.list_page(ctx, page)


async def get_task(ctx: WorkspaceCtx, task_id: str) -> Task:
    """Get a task: poll it until its status is `completed` or `failed`.

    A key that covers several bots need not name the task's.
    """
    return await find_task(ctx, ctx.bots, task_id)


async def task_hits(ctx: Ctx) -> RateWindow:
    """How many of the hour's tasks the caller has created."""
    return await queries.peek_creations(ctx)


async def read_task(new: TaskCreate) -> ReadTask:
    """Refuse what can't be worked on. It may take seconds, so it is done before a transaction begins."""
    refuse_other_than_one(new)
    if new.change is not MISSING and new.change.diff is not MISSING:
        await refuse_unreadable(new.change.diff)
    return ReadTask(new, hashlib.sha256(new.model_dump_json().encode()).digest())


@writes
async def create_task(ctx: Ctx, read: ReadTask, key: str | None = None) -> Creation:
    """Document a code change (`change`), or write a new article (`article`): send exactly one of them.

    For a change the articles that it makes wrong get edits, a new article becomes a draft of its own. Nothing
    goes live: the task ends in drafts for review. A repeated request with the same `Idempotency-Key` gets the
    same task and runs nothing twice.
    """
    task_id = new_id("task")
    if key is not None and (earlier := await claim_key(ctx, key, read, task_id)):
        return Creation(await find_task(ctx, [ctx.bot], earlier), is_replay=True)
    await count_creation(ctx)
    if read.new.change is not MISSING:
        await queries.insert_change(ctx, task_id, read.new.change)
    if read.new.article is not MISSING:
        article = read.new.article
        collection_id = await referenced_id(ctx, article.collection_id, "article.collectionId")
        await queries.insert_article(ctx, task_id, article, collection_id)
    payload = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "task": task_id}
    await defer(ctx.tx.connection, RUN_TASK, payload)
    return Creation(await find_task(ctx, [ctx.bot], task_id), is_replay=False)


async def find_task(ctx: Ctx | WorkspaceCtx, bots: Sequence[Bot], task_id: str) -> Task:
    task = await queries.find(ctx.tx, [bot.id for bot in bots], task_id)
    if task is None:
        raise NotFound("There is no such task.")
    return task


def refuse_other_than_one(new: TaskCreate) -> None:
    if len(new.model_fields_set) != 1:
        message = "send exactly one of `change` and `article`"
        raise InvalidRequest(
            "Send exactly one of `change`, a code change to document, and `article`, a new article to write.",
            details=[("change", message), ("article", message)],
        )


async def refuse_unreadable(diff: str) -> None:
    try:
        if is_read_at_once(diff):
            parse_diff(diff)
        else:
            await run_with_timeout(check_diff, diff, seconds=limits.MAX_DIFF_PARSE_SECONDS)
    except InvalidDiff as error:
        refusal = error.message
    except TimeLimitExceeded:
        refusal = "This diff takes too long or too much memory to read: send the part that users notice."
    else:
        return
    raise InvalidRequest(refusal, details=[("change.diff", refusal)])


def is_read_at_once(diff: str) -> bool:
    """A short diff, with lines that people write, is read in no time."""
    if len(diff) > limits.MAX_INLINE_CHARACTERS:
        return False
    return max(map(len, diff.split("\n"))) <= limits.INLINE_LINE_CHARACTERS


def check_diff(diff: str) -> None:
    """Raises what `parse_diff` raises, without sending what it read back from another process."""
    parse_diff(diff)


async def claim_key(ctx: Ctx, key: str, read: ReadTask, task_id: str) -> str | None:
    """The task that the key has made already, if any."""
    if not VISIBLE.fullmatch(key):
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


async def count_creation(ctx: Ctx) -> None:
    """Counted in the task's own transaction, so that a refused request does not count."""
    quota = settings().tasks_per_hour
    creator = "Your account" if ctx.actor.type == "person" else "This API key"
    refuse_over(quota, await queries.count_creation(ctx), creator)
    # Whoever may make keys must not get around the limit with them.
    workspace_quota = quota * limits.MAX_TASK_QUOTAS_PER_WORKSPACE
    refuse_over(workspace_quota, await queries.count_creation_in_workspace(ctx), "This workspace")


def refuse_over(quota: int, counted: RateWindow, creator: str) -> None:
    if counted.hits > quota:
        raise RateLimited(
            f"{creator} has used up its {quota} tasks of this hour: wait as long as `Retry-After` says,"
            " or ask whoever runs this server to raise `INSTEP_TASKS_PER_HOUR`.",
            headers={"Retry-After": str(counted.seconds_left)},
        )
