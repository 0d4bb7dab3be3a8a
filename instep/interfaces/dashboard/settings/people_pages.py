"""People: who may sign in and in which role, and invitations by link."""

from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people import actions, invitations
from instep.accounts.people.schemas import NewInvitation, User
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, show_secret_next, show_settings
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.email.outgoing import can_send_email
from instep.platform.email.undelivered import list_undelivered
from instep.platform.identity.scopes import Role
from instep.platform.web.recent_sign_in import require_recent_sign_in

PATH = "/app/{bot_slug}/settings/people"
ROLES = (
    (Role.OWNER, "Owner", "Can change everything, including people and keys."),
    (Role.EDITOR, "Editor", "Can write, review and publish."),
    (Role.VIEWER, "Viewer", "Reads."),
)


@bot_page("settings", Role.OWNER)
async def show_people(page: BotPage) -> Response:
    # Ask before the form, so that it need not be filled in twice.
    require_recent_sign_in(page.request)
    return await people(page)


async def people(page: BotPage, refusal: AppError | None = None) -> Response:
    tx, workspace_id = page.ctx.tx, page.ctx.workspace_id
    users = await actions.list_users(tx, workspace_id)
    waiting = await invitations.list_invitations(tx, workspace_id)
    addresses = [*(user.email for user in users), *(row.email for row in waiting)]
    return await show_settings(
        page,
        "people",
        "people.html",
        refusal,
        users=users,
        invitations=waiting,
        undelivered={row.address: row.reason for row in await list_undelivered(tx, workspace_id, addresses)},
        roles=ROLES,
        sends_email=can_send_email(),
    )


@bot_page("settings", Role.OWNER)
async def invite_person(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    ctx, email = page.ctx, page.form.get("email", "")

    async def invite() -> NewInvitation:
        return await invitations.invite(ctx.tx, ctx.workspace_id, email, role_of(page), ctx.actor)

    outcome = await attempt(page, invite())
    if isinstance(outcome, AppError):
        return await people(page, outcome)
    base_url = page.request.app.state.settings.base_url
    notice = f"Sent to {outcome.invitation.email}." if outcome.is_emailed else None
    return show_secret_next(page, "people", base_url + outcome.path, notice=notice)


@bot_page("settings", Role.OWNER, open_while_paused=True)
async def revoke_invitation_here(page: BotPage) -> Response:
    ctx, invitation_id = page.ctx, page.form.get("id", "")
    await invitations.revoke_invitation(ctx.tx, ctx.workspace_id, invitation_id, ctx.actor)
    return page.leave("settings/people", "Revoked: the link no longer works.")


@bot_page("settings", Role.OWNER)
async def change_role_here(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    ctx, email = page.ctx, page.form.get("email", "")

    async def change() -> User:
        return await actions.change_role(ctx.tx, ctx.workspace_id, email, role_of(page), ctx.actor)

    outcome = await attempt(page, change())
    if isinstance(outcome, AppError):
        return await people(page, outcome)
    return page.leave("settings/people", f"{outcome.email} is {outcome.role} now.")


@bot_page("settings", Role.OWNER, open_while_paused=True)
async def disable_person(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    ctx, email = page.ctx, page.form.get("email", "")
    outcome = await attempt(page, actions.disable_user(ctx.tx, ctx.workspace_id, email, ctx.actor))
    if isinstance(outcome, AppError):
        return await people(page, outcome)
    return page.leave("settings/people", f"{outcome.email} is signed out and has no access.")


@bot_page("settings", Role.OWNER)
async def enable_person(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    ctx, email = page.ctx, page.form.get("email", "")
    user = await actions.enable_user(ctx.tx, ctx.workspace_id, email, ctx.actor)
    return page.leave("settings/people", f"{user.email} can sign in again.")


def role_of(page: BotPage) -> Role:
    try:
        return Role(page.form.get("role", ""))
    except ValueError:
        raise InvalidRequest("Choose a role.") from None


routes = [
    Route(PATH, show_people, methods=["GET"]),
    Route(PATH, invite_person, methods=["POST"]),
    Route(f"{PATH}/revoke", revoke_invitation_here, methods=["POST"]),
    Route(f"{PATH}/role", change_role_here, methods=["POST"]),
    Route(f"{PATH}/disable", disable_person, methods=["POST"]),
    Route(f"{PATH}/enable", enable_person, methods=["POST"]),
]
