"""Trusts: list, create and end the trusts of CI jobs without API keys."""

from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.trusts import actions
from instep.accounts.trusts.queries import list_trusts
from instep.accounts.trusts.schemas import Trust, TrustFields
from instep.accounts.workspaces.queries import has_several_workspaces
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, chosen_bot_ids, chosen_scope, show_access
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.identity.scopes import Role
from instep.platform.web.recent_sign_in import require_recent_sign_in

PATH = "/app/{bot_slug}/settings/trusts"


@bot_page("settings", Role.OWNER)
async def show_trusts(page: BotPage) -> Response:
    # Ask before the form, so that it need not be filled in twice.
    require_recent_sign_in(page.request)
    return await trusts(page)


async def trusts(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await list_trusts(page.ctx.tx, page.ctx.workspace_id)
    site, is_shared = page.request.app.state.settings.base_url, await has_several_workspaces(page.ctx.tx)
    return await show_access(page, "trusts", rows, refusal, site=site, is_shared=is_shared)


@bot_page("settings", Role.OWNER)
async def create_trust_here(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    outcome = await attempt(page, make_trust(page))
    if isinstance(outcome, AppError):
        return await trusts(page, outcome)
    return page.leave("settings/trusts", "Jobs with such tokens no longer need an API key.")


async def make_trust(page: BotPage) -> Trust:
    form, ctx, state = page.form, page.ctx, page.request.app.state
    fields = TrustFields(
        issuer=form.get("issuer", ""),
        audience=form.get("audience", "").strip() or state.settings.base_url,
        claims=read_claims(form.get("claims", "")),
        bot_ids=chosen_bot_ids(page),
        scope=chosen_scope(page),
    )
    return await actions.create_trust(ctx.tx, ctx.workspace_id, fields, state.settings.allow_list, ctx.actor)


def read_claims(text: str) -> dict[str, str]:
    """The claims in a field with one per line, such as `repository=acme/app`."""
    pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
    claims = {name.strip(): value.strip() for name, _, value in pairs}
    if not all(sign for _, sign, _ in pairs) or len(claims) < len(pairs):
        raise InvalidRequest("Write each claim once, on its own line, such as repository=acme/app.")
    return claims


@bot_page("settings", Role.OWNER, open_while_paused=True)
async def revoke_trust_here(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    ctx = page.ctx
    await actions.revoke_trust(ctx.tx, ctx.workspace_id, page.form.get("id", ""), ctx.actor)
    return page.leave("settings/trusts", "Revoked: its jobs no longer have access.")


routes = [
    Route(PATH, show_trusts, methods=["GET"]),
    Route(PATH, create_trust_here, methods=["POST"]),
    Route(f"{PATH}/revoke", revoke_trust_here, methods=["POST"]),
]
