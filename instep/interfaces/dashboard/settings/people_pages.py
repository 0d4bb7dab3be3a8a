"""People: who may sign in and in which role, and invitations by link."""

from starlette.responses import Response

from instep.accounts.people import actions, invitations
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_secret_next, show_settings
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.email.outgoing import can_send_email
from instep.platform.email.undelivered import list_undelivered
from instep.platform.identity.scopes import Role

ROLES = (
    (Role.OWNER, "Owner", "Can change everything, including people and keys."),
    (Role.EDITOR, "Editor", "Can write, review and publish."),
    (Role.VIEWER, "Viewer", "Can read everything here and change nothing."),
)

router = PageRouter("settings/people", Role.OWNER)


# Ask before the form, so that it need not be filled in twice.
@router.get(recent_sign_in=True)
async def show_people(page: BotPage, refusal: AppError | None = None) -> Response:
    tx, workspace_id = page.ctx.tx, page.ctx.workspace_id
    users = await actions.list_users(tx, workspace_id)
    waiting = await invitations.list_invitations(tx, workspace_id)
    addresses = [*(user.email for user in users), *(row.email for row in waiting)]
    return await show_settings(
        page,
        "people",
        refusal,
        users=users,
        invitations=waiting,
        undelivered={row.address: row.reason for row in await list_undelivered(tx, workspace_id, addresses)},
        roles=ROLES,
        sends_email=can_send_email(),
    )


@router.post(recent_sign_in=True, refused=show_people)
async def invite_person(page: BotPage) -> Response:
    ctx, email = page.ctx, page.form.get("email", "")
    new = await invitations.invite(ctx.tx, ctx.workspace_id, email, role_of(page), ctx.actor)
    base_url = page.request.app.state.settings.base_url
    notice = f"Sent to {new.invitation.email}." if new.is_emailed else None
    return show_secret_next(page, "people", base_url + new.path, notice=notice)


@router.post("revoke", open_while_paused=True)
async def revoke_invitation_here(page: BotPage) -> Response:
    ctx, invitation_id = page.ctx, page.form.get("id", "")
    await invitations.revoke_invitation(ctx.tx, ctx.workspace_id, invitation_id, ctx.actor)
    return page.leave("settings/people", "Revoked: the link no longer works.")


@router.post("role", recent_sign_in=True, refused=show_people)
async def change_role_here(page: BotPage) -> Response:
    ctx, email = page.ctx, page.form.get("email", "")
    user = await actions.change_role(ctx.tx, ctx.workspace_id, email, role_of(page), ctx.actor)
    return page.leave("settings/people", f"{user.email} is {user.role} now.")


@router.post("disable", recent_sign_in=True, open_while_paused=True, refused=show_people)
async def disable_person(page: BotPage) -> Response:
    ctx, email = page.ctx, page.form.get("email", "")
    user = await actions.disable_user(ctx.tx, ctx.workspace_id, email, ctx.actor)
    return page.leave("settings/people", f"{user.email} is signed out and has no access.")


@router.post("enable", recent_sign_in=True)
async def enable_person(page: BotPage) -> Response:
    ctx, email = page.ctx, page.form.get("email", "")
    user = await actions.enable_user(ctx.tx, ctx.workspace_id, email, ctx.actor)
    return page.leave("settings/people", f"{user.email} can sign in again.")


def role_of(page: BotPage) -> Role:
    try:
        return Role(page.form.get("role", ""))
    except ValueError:
        raise InvalidRequest("Choose a role.") from None
