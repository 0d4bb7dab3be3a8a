"""The look of the help center, and which pages may use the widget."""

from starlette.responses import Response
from starlette.routing import Route

from instep.answers.visitor_tokens import visitor_secret
from instep.core.config import settings
from instep.core.errors import AppError
from instep.dashboard.bot_pages import BotPage, bot_page
from instep.dashboard.settings.frame import attempt, show_secret_next, show_settings
from instep.identity.audit import record
from instep.identity.scopes import Role
from instep.web.recent_sign_in import require_recent_sign_in
from instep.workspaces import actions
from instep.workspaces.actions import find_bot_by_reference

PATH = "/app/{bot_slug}/settings"


@bot_page("settings")
async def show_look(page: BotPage) -> Response:
    return await look(page)


async def look(page: BotPage, refusal: AppError | None = None) -> Response:
    row = await find_bot_by_reference(page.ctx.tx, page.ctx.workspace_id, str(page.bot.id))
    return await show_settings(page, "site", "site.html", refusal, row=row, help_url=page.bot.help_url)


@bot_page("settings", Role.OWNER)
async def save_accent(page: BotPage) -> Response:
    """An empty colour restores the product's blue."""
    ctx, colour = page.ctx, page.form.get("accent", "").strip()
    outcome = await attempt(
        page, actions.change_accent(ctx.tx, ctx.workspace_id, ctx.bot.id, colour or None, ctx.actor)
    )
    if isinstance(outcome, AppError):
        return await look(page, outcome)
    return page.leave("settings/site", "Saved: visitors see it from now on.")


@bot_page("settings")
async def show_widget_settings(page: BotPage) -> Response:
    return await widget(page)


async def widget(page: BotPage, refusal: AppError | None = None) -> Response:
    row = await find_bot_by_reference(page.ctx.tx, page.ctx.workspace_id, str(page.bot.id))
    return await show_settings(
        page, "widget", "widget.html", refusal, row=row, script=f"{settings().base_url}/widget.js"
    )


@bot_page("settings", Role.OWNER)
async def add_origin(page: BotPage) -> Response:
    return await change_origins(page, [page.form.get("origin", "").strip()], [])


@bot_page("settings", Role.OWNER)
async def remove_origin(page: BotPage) -> Response:
    return await change_origins(page, [], [page.form.get("remove", "")])


async def change_origins(page: BotPage, add: list[str], remove: list[str]) -> Response:
    ctx = page.ctx
    outcome = await attempt(
        page, actions.change_origins(ctx.tx, ctx.workspace_id, ctx.bot.id, add, remove, ctx.actor)
    )
    if isinstance(outcome, AppError):
        return await widget(page, outcome)
    return page.leave("settings/widget", "Saved.")


@bot_page("settings", Role.OWNER)
async def show_visitor_secret(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    return await visitor_secret_page(page, rotate=False)


@bot_page("settings", Role.OWNER)
async def rotate_visitor_secret(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    return await visitor_secret_page(page, rotate=True)


async def visitor_secret_page(page: BotPage, *, rotate: bool) -> Response:
    ctx = page.ctx
    action = "rotate_visitor_secret" if rotate else "read_visitor_secret"
    await record(ctx.tx, ctx.workspace_id, ctx.actor, action, str(ctx.bot.id), ctx.bot.id)
    return show_secret_next(page, "widget", await visitor_secret(ctx, rotate))


routes = [
    Route(f"{PATH}/site", show_look, methods=["GET"]),
    Route(f"{PATH}/site", save_accent, methods=["POST"]),
    Route(f"{PATH}/widget", show_widget_settings, methods=["GET"]),
    Route(f"{PATH}/widget/origins", add_origin, methods=["POST"]),
    Route(f"{PATH}/widget/origins/remove", remove_origin, methods=["POST"]),
    Route(f"{PATH}/widget/secret", show_visitor_secret, methods=["POST"]),
    Route(f"{PATH}/widget/secret/rotate", rotate_visitor_secret, methods=["POST"]),
]
