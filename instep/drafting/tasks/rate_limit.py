"""Creates a task over REST or MCP, with the hourly limit in the RateLimit headers."""

from instep.drafting.tasks import actions
from instep.drafting.tasks.schemas import Creation, TaskFields
from instep.platform.core import limits
from instep.platform.core.errors import RateLimited
from instep.platform.core.rate_window import RateWindow
from instep.platform.web.call import Call, Window


async def create_rate_limited(call: Call, new: TaskFields, key: str | None) -> Creation:
    read = await actions.read_task(new)
    async with call.begin() as ctx:
        window = add_window(call, await actions.task_window(ctx))
        try:
            creation = await actions.create_task(ctx, read, key)
        except RateLimited:
            window.hits = window.quota
            raise
        # Other requests may have been counted since; this transaction now holds the count.
        window.hits = (await actions.task_window(ctx)).hits
        return creation


def add_window(call: Call, rate_window: RateWindow) -> Window:
    """Add the limit for creating tasks to the response, next to that for requests."""
    quota = call.settings.tasks_per_hour
    window = Window("tasks", quota, limits.TASK_WINDOW_SECONDS, rate_window.hits, rate_window.seconds_left)
    call.windows.append(window)
    return window
