"""Connecting GitHub in the browser: an app is made from a manifest, and its repositories are chosen."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter, attempt, find_page
from instep.interfaces.dashboard.settings.frame import SECTION, show_settings
from instep.interfaces.dashboard.settings.repository_pages import (
    BELOW,
    form_options,
    sent_fields,
    show_repositories,
)
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError
from instep.platform.identity.access import hold_open
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.web.signed_in import form_of, require_person, see_other
from instep.transfer.repositories import actions, app_actions
from instep.transfer.repositories.app_actions import ReadableRepository, install_url
from instep.transfer.repositories.schemas import CodeHost

router = PageRouter("settings/repositories", Role.OWNER)


@router.post("github", recent_sign_in=True, refused=show_repositories)
async def begin_github_app(page: BotPage) -> Response:
    page_url = f"{settings().base_url}{page.path(BELOW)}"
    url, organization = page.form.get("github_url", ""), page.form.get("organization", "")
    registration = await app_actions.begin_app(page.ctx, page.person, url, organization, page_url)
    return await show_settings(
        page,
        "repositories/github_app",
        registration=registration,
        form_targets=[registration.origin],
    )


@router.route("github", "GET")
@require_person(Role.OWNER)
async def receive_github_app(request: Request, person: Person) -> Response:
    """GitHub leads back here with a code for the new app, which is to be installed next."""
    state, database = request.app.state, request.app.state.database
    refusal, host = None, None
    try:
        host = await app_actions.finish_app(
            database,
            state.outbound,
            person,
            request.query_params.get("state", ""),
            request.query_params.get("code", ""),
        )
    except AppError as error:
        refusal = error
    async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        page = await find_page(request, person, tx, SECTION)
        if host is None:
            return await show_repositories(page, refusal)
        outcome = await attempt(page, app_actions.add_app(page.ctx, host))
        if isinstance(outcome, AppError):
            return await show_repositories(page, outcome)
        return see_other(install_url(host))


@router.route("apps/{host_id}", "GET", "POST")
@require_person(Role.OWNER)
async def choose_app_repositories(request: Request, person: Person) -> Response:
    """The repositories that the app may read. No connection to the database is held while GitHub is asked."""
    database = request.app.state.database
    async with database.enter_workspace(person.workspace_id) as tx:
        page = await find_page(request, person, tx, SECTION)
        if request.method == "POST":
            await hold_open(tx, person.workspace_id)
        host = await actions.get_code_host(page.ctx, request.path_params["host_id"])
    rows, refusal = list[ReadableRepository](), None
    try:
        rows = await app_actions.list_app_repositories(request.app.state.outbound, host)
    except AppError as error:
        refusal = error
    async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        page = await find_page(request, person, tx, SECTION)
        if request.method == "POST" and refusal is None:
            refusal = await add_chosen(page, host, rows)
            if refusal is None:
                return page.leave(BELOW, "Connected: the next pull request becomes a task.")
        return await show_app(page, host, rows, refusal)


async def add_chosen(page: BotPage, host: CodeHost, rows: Sequence[ReadableRepository]) -> AppError | None:
    """Connect the repositories that were ticked; returns the first refusal, after which none is added."""
    form = form_of(page.request)
    chosen_ids = form.all("repositories")
    for row in rows:
        if row.remote.remote_id in chosen_ids:
            remote_repository = actions.FoundRepository(host, row.remote)
            act = actions.add_repository(page.ctx, remote_repository, sent_fields(form), row.installation_id)
            outcome = await attempt(page, act)
            if isinstance(outcome, AppError):
                return outcome
    return None


async def show_app(
    page: BotPage, host: CodeHost, rows: Sequence[ReadableRepository], refusal: AppError | None
) -> Response:
    names = {
        row.remote_id for row in await actions.list_repositories(page.ctx) if row.code_host_id == host.id
    }
    free_rows = [row.remote for row in rows if row.remote.remote_id not in names]
    return await show_settings(
        page,
        "repositories/github_repositories",
        refusal,
        host=host,
        install_url=install_url(host),
        has_rows=bool(rows),
        repository_options=[(row.remote_id, row.name, None) for row in free_rows],
        preselected=[free_rows[0].remote_id] if len(free_rows) == 1 else [],
        **await form_options(page),
    )


@router.post("apps/{host_id}/forget", refused=show_repositories)
async def forget_app(page: BotPage) -> Response:
    host_id = page.param("host_id")
    await actions.forget_code_host(page.ctx, host_id)
    return page.leave(BELOW, "Forgotten: delete the app on GitHub too.")
