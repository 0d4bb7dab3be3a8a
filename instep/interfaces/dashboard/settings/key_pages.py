"""API keys: list, create (the key is shown once) and revoke them."""

from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.queries import list_keys
from instep.accounts.workspaces.schemas import NewKey
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import (
    attempt,
    chosen_bot_ids,
    chosen_scope,
    show_access,
    show_secret_next,
)
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.recent_sign_in import require_recent_sign_in

PATH = "/app/{bot_slug}/settings/keys"


@bot_page("settings", Role.OWNER)
async def show_keys(page: BotPage) -> Response:
    # Ask before the form, so that it need not be filled in twice.
    require_recent_sign_in(page.request)
    return await keys(page)


async def keys(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await list_keys(page.ctx.tx, page.ctx.workspace_id)
    return await show_access(page, "keys", rows, refusal)


@bot_page("settings", Role.OWNER)
async def create_key_here(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    outcome = await attempt(page, make_key(page))
    if isinstance(outcome, AppError):
        return await keys(page, outcome)
    return show_secret_next(page, "keys", outcome.key)


async def make_key(page: BotPage) -> NewKey:
    form, ctx = page.form, page.ctx
    name, scope, bot_ids = form.get("name", ""), chosen_scope(page), chosen_bot_ids(page)
    return await actions.create_key(ctx.tx, ctx.workspace_id, name, scope, bot_ids, ctx.actor)


@bot_page("settings", Role.OWNER, open_while_paused=True)
async def revoke_key_here(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    ctx = page.ctx
    key = await actions.revoke_key(ctx.tx, ctx.workspace_id, page.form.get("id", ""), ctx.actor)
    return page.leave("settings/keys", f"“{key.name}” is revoked and no longer works.")


routes = [
    Route(PATH, show_keys, methods=["GET"]),
    Route(PATH, create_key_here, methods=["POST"]),
    Route(f"{PATH}/revoke", revoke_key_here, methods=["POST"]),
]
