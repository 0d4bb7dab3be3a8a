"""Events, which are stored in the transaction of the change with the body of every attempt."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from instep.notifications.webhooks import queries
from instep.notifications.webhooks.schemas import EventDataOut, EventKind, EventOut
from instep.platform.core.database import QueuedStatement
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Ctx
from instep.platform.web.shapes import AuthorOut


async def emit(
    ctx: Ctx,
    kind: EventKind,
    after: BaseModel,
    before: BaseModel | None = None,
    endpoints: QueuedStatement | None = None,
) -> None:
    """Store an event, and a delivery to each endpoint that is subscribed to its kind.

    `before` and `after` are the resource as GET returns it before and after the change. The caller calls this
    after the change in the same transaction (transactional outbox). Without a subscribed endpoint nothing is
    stored. `endpoints` are those of the bot, if the caller has already requested them.
    """
    await emit_each(ctx, kind, [(after, before)], endpoints)


async def emit_each(
    ctx: Ctx,
    kind: EventKind,
    changes: Sequence[tuple[BaseModel, BaseModel | None]],
    endpoints: QueuedStatement | None = None,
) -> None:
    """Store an event for each of several resources that one change affects, as `emit` does."""
    if subscribers := await queries.subscribers(endpoints or ask_for_endpoints(ctx), kind):
        events = [build_event(ctx, kind, after, before) for after, before in changes]
        await queries.insert_events(ctx, events, subscribers)


def ask_for_endpoints(ctx: Ctx) -> QueuedStatement:
    """Request the endpoints that an event may go to, together with the next statement."""
    return queries.ask_for_endpoints(ctx)


def build_event(ctx: Ctx, kind: EventKind, after: BaseModel, before: BaseModel | None) -> EventOut:
    return EventOut(
        id=new_id("evt"),
        type=kind,
        created_at=ctx.now,
        bot_id=str(ctx.bot.id),
        actor=AuthorOut(type=ctx.actor.type, name=ctx.actor.name),
        data=EventDataOut(
            object=wire_form(after), previous_attributes=previous_values(wire_form(before), wire_form(after))
        ),
    )


def wire_form(resource: BaseModel | None) -> dict[str, Any]:
    return {} if resource is None else resource.model_dump(mode="json", by_alias=True)


def previous_values(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The previous values of the fields that changed."""
    return {name: value for name, value in before.items() if after.get(name) != value}
