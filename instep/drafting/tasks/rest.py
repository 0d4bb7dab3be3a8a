"""Tasks over REST."""

from typing import Annotated

from fastapi import Header
from fastapi.responses import Response

from instep.drafting.tasks import actions
from instep.drafting.tasks.rate_limit import create_rate_limited
from instep.drafting.tasks.schemas import TaskCreate, TaskOut, task_out
from instep.platform.core import limits
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx, WorkspaceCtx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.call import CurrentCall
from instep.platform.web.shapes import ListOut

router = ApiRouter()

IdempotencyKey = Annotated[
    str | None,
    Header(
        description="Makes it safe to repeat the request for 24 hours: 1 to 255 visible characters.",
        # The action enforces this, and names the header in its error.
        json_schema_extra={
            "minLength": 1,
            "maxLength": limits.MAX_IDEMPOTENCY_KEY_CHARACTERS,
            "pattern": "^[!-~]+$",
        },
    ),
]


@router.operation("GET /tasks", actions.list_tasks, ListOut[TaskOut])
async def list_tasks(ctx: Ctx, page: PageRequest) -> Response:
    tasks = await actions.list_tasks(ctx, page)
    return reply_list(tasks, task_out)


@router.operation(
    "POST /tasks", actions.create_task, TaskOut, status=202, body_bytes=limits.MAX_TASK_BODY_BYTES
)
async def create_task(
    call: CurrentCall, body: TaskCreate, idempotency_key: IdempotencyKey = None
) -> Response:
    creation = await create_rate_limited(call, body, idempotency_key)
    headers = {"Location": f"{call.settings.base_url}/v1/tasks/{creation.task.id}"}
    if creation.is_replay:
        headers["Idempotent-Replayed"] = "true"
    return reply(task_out(creation.task), 202, headers)


@router.operation("GET /tasks/{id}", actions.get_task, TaskOut, needs_bot=False)
async def get_task(ctx: WorkspaceCtx, id: str) -> Response:
    return reply(task_out(await actions.get_task(ctx, id)))
