"""Events: written in the transaction of the change, with the body that every attempt sends."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from instep.core.ids import new_id
from instep.identity.schemas import Ctx
from instep.web.shapes import AuthorOut
from instep.webhooks import queries
from instep.webhooks.schemas import EventDataOut, EventKind, EventOut


async def emit(ctx: Ctx, kind: EventKind, after: BaseModel, before: BaseModel | None = None) -> None:
    """Store an event, and a delivery of it to each endpoint that asks for its kind.

    `after` is the resource as GET returns it after the change, `before` the same before it. Call it in the
    transaction of the change, after the change: both are committed or neither is. Nothing is stored without
    an endpoint that asks for the kind.
    """
    await emit_each(ctx, kind, [(after, before)])


async def emit_each(ctx: Ctx, kind: EventKind, changes: Sequence[tuple[BaseModel, BaseModel | None]]) -> None:
    """The same for several resources that one change touches: an event for each."""
    if endpoints := await queries.endpoints_for(ctx, kind):
        events = [build_event(ctx, kind, after, before) for after, before in changes]
        await queries.insert_events(ctx, events, endpoints)


def build_event(ctx: Ctx, kind: EventKind, after: BaseModel, before: BaseModel | None) -> EventOut:
    return EventOut(
        id=new_id("evt"),
        type=kind,
        created_at=ctx.now,
        bot_id=str(ctx.bot.id),
        actor=AuthorOut(type=ctx.actor.type, name=ctx.actor.name),
        data=EventDataOut(
            object=as_sent(after), previous_attributes=previous(as_sent(before), as_sent(after))
        ),
    )


def as_sent(resource: BaseModel | None) -> dict[str, Any]:
    return {} if resource is None else resource.model_dump(mode="json", by_alias=True)


def previous(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The fields that differ, as they were."""
    return {name: value for name, value in before.items() if after.get(name) != value}
