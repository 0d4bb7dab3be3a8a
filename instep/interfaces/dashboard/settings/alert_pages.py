"""Alerts to a team's chat: add, test and remove channels."""

from typing import get_args

from starlette.responses import Response
from starlette.routing import Route

from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, show_settings
from instep.notifications.alerts import actions
from instep.notifications.alerts.schemas import AlertKind, AlertTargetOut
from instep.platform.core.errors import AppError
from instep.platform.email.outgoing import can_send_email
from instep.platform.identity.scopes import Role
from instep.platform.web.recent_sign_in import require_recent_sign_in

PATH = "/app/{bot_slug}/settings/alerts"
WORDS = {
    "handoff": "A visitor wants to talk to a person",
    "lead": "A visitor left an email address",
    "review": "New drafts to review, and articles that are due for review",
}


@bot_page("settings", Role.OWNER)
async def show_alerts(page: BotPage) -> Response:
    return await channels(page)


async def channels(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx = page.ctx
    rows = await actions.list_alert_targets(ctx.tx, ctx.workspace_id)
    return await show_settings(
        page,
        "alerts",
        "alerts.html",
        refusal,
        targets=[AlertTargetOut.of(row) for row in rows if row.bot_id == ctx.bot.id],
        words=WORDS,
        sends_email=can_send_email(),
        alert_options=[(kind, WORDS.get(kind, kind), None) for kind in get_args(AlertKind)],
    )


@bot_page("settings", Role.OWNER)
async def add_channel(page: BotPage) -> Response:
    # A channel gets the addresses and questions of visitors.
    require_recent_sign_in(page.request)
    url, kinds = page.form.get("url", "").strip(), page.form.all("alerts")
    outcome = await attempt(page, actions.add_alert_target(page.ctx, url, kinds))
    if isinstance(outcome, AppError):
        return await channels(page, outcome)
    if outcome.confirmed_at is None:
        return page.leave("settings/alerts", f"Added: open the link that is on its way to {outcome.host}.")
    return page.leave("settings/alerts", "Added: send a test to check that it arrives.")


@bot_page("settings", Role.OWNER)
async def send_test_alert(page: BotPage) -> Response:
    outcome = await attempt(page, actions.test_alert_target(page.ctx, page.form.get("id", "")))
    if isinstance(outcome, AppError):
        return await channels(page, outcome)
    return page.leave("settings/alerts", "Test sent: check the channel.")


@bot_page("settings", Role.OWNER)
async def remove_channel(page: BotPage) -> Response:
    outcome = await attempt(page, actions.remove_alert_target(page.ctx, page.form.get("id", "")))
    if isinstance(outcome, AppError):
        return await channels(page, outcome)
    return page.leave("settings/alerts", "Removed: the channel no longer gets alerts.")


routes = [
    Route(PATH, show_alerts, methods=["GET"]),
    Route(PATH, add_channel, methods=["POST"]),
    Route(f"{PATH}/test", send_test_alert, methods=["POST"]),
    Route(f"{PATH}/remove", remove_channel, methods=["POST"]),
]
