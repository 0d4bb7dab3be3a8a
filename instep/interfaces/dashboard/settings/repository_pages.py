"""Repositories: connecting a code host, which pull requests are sent, and the result of each."""

from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response

from instep.accounts.people.actions import list_users
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter, attempt, find_page
from instep.interfaces.dashboard.running.drift_pages import values_of_checks
from instep.interfaces.dashboard.settings.frame import SECTION, show_secret_next, show_settings
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.access import hold_open
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.web.forms import Form
from instep.platform.web.signed_in import form_of, require_person, require_recent_sign_in
from instep.transfer.git_sync.branch_edits import list_synced_folders
from instep.transfer.repositories import actions, host_people
from instep.transfer.repositories.app_actions import app_url
from instep.transfer.repositories.schemas import Moment, RepositoryFields, StatusMode

BELOW = "settings/repositories"
MOMENTS: dict[Moment, tuple[str, str]] = {
    "merged": ("When it is merged", "The drafts say what the product does from then on."),
    "approved": ("After the first approval", "The drafts are ready when the change ships."),
    "opened": ("As soon as it is opened", "Each push to it updates the drafts."),
}
STATUS_MODES: dict[StatusMode, tuple[str, str]] = {
    "neutral": ("A status that blocks nothing", "It says how many drafts are open."),
    "required": ("A status that fails", "It fails until every draft and place is decided."),
    "off": ("None", "Pull requests get no status."),
}
COMMENT_OPTION = [
    (
        "yes",
        "Write a comment",
        "It shows the drafts, and people decide by boxes and commands such as /instep apply 1. Not at"
        " Bitbucket Cloud.",
    )
]
BOT_OPTION = [("yes", "Also pull requests that bots open", "For example, updates to dependencies.")]
LIVE_ALONE = ("", "Go live in Instep", "When the pull request is merged. The next sync writes the files.")
router = PageRouter("settings/repositories", Role.OWNER)


@router.get()
async def show_repositories(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await actions.list_repositories(page.ctx)
    return await show_settings(
        page,
        "repositories",
        refusal,
        repositories=rows,
        changes=await actions.list_changes(page.ctx, [row.id for row in rows]),
        names={row.id: row.name for row in rows},
        hosts=actions.host_names(),
        apps=[host for host in await actions.list_code_hosts(page.ctx) if host.app_slug],
        **await form_options(page),
    )


async def form_options(page: BotPage) -> dict[str, Mapping[str, Sequence[object]]]:
    """The choices of the forms."""
    folders = await list_synced_folders(page.ctx)
    return {
        "options": {
            "moments": [(moment, *words) for moment, words in MOMENTS.items()],
            "bots": BOT_OPTION,
            "comments": COMMENT_OPTION,
            "status_modes": [(mode, *words) for mode, words in STATUS_MODES.items()],
            "docs_folders": [LIVE_ALONE, *map(docs_option, folders)] if folders else [],
        }
    }


def docs_option(folder: str) -> tuple[str, str, str]:
    words = (
        "Choose it if this repository contains the folder. The token or app must be allowed to write code."
        " Not at Bitbucket Cloud."
    )
    return folder, f"Are also committed to the pull request's branch, in {folder}", words


@router.route("", "POST")
@require_person(Role.OWNER)
async def connect_with_token(request: Request, person: Person) -> Response:
    """Ask the code host first. No connection to the database is held meanwhile."""
    require_recent_sign_in(request)
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        await hold_open(tx, person.workspace_id)
    form = form_of(request)
    new = actions.NewHost(form.get("host", ""), form.get("url", ""), form.get("token", "").strip())
    refusal, repository = None, None
    try:
        repository = await actions.find_with_token(
            person.workspace_id, request.app.state.outbound, new, form.get("repository", "").strip()
        )
    except AppError as error:
        refusal = error
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        page = await find_page(request, person, tx, SECTION)
        if repository is None:
            return await show_repositories(page, refusal)
        outcome = await attempt(page, actions.add_repository(page.ctx, repository, sent_fields(form)))
        if isinstance(outcome, AppError):
            return await show_repositories(page, outcome)
        if outcome.secret is None:
            return page.leave(f"{BELOW}/{outcome.id}", "Connected: the webhook of the repository serves it.")
        return show_secret_next(page, "repositories", outcome.secret, f"/{outcome.id}")


def sent_fields(form: Form) -> RepositoryFields:
    lines = (line.strip().strip("/") for line in form.get("paths", "").splitlines())
    chosen_moments = [moment for moment in MOMENTS if moment == form.get("moment")]
    chosen_modes = [mode for mode in STATUS_MODES if mode == form.get("status_mode")]
    return RepositoryFields(
        branch=form.get("branch", "").strip() or None,
        moment=chosen_moments[0] if chosen_moments else "merged",
        paths=[line for line in lines if line],
        includes_bots="yes" in form.all("includes_bots"),
        comments="yes" in form.all("comments"),
        status_mode=chosen_modes[0] if chosen_modes else "neutral",
        docs_folder=form.get("docs_folder", "") or None,
    )


@router.get("{repository_id}")
async def show_repository(page: BotPage, refusal: AppError | None = None) -> Response:
    row = await actions.get_repository(page.ctx, page.param("repository_id"))
    host = await actions.get_code_host(page.ctx, row.code_host_id)
    return await show_settings(
        page,
        "repositories/repository",
        refusal,
        readings=limits.DRIFT_READINGS,
        repository=row,
        host=host,
        host_name=actions.host_names()[host.kind],
        hook_url=actions.hook_url(host),
        events=actions.hook_events(host),
        app_url=app_url(host),
        changes=await actions.list_changes(page.ctx, [row.id]),
        host_members=await host_people.list_host_members(page.ctx, host.id),
        members=[(user.id, user.email) for user in await list_users(page.ctx.tx, page.ctx.workspace_id)],
        secret_label="Secret of the webhook",
        **await values_of_checks(page.ctx, row.id),
        **await form_options(page),
    )


@router.post("{repository_id}", refused=show_repository)
async def save_repository(page: BotPage) -> Response:
    repository_id = page.param("repository_id")
    await actions.change_repository(page.ctx, repository_id, sent_fields(page.form))
    return page.leave(f"{BELOW}/{repository_id}", "Saved: it holds for pull requests from now on.")


@router.post("{repository_id}/token", recent_sign_in=True, refused=show_repository)
async def save_token(page: BotPage) -> Response:
    row = await actions.get_repository(page.ctx, page.param("repository_id"))
    token = page.form.get("token", "").strip()
    await actions.change_token(page.ctx, row.code_host_id, token)
    return page.leave(f"{BELOW}/{row.id}", "Saved: the next poll uses the new token.")


@router.post("{repository_id}/people", recent_sign_in=True, refused=show_repository)
async def name_member(page: BotPage) -> Response:
    repository_id, login = page.param("repository_id"), page.form.get("login", "")
    member_id = page.form.get("member", "")
    await host_people.name_host_member(page.ctx, repository_id, login, member_id)
    return page.leave(f"{BELOW}/{repository_id}", "Saved: it holds for decisions from now on.")


@router.post("{repository_id}/people/remove", recent_sign_in=True)
async def forget_member(page: BotPage) -> Response:
    repository_id = page.param("repository_id")
    await host_people.forget_host_member(page.ctx, repository_id, page.form.get("login", ""))
    return page.leave(f"{BELOW}/{repository_id}", "Removed.")


@router.post("{repository_id}/send", refused=show_repository)
async def send_again(page: BotPage) -> Response:
    repository_id, change_id = page.param("repository_id"), page.form.get("id", "")
    await actions.retry_change(page.ctx, repository_id, change_id)
    return page.leave(f"{BELOW}/{repository_id}", "It is sent again: reload to see the result.")


@router.post("{repository_id}/remove", refused=show_repositories)
async def remove_repository(page: BotPage) -> Response:
    repository_id = page.param("repository_id")
    await actions.remove_repository(page.ctx, repository_id)
    return page.leave(BELOW, "Removed: its pull requests make no more tasks. Delete the webhook there too.")
