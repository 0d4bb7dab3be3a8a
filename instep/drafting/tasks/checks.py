"""The record of a drift check: a task that has ended, which its drafts and places belong to."""

from instep.drafting.tasks import queries
from instep.drafting.tasks.schemas import Outcome
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Ctx


async def start_check(ctx: Ctx, title: str) -> str:
    """Create the task that the drafts of a check belong to; `end_check` ends it in the same transaction."""
    task_id = new_id("task")
    change = {"type": "document_change", "change_kind": "drift", "change_title": title}
    await queries.insert(ctx, task_id, change)
    return task_id


async def end_check(ctx: Ctx, task_id: str, outcome: Outcome, summary: str) -> None:
    await queries.complete(ctx, task_id, outcome, summary, [], 0)
