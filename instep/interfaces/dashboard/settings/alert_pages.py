"""Alerts to a team's chat: add, test and remove channels."""

from typing import get_args

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.notifications.alerts import actions
from instep.notifications.alerts.schemas import AlertKind, AlertTargetOut
from instep.platform.core.errors import AppError
from instep.platform.email.outgoing import can_send_email
from instep.platform.identity.scopes import Role

WORDS = {
    "handoff": "A visitor wants to talk to a person",
    "lead": "A visitor left an email address",
    "review": "New drafts to review, and articles that are due for review",
}
router = PageRouter("settings/alerts", Role.OWNER)


@router.get()
async def show_alerts(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx = page.ctx
    rows = await actions.list_alert_targets(ctx.tx, ctx.workspace_id)
    return await show_settings(
        page,
        "alerts",
        refusal,
        targets=[AlertTargetOut.of(row) for row in rows if row.bot_id == ctx.bot.id],
        words=WORDS,
        sends_email=can_send_email(),
        alert_options=[(kind, WORDS.get(kind, kind), None) for kind in get_args(AlertKind)],
    )


# A channel gets the addresses and questions of visitors.
@router.post(recent_sign_in=True, refused=show_alerts)
async def add_channel(page: BotPage) -> Response:
    url, kinds = page.form.get("url", "").strip(), page.form.all("alerts")
    target = await actions.add_alert_target(page.ctx, url, kinds)
    if target.confirmed_at is None:
        return page.leave("settings/alerts", f"Added: open the link that is on its way to {target.host}.")
    return page.leave("settings/alerts", "Added: send a test to check that it arrives.")


@router.post("test", refused=show_alerts)
async def send_test_alert(page: BotPage) -> Response:
    await actions.test_alert_target(page.ctx, page.form.get("id", ""))
    return page.leave("settings/alerts", "Test sent: check the channel.")


@router.post("remove", refused=show_alerts)
async def remove_channel(page: BotPage) -> Response:
    await actions.remove_alert_target(page.ctx, page.form.get("id", ""))
    return page.leave("settings/alerts", "Removed: the channel no longer gets alerts.")
