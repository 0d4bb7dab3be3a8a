"""The page of dismissed proposals, which tasks do not make again until a person allows them."""

from starlette.responses import Response
from starlette.routing import Route

from instep.drafting.drafts import suppression
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, show_settings
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role

PATH = "/app/{bot_slug}/settings/suppressed"
REASONS = {"not_needed": "not needed", "wrong_article": "wrong article", "wrong_text": "wrong text"}


@bot_page("settings")
async def show_suppressed(page: BotPage) -> Response:
    return await suppressed(page)


async def suppressed(page: BotPage, refusal: AppError | None = None) -> Response:
    cursor = page.query.get("cursor")
    rows = await suppression.list_suppressed(page.ctx, page.rows_at_cursor())
    return await show_settings(
        page,
        "suppressed",
        "suppressed.html",
        refusal,
        statements=rows.rows,
        next_cursor=rows.next_cursor,
        is_first=cursor is None,
        reasons=REASONS,
    )


@bot_page("settings", Role.EDITOR)
async def lift(page: BotPage) -> Response:
    outcome = await attempt(page, suppression.lift_suppressed(page.ctx, page.form.get("id", "")))
    if isinstance(outcome, AppError):
        return await suppressed(page, outcome)
    return page.leave("settings/suppressed", "Tasks can propose it again.")


routes = [Route(PATH, show_suppressed, methods=["GET"]), Route(PATH, lift, methods=["POST"])]
