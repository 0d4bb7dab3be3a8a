"""Webhook endpoints over REST."""

from fastapi.responses import Response

from instep.notifications.webhooks import actions
from instep.notifications.webhooks.schemas import (
    DeliveryOut,
    WebhookCreate,
    WebhookDeletedOut,
    WebhookOut,
    WebhookUpdate,
    WebhookWithSecretOut,
)
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import WorkspaceCtx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /webhooks", actions.list_webhooks, ListOut[WebhookOut], needs_bot=False)
async def list_webhooks(ctx: WorkspaceCtx, page: PageRequest) -> Response:
    return reply_list(await actions.list_webhooks(ctx, page), WebhookOut.of)


@router.operation("POST /webhooks", actions.create_webhook, WebhookWithSecretOut, status=201, needs_bot=False)
async def create_webhook(ctx: WorkspaceCtx, body: WebhookCreate) -> Response:
    return reply(WebhookWithSecretOut.with_secret(await actions.create_webhook(ctx, body)), 201)


@router.operation("GET /webhooks/{id}", actions.get_webhook, WebhookOut, needs_bot=False)
async def get_webhook(ctx: WorkspaceCtx, id: str) -> Response:
    return reply(WebhookOut.of(await actions.get_webhook(ctx, id)))


@router.operation("PATCH /webhooks/{id}", actions.update_webhook, WebhookOut, needs_bot=False)
async def update_webhook(ctx: WorkspaceCtx, id: str, body: WebhookUpdate) -> Response:
    return reply(WebhookOut.of(await actions.update_webhook(ctx, id, body)))


@router.operation("DELETE /webhooks/{id}", actions.delete_webhook, WebhookDeletedOut, needs_bot=False)
async def delete_webhook(ctx: WorkspaceCtx, id: str) -> Response:
    return reply(WebhookDeletedOut(id=await actions.delete_webhook(ctx, id), deleted=True))


@router.operation(
    "POST /webhooks/{id}/rotate-secret", actions.rotate_webhook_secret, WebhookWithSecretOut, needs_bot=False
)
async def rotate_webhook_secret(ctx: WorkspaceCtx, id: str) -> Response:
    return reply(WebhookWithSecretOut.with_secret(await actions.rotate_webhook_secret(ctx, id)))


@router.operation("POST /webhooks/{id}/test", actions.test_webhook, DeliveryOut, needs_bot=False)
async def test_webhook(ctx: WorkspaceCtx, id: str) -> Response:
    return reply(DeliveryOut.of(await actions.test_webhook(ctx, id)))


@router.operation(
    "GET /webhooks/{id}/deliveries", actions.list_deliveries, ListOut[DeliveryOut], needs_bot=False
)
async def list_deliveries(ctx: WorkspaceCtx, page: PageRequest, id: str) -> Response:
    deliveries = await actions.list_deliveries(ctx, id, page)
    return reply_list(deliveries, DeliveryOut.of)


@router.operation(
    "POST /webhooks/{id}/deliveries/{deliveryId}/redeliver",
    actions.redeliver,
    DeliveryOut,
    needs_bot=False,
)
async def redeliver(ctx: WorkspaceCtx, id: str, deliveryId: str) -> Response:
    return reply(DeliveryOut.of(await actions.redeliver(ctx, id, deliveryId)))
