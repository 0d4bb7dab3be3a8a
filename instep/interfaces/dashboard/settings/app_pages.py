"""The apps that people of the workspace have connected; an owner can end any connection."""

from starlette.responses import Response

from instep.accounts.oauth import actions
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.identity.scopes import Role

router = PageRouter("settings/apps", Role.OWNER)


@router.get()
async def show_apps(page: BotPage) -> Response:
    grants = await actions.list_grants_of_workspace(page.ctx.tx, page.ctx.workspace_id)
    return await show_settings(page, "apps", grants=grants, mcp_address=page.mcp_address)


@router.post(recent_sign_in=True, open_while_paused=True)
async def disconnect(page: BotPage) -> Response:
    ctx = page.ctx
    await actions.end_connection(ctx.tx, ctx.workspace_id, page.form.get("id", ""), ctx.actor)
    return page.leave("settings/apps", "Disconnected: the app no longer has access.")
