"""What can be done with tasks: create one (once per idempotency key), read, list."""

import hashlib
import re

from instep.core import limits
from instep.core.bounded import TooExpensive, run_bounded
from instep.core.config import settings
from instep.core.errors import AppError, InvalidRequest, NotFound, RateLimited
from instep.core.ids import new_id
from instep.core.jobs import defer
from instep.core.paging import Listed, PageRequest
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.tasks import queries
from instep.tasks.queries import Hits
from instep.tasks.schemas import Creation, Task, TaskCreate
from instep.writer import read_diff

RUN_TASK = "run_task"
VISIBLE = re.compile(rf"[\x21-\x7e]{{1,{limits.IDEMPOTENCY_KEY}}}")


class IdempotencyMismatch(AppError):
    """This `Idempotency-Key` belongs to another request: send a new key with a new body."""

    code = "idempotency_mismatch"


async def list_tasks(ctx: Ctx, page: PageRequest) -> Listed[Task]:
    """List the recent tasks, newest first."""
    return await queries.list_page(ctx, page)


async def get_task(ctx: Ctx, task_id: str) -> Task:
    """Get a task: poll it until its status is `completed` or `failed`."""
    task = await queries.find(ctx, task_id)
    if task is None:
        raise NotFound("There is no such task.")
    return task


async def task_hits(ctx: Ctx) -> Hits:
    """How many of the hour's tasks the workspace has created."""
    return await queries.peek_creations(ctx)


@writes
async def create_task(ctx: Ctx, new: TaskCreate, key: str | None = None) -> Creation:
    """Document a code change: find the articles that it makes wrong and propose the edits.

    A repeated request with the same `Idempotency-Key` gets the same task and runs nothing twice.
    """
    await refuse_unreadable(new.change.diff)
    task_id = new_id("task")
    if key is not None and (earlier := await claim_key(ctx, key, new, task_id)):
        return Creation(await get_task(ctx, earlier), is_replay=True)
    await count_creation(ctx)
    await queries.insert(ctx, task_id, new.change)
    payload = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "task": task_id}
    await defer(ctx.tx.connection, RUN_TASK, payload)
    return Creation(await get_task(ctx, task_id), is_replay=False)


async def refuse_unreadable(diff: str | None) -> None:
    if diff is None:
        return
    if len(diff) <= limits.INLINE_CHARACTERS:
        read_diff(diff)
        return
    try:
        await run_bounded(check_diff, diff, seconds=limits.READ_DIFF_SECONDS)
    except TooExpensive:
        raise InvalidRequest("This diff takes too long to read: send the part that users notice.") from None


def check_diff(diff: str) -> None:
    """Raises what `read_diff` raises, without sending what it read back from another process."""
    read_diff(diff)


async def claim_key(ctx: Ctx, key: str, new: TaskCreate, task_id: str) -> str | None:
    """The task that the key has made already, if any."""
    if not VISIBLE.fullmatch(key):
        message = f"it must be 1 to {limits.IDEMPOTENCY_KEY} visible characters"
        raise InvalidRequest(f"`Idempotency-Key`: {message}.", details=[("Idempotency-Key", message)])
    request_hash = hashlib.sha256(f"{ctx.bot.id}\n{new.model_dump_json()}".encode()).digest()
    earlier = await queries.claim_key(ctx, key, request_hash, task_id)
    if earlier is None:
        return None
    if earlier.request_hash != request_hash:
        raise IdempotencyMismatch
    return earlier.task_id


async def count_creation(ctx: Ctx) -> None:
    """Counted in the task's own transaction, so that a refused request does not count."""
    counted = await queries.count_creation(ctx)
    if counted.hits > settings().tasks_per_hour:
        raise RateLimited(
            "This workspace has used up its tasks of this hour: wait as long as `Retry-After` says.",
            headers={"Retry-After": str(counted.seconds_left)},
        )
