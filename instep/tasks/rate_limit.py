"""Creating a task as every face does: once per idempotency key, and with the hour's limit told beside it."""

from instep.core import limits
from instep.core.errors import RateLimited
from instep.tasks import actions
from instep.tasks.queries import RateWindow
from instep.tasks.schemas import Creation, TaskCreate
from instep.web.call import Call, Window


async def create_counted(call: Call, new: TaskCreate, key: str | None) -> Creation:
    read = await actions.read_task(new)
    async with call.begin() as ctx:
        window = tasks_window(call, await actions.task_hits(ctx))
        try:
            created = await actions.create_task(ctx, read, key)
        except RateLimited:
            window.hits = window.quota
            raise
        # Others may have been counted since; now the count is held until this transaction ends.
        window.hits = (await actions.task_hits(ctx)).hits
        return created


def tasks_window(call: Call, hits: RateWindow) -> Window:
    """Tell the limit of task creation beside that of requests."""
    quota = call.settings.tasks_per_hour
    window = Window("tasks", quota, limits.TASK_WINDOW_SECONDS, hits.hits, hits.seconds_left)
    call.windows.append(window)
    return window
