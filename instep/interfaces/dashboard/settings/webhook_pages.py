"""Webhook endpoints: their URLs, the results of deliveries, and redelivery."""

from typing import Any, get_args

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_secret_next, show_settings, workspace_ctx
from instep.notifications.webhooks import actions
from instep.notifications.webhooks.schemas import (
    EVERYTHING,
    EventKind,
    WebhookCreate,
    WebhookUpdate,
    WebhookWithSecret,
)
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from

EVENT_OPTIONS = [
    (EVERYTHING, "Every event", "Including future event types."),
    *((kind, kind, None) for kind in get_args(EventKind)),
]
router = PageRouter("settings/webhooks", Role.OWNER)


@router.get()
async def show_webhooks(page: BotPage, refusal: AppError | None = None) -> Response:
    rows = await actions.list_webhooks(
        await workspace_ctx(page), page.first_rows(limits.MAX_WEBHOOK_ENDPOINTS)
    )
    return await show_settings(page, "webhooks", refusal, endpoints=rows.rows, event_options=EVENT_OPTIONS)


@router.post(recent_sign_in=True, refused=show_webhooks)
async def create_endpoint(page: BotPage) -> Response:
    body = body_from(WebhookCreate, fields_of(page))
    return secret(page, await actions.create_webhook(await workspace_ctx(page), body))


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


@router.get("{webhook_id}")
async def show_endpoint(page: BotPage, refusal: AppError | None = None) -> Response:
    ctx, webhook_id = await workspace_ctx(page), page.param("webhook_id")
    cursor = page.query.get("cursor")
    log = await actions.list_deliveries(ctx, webhook_id, page.rows_at_cursor())
    return await show_settings(
        page,
        "webhooks/webhook",
        refusal,
        webhook=await actions.get_webhook(ctx, webhook_id),
        deliveries=log.rows,
        next_cursor=log.next_cursor,
        is_first=cursor is None,
        event_options=EVENT_OPTIONS,
    )


# With another URL or more event kinds, anyone at an unlocked browser could get visitors' data.
@router.post("{webhook_id}", recent_sign_in=True, refused=show_endpoint)
async def save_endpoint(page: BotPage) -> Response:
    return await change(page, fields_of(page), "Saved.")


@router.post("{webhook_id}/stop", refused=show_endpoint)
async def stop_endpoint(page: BotPage) -> Response:
    return await change(
        page, {"status": "disabled"}, "Stopped: nothing is delivered until you start it again."
    )


@router.post("{webhook_id}/start", refused=show_endpoint)
async def start_endpoint(page: BotPage) -> Response:
    return await change(page, {"status": "enabled"}, "Started.")


async def change(page: BotPage, fields: dict[str, Any], sentence: str) -> Response:
    webhook_id, body = page.param("webhook_id"), body_from(WebhookUpdate, fields)
    await actions.update_webhook(await workspace_ctx(page), webhook_id, body)
    return page.leave(f"settings/webhooks/{webhook_id}", sentence)


@router.post("{webhook_id}/test", refused=show_endpoint)
async def test_endpoint(page: BotPage) -> Response:
    webhook_id = page.param("webhook_id")
    await actions.test_webhook(await workspace_ctx(page), webhook_id)
    return page.leave(f"settings/webhooks/{webhook_id}", "Test event sent: reload to see the result.")


@router.post("{webhook_id}/redeliver", refused=show_endpoint)
async def redeliver_here(page: BotPage) -> Response:
    webhook_id, delivery_id = page.param("webhook_id"), page.form.get("id", "")
    await actions.redeliver(await workspace_ctx(page), webhook_id, delivery_id)
    return page.leave(f"settings/webhooks/{webhook_id}", "Sent again: reload to see the result.")


@router.post("{webhook_id}/rotate-secret", recent_sign_in=True, refused=show_endpoint)
async def rotate_secret(page: BotPage) -> Response:
    webhook_id = page.param("webhook_id")
    return secret(page, await actions.rotate_webhook_secret(await workspace_ctx(page), webhook_id))


@router.post("{webhook_id}/delete", recent_sign_in=True)
async def delete_endpoint(page: BotPage) -> Response:
    await actions.delete_webhook(await workspace_ctx(page), page.param("webhook_id"))
    return page.leave("settings/webhooks", "Deleted with its log; pending deliveries are not sent.")
