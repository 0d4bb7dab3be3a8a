"""SQL of webhook endpoints, their secrets, events and deliveries."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from instep.notifications.webhooks.schemas import EVERYTHING, Delivery, EventKind, EventOut, Webhook
from instep.platform.core.database import QueuedStatement
from instep.platform.core.ids import new_id, present_request_id
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx, WorkspaceCtx

WEBHOOK = """
    w.id, w.bot_id, w.url, w.description, w.events, w.status, w.disabled_reason, w.created_at, w.updated_at
"""
DELIVERY = """
    d.id, d.event_id, d.status, d.attempts, d.next_attempt_at, d.created_at,
    (select e.type from events e where e.workspace_id = d.workspace_id and e.id = d.event_id) as event
"""
# A caller sees an endpoint if it covers all bots of the endpoint.
VISIBLE = "(%(all_bots)s or w.bot_ids <@ %(bots)s::uuid[])"
# Rows are locked in a fixed order to prevent deadlocks: the endpoint, then its secrets and deliveries.
Lock = Literal["share", "no key update"]
WEBHOOKS = Order(("w.created_at", "w.id"), descending=True)
DELIVERIES = Order(("d.created_at", "d.id"), descending=True)


def caller_params(ctx: WorkspaceCtx) -> dict[str, Any]:
    return {
        "workspace": ctx.workspace_id,
        "all_bots": ctx.covers_all,
        "bots": [bot.id for bot in ctx.bots],
    }


async def find(ctx: WorkspaceCtx, webhook_id: str, *, lock: Lock | None = None) -> Webhook | None:
    return await ctx.tx.first(
        Webhook,
        f"""
        select {WEBHOOK} from webhook_endpoints w
        where w.workspace_id = %(workspace)s and {VISIBLE} and w.id = %(id)s
        {f"for {lock}" if lock else ""}
        """,
        id=webhook_id,
        **caller_params(ctx),
    )


async def list_page(ctx: WorkspaceCtx, request: PageRequest) -> Page[Webhook]:
    params = caller_params(ctx)
    page = request.page(WEBHOOKS, "webhooks", *params.values())
    return await page.read(
        ctx.tx,
        Webhook,
        f"""
        select {WEBHOOK} from webhook_endpoints w
        where w.workspace_id = %(workspace)s and {VISIBLE} and {page.condition} {page.tail}
        """,
        **params,
    )


async def lock_count(ctx: WorkspaceCtx) -> None:
    """Lock the number of the workspace's endpoints until this transaction ends."""
    await ctx.tx.advisory_lock(f"webhook_endpoints {ctx.workspace_id}")


async def count(ctx: WorkspaceCtx) -> int:
    return await ctx.tx.value(
        "select count(*) from webhook_endpoints where workspace_id = %(workspace)s",
    )


async def insert(ctx: WorkspaceCtx, row: dict[str, Any]) -> Webhook:
    return await ctx.tx.fetch_one(
        Webhook,
        f"""
        insert into webhook_endpoints as w (id, workspace_id, bot_id, bot_ids, url, description, events,
            status, created_at, updated_at)
        values (%(id)s, %(workspace)s, %(bot_id)s, %(bot_ids)s, %(url)s, %(description)s, %(events)s,
            'enabled', %(now)s, %(now)s)
        returning {WEBHOOK}
        """,
        now=ctx.now,
        **row,
    )


async def update(ctx: WorkspaceCtx, webhook_id: str, changes: dict[str, Any]) -> Webhook:
    columns = "".join(f"{name} = %({name})s, " for name in changes)
    return await ctx.tx.fetch_one(
        Webhook,
        f"""
        update webhook_endpoints w set {columns} updated_at = greatest(w.updated_at, %(now)s)
        where w.workspace_id = %(workspace)s and w.id = %(id)s
        returning {WEBHOOK}
        """,
        id=webhook_id,
        now=ctx.now,
        **changes,
    )


async def delete(ctx: WorkspaceCtx, webhook_id: str) -> bool:
    """Delete an endpoint; True for exactly one of several concurrent calls."""
    sql = f"""
        delete from webhook_endpoints w
        where w.workspace_id = %(workspace)s and {VISIBLE} and w.id = %(id)s
    """
    return await ctx.tx.execute(sql, id=webhook_id, **caller_params(ctx)) == 1


async def insert_secret(ctx: WorkspaceCtx, webhook_id: str, secret_id: str, sealed: bytes) -> None:
    await ctx.tx.execute(
        """
        insert into webhook_secrets (id, workspace_id, endpoint_id, sealed, created_at)
        values (%(id)s, %(workspace)s, %(webhook)s, %(sealed)s, %(now)s)
        """,
        id=secret_id,
        webhook=webhook_id,
        sealed=sealed,
        now=ctx.now,
    )


async def delete_ended_secrets(ctx: WorkspaceCtx, webhook_id: str) -> None:
    await ctx.tx.execute(
        """
        delete from webhook_secrets
        where workspace_id = %(workspace)s and endpoint_id = %(webhook)s and ends_at <= %(now)s
        """,
        webhook=webhook_id,
        now=ctx.now,
    )


async def ends_of_secrets(ctx: WorkspaceCtx, webhook_id: str) -> list[datetime]:
    """The expiry times of replaced secrets, earliest first."""
    ends = await ctx.tx.value(
        """
        select array_agg(ends_at order by ends_at) from webhook_secrets
        where workspace_id = %(workspace)s and endpoint_id = %(webhook)s and ends_at is not null
        """,
        webhook=webhook_id,
    )
    return list(ends or ())


async def end_current_secret(ctx: WorkspaceCtx, webhook_id: str, after: timedelta) -> None:
    await ctx.tx.execute(
        """
        update webhook_secrets set ends_at = %(now)s + %(after)s
        where workspace_id = %(workspace)s and endpoint_id = %(webhook)s and ends_at is null
        """,
        webhook=webhook_id,
        now=ctx.now,
        after=after,
    )


def ask_for_endpoints(ctx: Ctx) -> QueuedStatement:
    """Request the bot's enabled endpoints together with the next statement, locked against deletion."""
    return ctx.queue(
        """
        select w.id, w.events from webhook_endpoints w
        where w.workspace_id = %(workspace)s and w.status = 'enabled'
          and (w.bot_ids is null or %(bot)s = any(w.bot_ids))
        order by w.id for key share
        """,
    )


async def subscribers(endpoints: QueuedStatement, kind: EventKind) -> list[str]:
    """The ids of the endpoints that are subscribed to this kind."""
    rows = await endpoints.all(SubscribedEndpoint)
    return [endpoint.id for endpoint in rows if kind in endpoint.events or EVERYTHING in endpoint.events]


@dataclass(frozen=True, slots=True)
class SubscribedEndpoint:
    """An endpoint, and the kinds of events that it gets."""

    id: str
    events: list[str]


async def insert_event(ctx: Ctx | WorkspaceCtx, event: EventOut) -> None:
    await ctx.tx.execute(
        """
        insert into events (id, workspace_id, type, body, created_at, request_id)
        values (%(id)s, %(workspace)s, %(type)s, %(body)s, %(now)s, %(request)s)
        """,
        id=event.id,
        type=event.type,
        body=event.model_dump_json(by_alias=True).encode(),
        now=ctx.now,
        request=present_request_id(),
    )


async def insert_delivery(ctx: WorkspaceCtx, delivery_id: str, webhook_id: str, event_id: str) -> Delivery:
    return await ctx.tx.fetch_one(
        Delivery,
        f"""
        insert into deliveries as d (id, workspace_id, endpoint_id, event_id, status, next_attempt_at,
            created_at)
        values (%(id)s, %(workspace)s, %(webhook)s, %(event)s, 'pending', now(), now())
        returning {DELIVERY}
        """,
        id=delivery_id,
        webhook=webhook_id,
        event=event_id,
    )


async def insert_events(ctx: Ctx, events: list[EventOut], endpoints: list[str]) -> None:
    """Insert events, and a delivery of each event to each endpoint.

    Bodies are sent in the binary format, because a large one takes the driver 0.1 seconds as text.
    """
    deliveries = [(new_id("dlv"), endpoint, event.id) for event in events for endpoint in endpoints]
    await ctx.execute(
        """
        with new_events as (
          insert into events (id, workspace_id, type, body, created_at, request_id)
          select e.id, %(workspace)s, e.type, e.body, %(now)s, %(request)s
          from unnest(%(ids)s::text[], %(types)s::text[], %(bodies)b::bytea[]) as e (id, type, body)
        )
        insert into deliveries (id, workspace_id, endpoint_id, event_id, status, next_attempt_at, created_at)
        select d.id, %(workspace)s, d.endpoint_id, d.event_id, 'pending', now(), now()
        from unnest(%(deliveries)s::text[], %(endpoints)s::text[], %(of)s::text[])
          as d (id, endpoint_id, event_id)
        """,
        ids=[event.id for event in events],
        types=[event.type for event in events],
        bodies=[event.model_dump_json(by_alias=True).encode() for event in events],
        deliveries=[delivery for delivery, _, _ in deliveries],
        endpoints=[endpoint for _, endpoint, _ in deliveries],
        of=[event for _, _, event in deliveries],
        request=present_request_id(),
    )


async def list_deliveries(ctx: WorkspaceCtx, webhook_id: str, request: PageRequest) -> Page[Delivery]:
    page = request.page(DELIVERIES, "deliveries", webhook_id)
    return await page.read(
        ctx.tx,
        Delivery,
        f"""
        select {DELIVERY} from deliveries d
        where d.workspace_id = %(workspace)s and d.endpoint_id = %(webhook)s and {page.condition} {page.tail}
        """,
        webhook=webhook_id,
    )


async def lock_delivery(ctx: WorkspaceCtx, webhook_id: str, delivery_id: str) -> bool:
    """Lock a delivery to the endpoint until this transaction ends; False if it doesn't exist."""
    locked_id = await ctx.tx.value(
        """
        select id from deliveries
        where workspace_id = %(workspace)s and endpoint_id = %(webhook)s and id = %(id)s
        for no key update
        """,
        webhook=webhook_id,
        id=delivery_id,
    )
    return locked_id is not None


async def begin_round(ctx: WorkspaceCtx, delivery_id: str) -> Delivery:
    """Make a delivery due now, with all its retries."""
    return await ctx.tx.fetch_one(
        Delivery,
        f"""
        update deliveries d set status = 'pending', round_attempts = 0,
            next_attempt_at = least(d.next_attempt_at, now())
        where d.workspace_id = %(workspace)s and d.id = %(id)s
        returning {DELIVERY}
        """,
        id=delivery_id,
    )
