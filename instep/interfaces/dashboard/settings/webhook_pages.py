"""Webhook endpoints: their URLs, the results of deliveries, and redelivery."""

from typing import Any, get_args

from starlette.responses import Response
from starlette.routing import Route

from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.settings.frame import attempt, show_secret_next, show_settings, workspace_ctx
from instep.notifications.webhooks import actions
from instep.notifications.webhooks.schemas import (
    EVERYTHING,
    EventKind,
    Webhook,
    WebhookCreate,
    WebhookUpdate,
    WebhookWithSecret,
)
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.bodies import body_from
from instep.platform.web.recent_sign_in import require_recent_sign_in

PATH = "/app/{bot_slug}/settings/webhooks"
ENDPOINT = f"{PATH}/{{webhook_id}}"
EVENT_OPTIONS = [
    (EVERYTHING, "Every event", "Including future event types."),
    *((kind, kind, None) for kind in get_args(EventKind)),
]


@bot_page("settings", Role.OWNER)
async def show_webhooks(page: BotPage) -> Response:
    return await endpoints(page)


async def endpoints(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await actions.list_webhooks(
        await workspace_ctx(page), page.first_rows(limits.MAX_WEBHOOK_ENDPOINTS)
    )
    return await show_settings(
        page, "webhooks", "webhooks.html", refusal, endpoints=rows.rows, event_options=EVENT_OPTIONS
    )


@bot_page("settings", Role.OWNER)
async def create_endpoint(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    outcome = await attempt(page, make_endpoint(page))
    return await endpoints(page, outcome) if isinstance(outcome, AppError) else secret(page, outcome)


async def make_endpoint(page: BotPage) -> WebhookWithSecret:
    return await actions.create_webhook(await workspace_ctx(page), body_from(WebhookCreate, fields_of(page)))


def fields_of(page: BotPage) -> dict[str, Any]:
    events = page.form.all("events")
    # "Every event" includes the others.
    return {
        "url": page.form.get("url", "").strip(),
        "description": page.form.get("description", "").strip(),
        "events": [EVERYTHING] if EVERYTHING in events else events,
    }


def secret(page: BotPage, created: WebhookWithSecret) -> Response:
    return show_secret_next(page, "webhooks", created.secret, f"/{created.id}")


@bot_page("settings", Role.OWNER)
async def show_endpoint(page: BotPage) -> Response:
    return await endpoint(page)


async def endpoint(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx, webhook_id = await workspace_ctx(page), page.request.path_params["webhook_id"]
    cursor = page.query.get("cursor")
    log = await actions.list_deliveries(ctx, webhook_id, page.rows_at_cursor())
    return await show_settings(
        page,
        "webhooks",
        "webhook.html",
        refusal,
        webhook=await actions.get_webhook(ctx, webhook_id),
        deliveries=log.rows,
        next_cursor=log.next_cursor,
        is_first=cursor is None,
        event_options=EVENT_OPTIONS,
    )


@bot_page("settings", Role.OWNER)
async def save_endpoint(page: BotPage) -> Response:
    # With another URL or more event kinds, anyone at an unlocked browser could get visitors' data.
    require_recent_sign_in(page.request)
    return await change(page, fields_of(page), "Saved.")


@bot_page("settings", Role.OWNER)
async def stop_endpoint(page: BotPage) -> Response:
    return await change(
        page, {"status": "disabled"}, "Stopped: nothing is delivered until you start it again."
    )


@bot_page("settings", Role.OWNER)
async def start_endpoint(page: BotPage) -> Response:
    return await change(page, {"status": "enabled"}, "Started.")


async def change(page: BotPage, fields: dict[str, Any], sentence: str) -> Response:
    webhook_id = page.request.path_params["webhook_id"]

    async def update() -> Webhook:
        body = body_from(WebhookUpdate, fields)
        return await actions.update_webhook(await workspace_ctx(page), webhook_id, body)

    outcome = await attempt(page, update())
    if isinstance(outcome, AppError):
        return await endpoint(page, outcome)
    return page.leave(f"settings/webhooks/{webhook_id}", sentence)


@bot_page("settings", Role.OWNER)
async def test_endpoint(page: BotPage) -> Response:
    webhook_id = page.request.path_params["webhook_id"]
    outcome = await attempt(page, actions.test_webhook(await workspace_ctx(page), webhook_id))
    if isinstance(outcome, AppError):
        return await endpoint(page, outcome)
    return page.leave(f"settings/webhooks/{webhook_id}", "Test event sent: reload to see the result.")


@bot_page("settings", Role.OWNER)
async def redeliver_here(page: BotPage) -> Response:
    webhook_id, delivery_id = page.request.path_params["webhook_id"], page.form.get("id", "")
    outcome = await attempt(page, actions.redeliver(await workspace_ctx(page), webhook_id, delivery_id))
    if isinstance(outcome, AppError):
        return await endpoint(page, outcome)
    return page.leave(f"settings/webhooks/{webhook_id}", "Sent again: reload to see the result.")


@bot_page("settings", Role.OWNER)
async def rotate_secret(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    webhook_id = page.request.path_params["webhook_id"]
    outcome = await attempt(page, actions.rotate_webhook_secret(await workspace_ctx(page), webhook_id))
    return await endpoint(page, outcome) if isinstance(outcome, AppError) else secret(page, outcome)


@bot_page("settings", Role.OWNER)
async def delete_endpoint(page: BotPage) -> Response:
    require_recent_sign_in(page.request)
    await actions.delete_webhook(await workspace_ctx(page), page.request.path_params["webhook_id"])
    return page.leave("settings/webhooks", "Deleted with its log; pending deliveries are not sent.")


routes = [
    Route(PATH, show_webhooks, methods=["GET"]),
    Route(PATH, create_endpoint, methods=["POST"]),
    Route(ENDPOINT, show_endpoint, methods=["GET"]),
    Route(ENDPOINT, save_endpoint, methods=["POST"]),
    Route(f"{ENDPOINT}/stop", stop_endpoint, methods=["POST"]),
    Route(f"{ENDPOINT}/start", start_endpoint, methods=["POST"]),
    Route(f"{ENDPOINT}/test", test_endpoint, methods=["POST"]),
    Route(f"{ENDPOINT}/redeliver", redeliver_here, methods=["POST"]),
    Route(f"{ENDPOINT}/rotate-secret", rotate_secret, methods=["POST"]),
    Route(f"{ENDPOINT}/delete", delete_endpoint, methods=["POST"]),
]
