"""The first steps with a new help center: import articles, connect the repository, see what is wrong."""

from starlette.responses import Response

from instep.accounts.workspaces.actions import create_key
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.drift_pages import values_of_checks
from instep.platform.identity.scopes import Role, Scope
from instep.platform.web.notices import forget_secret, keep_secret, take_secret

BELOW = "get-started"
NEW_KEY = "repository key"
KEY_NAME = "Repository"
router = PageRouter("get-started")


@router.get(role=Role.EDITOR)
async def show_get_started(page: BotPage) -> Response:
    key = take_secret(page.request, NEW_KEY)
    base_url = page.request.app.state.settings.base_url
    checks = await values_of_checks(page.ctx)
    response = await page.show("setup/get_started.html", new_key=key, base_url=base_url, **checks)
    if key is not None:
        forget_secret(page.request, response)
    return response


@router.post("key", Role.OWNER, recent_sign_in=True)
async def create_repository_key(page: BotPage) -> Response:
    """Create the key with which the repository sends its changes; the next page shows it once."""
    ctx = page.ctx
    key = await create_key(ctx.tx, ctx.workspace_id, KEY_NAME, Scope.WRITE, [page.bot.id], ctx.actor)
    response = page.leave(BELOW)
    keep_secret(page.request, response, NEW_KEY, key.key)
    return response
