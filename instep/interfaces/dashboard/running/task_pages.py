"""Tasks: their input, their progress, and their results."""

import secrets
from functools import partial

from pydantic import ValidationError
from starlette.responses import Response

from instep.content.collections.actions import list_collections
from instep.drafting.places.actions import list_task_places
from instep.drafting.tasks import actions
from instep.drafting.tasks.schemas import Task, TaskCreate, TaskStatus
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.field_errors import errors_by_field
from instep.interfaces.dashboard.running.listing import chosen, filter_tabs, links_between
from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest, NotFound, PlanInactive, RateLimited
from instep.platform.core.restarts import between_attempts
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import first_fault
from instep.platform.web.forms import Form

FILTERS = {"all": "All", "running": "Running", "completed": "Completed", "failed": "Failed"}
STATUSES: dict[str, list[TaskStatus]] = {
    "all": ["queued", "running", "completed", "failed"],
    "running": ["queued", "running"],
    "completed": ["completed"],
    "failed": ["failed"],
}
UNENDED = STATUSES["running"]
# The fields of each form, by the type of its task, and the field of the request that they go into.
FIELDS = {
    "change": {"kind": "Kind", "title": "Title", "url": "Address", "diff": "Diff", "body": "Description"},
    "article": {"title": "Title", "instructions": "Instructions", "collectionId": "Collection"},
}
# Errors that a person can correct in the form or retry: the text stays.
REFUSALS = (InvalidRequest, RateLimited, PlanInactive)
NONCE_BYTES = 12
router = PageRouter("tasks")


@router.get()
async def show_tasks(page: BotPage) -> Response:
    status = chosen(page, "status", FILTERS)
    rows = await actions.list_task_summaries(
        page.ctx, STATUSES[status], page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE)
    )
    return await page.show(
        "running/tasks.html",
        tasks=rows.rows,
        filter=status,
        tabs_shown=filter_tabs(page, "tasks", FILTERS, status),
        links=links_between(page, "tasks", rows.next_cursor, status=page.query.get("status")),
    )


@router.get("{task_id}")
async def show_task(page: BotPage) -> Response:
    task = await task_of(page)
    statuses = await actions.get_draft_statuses(page.ctx, task.id)
    places = await list_task_places(page.ctx, task.id)
    # A concerned article whose place is suppressed got nothing, like one without an edit.
    with_places = {place.article_id for place in places}
    unedited = [
        verdict
        for verdict in task.reviewed
        if verdict["verdict"] != "edit" and verdict["article_id"] not in with_places
    ]
    return await page.show(
        "running/task.html",
        task=task,
        title=title_of(task),
        is_unended=task.status in UNENDED,
        sent=await actions.get_sent_change(page.ctx, task.id),
        statuses=statuses,
        pending=[draft for draft in task.drafts if statuses.get(draft["id"]) == "pending"],
        reasons={row["article_id"]: row["reason"] for row in task.reviewed if row["verdict"] == "edit"},
        places=places,
        open_places=[place for place in places if place.status == "open"],
        unedited=unedited,
    )


@router.get("{task_id}/progress")
async def show_task_progress(page: BotPage) -> Response:
    """The current stage of a task, for a page that waits for its end; then the page is reloaded."""
    task = await task_of(page)
    response = page.show_part("running/task_progress.html", task=task)
    if task.status not in UNENDED:
        response.headers["HX-Refresh"] = "true"
    return response


@router.get("new", Role.EDITOR)
async def show_task_form(page: BotPage) -> Response:
    return await render_form(page, chosen(page, "about", FIELDS), Form())


@router.post(role=Role.EDITOR, form_bytes=limits.MAX_TASK_FORM_BYTES)
async def send_task(page: BotPage) -> Response:
    about = page.form.get("about", "")
    if about not in FIELDS:
        raise NotFound
    try:
        new = request_of(page.form, about)
        # The diff is parsed once, with no connection held, however often the transaction is repeated.
        arguments = (new.model_dump_json(),)
        read = await between_attempts(actions.read_task, arguments, partial(actions.read_task, new))
        key = f"{page.form.get('nonce', '')[:100]}-{read.digest.hex()}" if page.form.get("nonce") else None
        # A refused request does not count.
        async with page.ctx.tx.transaction():
            creation = await actions.create_task(page.ctx, read, key)
    except REFUSALS as refusal:
        return await render_form(page, about, page.form, refusal)
    return page.leave(f"tasks/{creation.id}")


async def render_form(page: BotPage, about: str, values: Form, refusal: AppError | None = None) -> Response:
    faults = errors_by_field(refusal) if refusal else {}
    return await page.show(
        "running/task_form.html",
        refusal.status if refusal else 200,
        about=about,
        values=values,
        refusal=refusal,
        faults={field.partition(".")[2]: sentence for field, sentence in faults.items()},
        collections=await collection_choices(page) if about == "article" else [],
        nonce=values.get("nonce") or secrets.token_urlsafe(NONCE_BYTES),
    )


def request_of(form: Form, about: str) -> TaskCreate:
    """The request of a form, without empty fields."""
    fields = {name: text_of(form[name]) for name in FIELDS[about] if form.get(name, "").strip()}
    try:
        return TaskCreate.model_validate({about: fields})
    except ValidationError as error:
        field, message = first_fault(error)
        label = FIELDS[about].get(field.partition(".")[2], field)
        raise InvalidRequest(f"{label}: {message}.", details=[(field, message)]) from None


def text_of(value: str) -> str:
    """The typed text: browsers send line endings as CR LF (HTML, section 4.10.21.4)."""
    return value.replace("\r\n", "\n")


async def collection_choices(page: BotPage) -> list[tuple[str, str]]:
    """The collections for a new article, in the order of the help center."""
    rows = (await list_collections(page.ctx, page.first_rows(limits.MAX_PAGE_SIZE))).rows
    return [("", "No collection"), *((row.id, row.title) for row in rows)]


async def task_of(page: BotPage) -> Task:
    return await actions.find_task(page.ctx, [page.bot], page.param("task_id"))


def title_of(task: Task) -> str:
    return task.change_title or (task.article or {}).get("title") or task.id
