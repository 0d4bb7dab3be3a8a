"""The page of dismissed proposals, which tasks do not make again until a person allows them."""

from starlette.responses import Response

from instep.drafting.drafts import suppression
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role

REASONS = {"not_needed": "not needed", "wrong_article": "wrong article", "wrong_text": "wrong text"}
router = PageRouter("settings/suppressed")


@router.get()
async def show_suppressed(page: BotPage, refusal: AppError | None = None) -> Response:
    cursor = page.query.get("cursor")
    rows = await suppression.list_suppressed(page.ctx, page.rows_at_cursor())
    return await show_settings(
        page,
        "suppressed",
        refusal,
        statements=rows.rows,
        next_cursor=rows.next_cursor,
        is_first=cursor is None,
        reasons=REASONS,
    )


@router.post(role=Role.EDITOR, refused=show_suppressed)
async def lift(page: BotPage) -> Response:
    await suppression.lift_suppressed(page.ctx, page.form.get("id", ""))
    return page.leave("settings/suppressed", "Tasks can propose it again.")
