"""General settings: name and language of a bot, another bot, the pause."""

from starlette.responses import Response

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.backup_state import find_backup_state
from instep.accounts.workspaces.queries import list_bots
from instep.content.parts.actions import show_in_other_language
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role

router = PageRouter("settings")


@router.get()
async def show_first_settings(page: BotPage) -> Response:
    return page.leave("settings/general")


@router.get("general")
async def show_general(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx = page.ctx
    [row] = [bot for bot in await list_bots(ctx.tx, ctx.workspace_id) if bot.id == ctx.bot.id]
    return await show_settings(
        page,
        "general",
        refusal,
        row=row,
        row_url=ctx.bot.help_url,
        workspace=await actions.find_workspace(ctx.tx, ctx.workspace_id),
        has_backups=settings().backups is not None,
        backup=await find_backup_state(ctx.tx),
    )


@router.post("general", Role.OWNER, refused=show_general)
async def save_general(page: BotPage) -> Response:
    form, ctx = page.form, page.ctx
    row = await actions.change_bot(
        ctx.tx, ctx.workspace_id, ctx.bot.id, form.get("name", ""), form.get("locale", ""), ctx.actor
    )
    await show_in_other_language(ctx, row.locale)
    return page.leave("settings/general", "Saved.")


@router.post("bots", Role.OWNER, refused=show_general)
async def create_another_bot(page: BotPage) -> Response:
    form, ctx = page.form, page.ctx
    name, slug, locale = form.get("new_name", ""), form.get("slug", "").strip(), form.get("new_locale", "")
    bot = await actions.create_bot(ctx.tx, ctx.workspace_id, name, slug or None, locale, actor=ctx.actor)
    return page.leave_to_bot(bot.slug, "articles", f"Created “{bot.name}”: write its first article.")


@router.post("pause", Role.OWNER, open_while_paused=True)
async def pause(page: BotPage) -> Response:
    await actions.pause_workspace(page.ctx.tx, page.ctx.workspace_id, page.ctx.actor)
    return page.leave("settings/general", "Paused: nothing can be changed until you resume.")


@router.post("resume", Role.OWNER, open_while_paused=True, refused=show_general)
async def resume(page: BotPage) -> Response:
    ctx = page.ctx
    await actions.resume_workspace(ctx.tx, ctx.workspace_id, ctx.actor)
    return page.leave("settings/general", "Resumed.")
