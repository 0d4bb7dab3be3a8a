"""General settings: name and language of a bot, another bot, the pause."""

from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.backup_state import find_backup_state
from instep.accounts.workspaces.queries import list_bots
from instep.content.parts.actions import show_in_other_language
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, show_settings
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role

PATH = "/app/{bot_slug}/settings"


@bot_page("settings")
async def show_first_settings(page: BotPage) -> Response:
    return page.leave("settings/general")


@bot_page("settings")
async def show_general(page: BotPage) -> Response:
    return await general(page)


async def general(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx = page.ctx
    [row] = [bot for bot in await list_bots(ctx.tx, ctx.workspace_id) if bot.id == ctx.bot.id]
    return await show_settings(
        page,
        "general",
        "general.html",
        refusal,
        row=row,
        row_url=ctx.bot.help_url,
        workspace=await actions.find_workspace(ctx.tx, ctx.workspace_id),
        has_backups=settings().backups is not None,
        backup=await find_backup_state(ctx.tx),
    )


async def change_name_and_language(page: BotPage) -> None:
    form, ctx = page.form, page.ctx
    row = await actions.change_bot(
        ctx.tx, ctx.workspace_id, ctx.bot.id, form.get("name", ""), form.get("locale", ""), ctx.actor
    )
    await show_in_other_language(ctx, row.locale)


@bot_page("settings", Role.OWNER)
async def save_general(page: BotPage) -> Response:
    outcome = await attempt(page, change_name_and_language(page))
    if isinstance(outcome, AppError):
        return await general(page, outcome)
    return page.leave("settings/general", "Saved.")


@bot_page("settings", Role.OWNER)
async def create_another_bot(page: BotPage) -> Response:
    form, ctx = page.form, page.ctx
    name, slug, locale = form.get("new_name", ""), form.get("slug", "").strip(), form.get("new_locale", "")
    outcome = await attempt(
        page, actions.create_bot(ctx.tx, ctx.workspace_id, name, slug or None, locale, actor=ctx.actor)
    )
    if isinstance(outcome, AppError):
        return await general(page, outcome)
    return page.leave_to_bot(outcome.slug, "articles", f"Created “{outcome.name}”: write its first article.")


@bot_page("settings", Role.OWNER, open_while_paused=True)
async def pause(page: BotPage) -> Response:
    await actions.pause_workspace(page.ctx.tx, page.ctx.workspace_id, page.ctx.actor)
    return page.leave("settings/general", "Paused: nothing can be changed until you resume.")


@bot_page("settings", Role.OWNER, open_while_paused=True)
async def resume(page: BotPage) -> Response:
    ctx = page.ctx
    outcome = await attempt(page, actions.resume_workspace(ctx.tx, ctx.workspace_id, ctx.actor))
    if isinstance(outcome, AppError):
        return await general(page, outcome)
    return page.leave("settings/general", "Resumed.")


routes = [
    Route(PATH, show_first_settings),
    Route(f"{PATH}/general", show_general, methods=["GET"]),
    Route(f"{PATH}/general", save_general, methods=["POST"]),
    Route(f"{PATH}/bots", create_another_bot, methods=["POST"]),
    Route(f"{PATH}/pause", pause, methods=["POST"]),
    Route(f"{PATH}/resume", resume, methods=["POST"]),
]
