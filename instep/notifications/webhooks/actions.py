"""Actions on webhook endpoints and their deliveries."""

import secrets
from base64 import b64encode
from typing import Any

from instep.notifications.webhooks import queries
from instep.notifications.webhooks.queries import Lock
from instep.notifications.webhooks.schemas import (
    Delivery,
    EventDataOut,
    EventOut,
    Webhook,
    WebhookCreate,
    WebhookOut,
    WebhookUpdate,
    WebhookWithSecret,
)
from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.core.config import settings
from instep.platform.core.crypto import key_ring
from instep.platform.core.errors import InvalidState, InvalidValue, NotFound
from instep.platform.core.ids import as_uuid, new_id
from instep.platform.core.outbound.allowed import refuse_url
from instep.platform.core.outbound.urls import parse_url
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Bot, WorkspaceCtx
from instep.platform.web.shapes import AuthorOut

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32


async def list_webhooks(ctx: WorkspaceCtx, page: PageRequest) -> Page[Webhook]:
    """List the webhook endpoints, newest first.

    An endpoint is listed if the key covers all of its bots. If the request names a bot, only endpoints of
    that bot are listed.
    """
    return await queries.list_page(ctx, page)


async def get_webhook(ctx: WorkspaceCtx, webhook_id: str) -> Webhook:
    """Get a webhook endpoint."""
    return await _find_webhook(ctx, webhook_id)


@writes
async def create_webhook(ctx: WorkspaceCtx, new: WebhookCreate) -> WebhookWithSecret:
    """Create a webhook endpoint; only this response shows its signing secret.

    Without `botId` it gets the events of all bots that the key covers, including future ones if the key
    covers them, or of the bot that the request names. A workspace has at most 20 endpoints.
    """
    _refuse_unreachable(new.url)
    bot = _covered_bot(ctx, new.bot_id)
    await queries.lock_count(ctx)
    if await queries.count(ctx) >= limits.MAX_WEBHOOK_ENDPOINTS:
        raise InvalidState(
            f"The workspace has {limits.MAX_WEBHOOK_ENDPOINTS} webhook endpoints, which is the maximum: "
            "delete one first."
        )
    row = {
        "id": new_id("wh"),
        "bot_id": bot.id if bot else None,
        "bot_ids": _covered_ids(ctx, bot),
        "url": new.url,
        "description": new.model_dump().get("description") or None,
        "events": new.events,
    }
    webhook = await queries.insert(ctx, row)
    return WebhookWithSecret(webhook, await _add_secret(ctx, webhook))


@writes
async def update_webhook(ctx: WorkspaceCtx, webhook_id: str, update: WebhookUpdate) -> Webhook:
    """Change only the fields of a webhook endpoint that are sent; its bot can't be changed.

    Waiting deliveries go to the new `url`. `enabled` clears `disabledReason`.
    """
    webhook = await _find_webhook(ctx, webhook_id, lock="no key update")
    changes = _changed_fields(webhook, update.model_dump())
    if "url" in changes:
        _refuse_unreachable(changes["url"])
    if not changes:
        return webhook
    return await queries.update(ctx, webhook.id, changes)


@writes
async def delete_webhook(ctx: WorkspaceCtx, webhook_id: str) -> str:
    """Delete a webhook endpoint, its secrets and its log; waiting deliveries are not sent."""
    if not await queries.delete(ctx, webhook_id):
        raise _unknown_webhook()
    return webhook_id


@writes
async def rotate_webhook_secret(ctx: WorkspaceCtx, webhook_id: str) -> WebhookWithSecret:
    """Create a new signing secret, which only this response shows.

    The previous secret signs too for 24 hours, as a further `v1=`. At most 10 secrets sign at a time.
    """
    webhook = await _find_webhook(ctx, webhook_id, lock="no key update")
    await queries.delete_ended_secrets(ctx, webhook.id)
    ends = await queries.ends_of_secrets(ctx, webhook.id)
    if len(ends) + 1 >= limits.MAX_WEBHOOK_SECRETS:
        raise InvalidState(
            f"This endpoint has {limits.MAX_WEBHOOK_SECRETS} secrets that still sign: "
            f"rotate again after {isoformat(ends[0])}."
        )
    await queries.end_current_secret(ctx, webhook.id, limits.REPLACED_SECRET_TTL)
    secret = await _add_secret(ctx, webhook)
    return WebhookWithSecret(await queries.update(ctx, webhook.id, {}), secret)


@writes
async def test_webhook(ctx: WorkspaceCtx, webhook_id: str) -> Delivery:
    """Deliver an event of the kind `webhook.test` to this endpoint, whatever its filter.

    `data.object` is the endpoint itself. The response is the delivery; the log of deliveries shows its
    attempts.
    """
    webhook = await _find_webhook(ctx, webhook_id, lock="share")
    _refuse_disabled(webhook)
    event = _test_event(ctx, webhook)
    await queries.insert_event(ctx, event)
    return await queries.insert_delivery(ctx, new_id("dlv"), webhook.id, event.id)


async def list_deliveries(ctx: WorkspaceCtx, webhook_id: str, page: PageRequest) -> Page[Delivery]:
    """List the deliveries to a webhook endpoint with their attempts, newest first."""
    webhook = await _find_webhook(ctx, webhook_id)
    return await queries.list_deliveries(ctx, webhook.id, page)


@writes
async def redeliver(ctx: WorkspaceCtx, webhook_id: str, delivery_id: str) -> Delivery:
    """Send a delivery again immediately, with all its retries, whatever its status.

    Its id and body stay the same, so a receiver can recognize it.
    """
    webhook = await _find_webhook(ctx, webhook_id, lock="share")
    if not await queries.lock_delivery(ctx, webhook.id, delivery_id):
        raise NotFound("This endpoint has no delivery with this id.")
    _refuse_disabled(webhook)
    return await queries.begin_round(ctx, delivery_id)


async def _find_webhook(ctx: WorkspaceCtx, webhook_id: str, *, lock: Lock | None = None) -> Webhook:
    webhook = await queries.find(ctx, webhook_id, lock=lock)
    if webhook is None:
        raise _unknown_webhook()
    return webhook


def _unknown_webhook() -> NotFound:
    return NotFound.of("webhook endpoint")


def _refuse_unreachable(url: str) -> None:
    try:
        refuse_url(parse_url(url), settings().allow_list)
    except ValueError as error:
        raise InvalidValue("url", str(error)) from None


def _refuse_disabled(webhook: Webhook) -> None:
    if webhook.status == "disabled":
        raise InvalidState("This endpoint is disabled: enable it first with PATCH and `status`.")


def _covered_bot(ctx: WorkspaceCtx, bot_id: str | None) -> Bot | None:
    """The bot with the id from a body; None without an id."""
    if bot_id is None:
        return None
    for bot in ctx.bots:
        if bot.id == as_uuid(bot_id):
            return bot
    raise InvalidValue("botId", "it is not the id of a bot that this API key covers")


def _covered_ids(ctx: WorkspaceCtx, bot: Bot | None) -> list[Any] | None:
    """The bots of an endpoint; None for all current and future bots of the workspace."""
    if bot is not None:
        return [bot.id]
    return None if ctx.covers_all else [covered.id for covered in ctx.bots]


def _changed_fields(webhook: Webhook, fields: dict[str, Any]) -> dict[str, Any]:
    """The columns to change; an empty description is cleared, and a new URL has not failed yet."""
    values = {name: value or None if name == "description" else value for name, value in fields.items()}
    changes = {name: value for name, value in values.items() if getattr(webhook, name) != value}
    is_enabled = changes.get("status") == "enabled"
    return {
        **changes,
        **({"disabled_reason": None} if is_enabled else {}),
        **({"failing_since": None} if is_enabled or "url" in changes else {}),
    }


async def _add_secret(ctx: WorkspaceCtx, webhook: Webhook) -> str:
    secret = SECRET_PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    secret_id = new_id("whs")
    sealed = key_ring().seal(secret, "webhook_secrets", "sealed", ctx.workspace_id, secret_id)
    await queries.insert_secret(ctx, webhook.id, secret_id, sealed)
    return secret


def _test_event(ctx: WorkspaceCtx, webhook: Webhook) -> EventOut:
    resource = WebhookOut.of(webhook)
    return EventOut(
        id=new_id("evt"),
        type="webhook.test",
        created_at=ctx.now,
        bot_id=resource.bot_id,
        actor=AuthorOut(type=ctx.actor.type, name=ctx.actor.name),
        data=EventDataOut(object=resource.model_dump(mode="json", by_alias=True), previous_attributes={}),
    )
