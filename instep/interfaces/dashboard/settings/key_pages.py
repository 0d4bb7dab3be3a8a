"""API keys: list, create (the key is shown once) and revoke them."""

from starlette.responses import Response

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.queries import list_keys
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings import frame
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role

router = PageRouter("settings/keys", Role.OWNER)


# Ask before the form, so that it need not be filled in twice.
@router.get(recent_sign_in=True)
async def show_keys(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await list_keys(page.ctx.tx, page.ctx.workspace_id)
    return await frame.show_access(page, "keys", rows, refusal)


@router.post(recent_sign_in=True, refused=show_keys)
async def create_key_here(page: BotPage) -> Response:
    form, ctx = page.form, page.ctx
    name, scope, bot_ids = form.get("name", ""), frame.chosen_scope(page), frame.chosen_bot_ids(page)
    new = await actions.create_key(ctx.tx, ctx.workspace_id, name, scope, bot_ids, ctx.actor)
    return frame.show_secret_next(page, "keys", new.key)


@router.post("revoke", recent_sign_in=True, open_while_paused=True)
async def revoke_key_here(page: BotPage) -> Response:
    ctx = page.ctx
    key = await actions.revoke_key(ctx.tx, ctx.workspace_id, page.form.get("id", ""), ctx.actor)
    return page.leave("settings/keys", f"“{key.name}” is revoked and no longer works.")
