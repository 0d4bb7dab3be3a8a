"""Trusts: list, create and end the trusts of CI jobs without API keys."""

from starlette.responses import Response

from instep.accounts.trusts import actions
from instep.accounts.trusts.queries import list_trusts
from instep.accounts.trusts.schemas import TrustFields
from instep.accounts.workspaces.queries import has_several_workspaces
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import chosen_bot_ids, chosen_scope, show_access
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.identity.scopes import Role

router = PageRouter("settings/trusts", Role.OWNER)


# Ask before the form, so that it need not be filled in twice.
@router.get(recent_sign_in=True)
async def show_trusts(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await list_trusts(page.ctx.tx, page.ctx.workspace_id)
    site, is_shared = page.request.app.state.settings.base_url, await has_several_workspaces(page.ctx.tx)
    return await show_access(page, "trusts", rows, refusal, site=site, is_shared=is_shared)


@router.post(recent_sign_in=True, refused=show_trusts)
async def create_trust_here(page: BotPage) -> Response:
    form, ctx, state = page.form, page.ctx, page.request.app.state
    fields = TrustFields(
        issuer=form.get("issuer", ""),
        audience=form.get("audience", "").strip() or state.settings.base_url,
        claims=read_claims(form.get("claims", "")),
        bot_ids=chosen_bot_ids(page),
        scope=chosen_scope(page),
    )
    await actions.create_trust(ctx.tx, ctx.workspace_id, fields, state.settings.allow_list, ctx.actor)
    return page.leave("settings/trusts", "Jobs with such tokens no longer need an API key.")


def read_claims(text: str) -> dict[str, str]:
    """The claims in a field with one per line, such as `repository=acme/app`."""
    pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
    claims = {name.strip(): value.strip() for name, _, value in pairs}
    if not all(sign for _, sign, _ in pairs) or len(claims) < len(pairs):
        raise InvalidRequest("Write each claim once, on its own line, such as repository=acme/app.")
    return claims


@router.post("revoke", recent_sign_in=True, open_while_paused=True)
async def revoke_trust_here(page: BotPage) -> Response:
    ctx = page.ctx
    await actions.revoke_trust(ctx.tx, ctx.workspace_id, page.form.get("id", ""), ctx.actor)
    return page.leave("settings/trusts", "Revoked: its jobs no longer have access.")
