"""Events: written in the transaction of the change, with the body that every attempt sends."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from instep.core.ids import new_id
from instep.identity.schemas import Ctx
from instep.web.shapes import AuthorOut
from instep.webhooks import queries
from instep.webhooks.schemas import EventDataOut, EventKind, EventOut


async def emit(ctx: Ctx, kind: EventKind, shown: BaseModel, before: BaseModel | None = None) -> None:
    """Leave an event, and a delivery of it to each endpoint that asks for its kind.

    `shown` is the resource as GET returns it after the change, `before` the same before it. Call it in the
    transaction of the change, after the change: both come to be or neither does. Without an endpoint that
    asks for it nothing is kept.
    """
    await emit_each(ctx, kind, [(shown, before)])


async def emit_each(ctx: Ctx, kind: EventKind, changes: Sequence[tuple[BaseModel, BaseModel | None]]) -> None:
    """The same for several resources that one change touches: an event for each."""
    if endpoints := await queries.endpoints_for(ctx, kind):
        events = [event_of(ctx, kind, shown, before) for shown, before in changes]
        await queries.insert_events(ctx, events, endpoints)


def event_of(ctx: Ctx, kind: EventKind, shown: BaseModel, before: BaseModel | None) -> EventOut:
    after = as_sent(shown)
    return EventOut(
        id=new_id("evt"),
        type=kind,
        created_at=ctx.now,
        bot_id=str(ctx.bot.id),
        actor=AuthorOut(type=ctx.actor.type, name=ctx.actor.name),
        data=EventDataOut(object=after, previous_attributes=previous(as_sent(before), after)),
    )


def as_sent(shown: BaseModel | None) -> dict[str, Any]:
    return {} if shown is None else shown.model_dump(mode="json", by_alias=True)


def previous(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The fields that differ, as they were."""
    return {name: value for name, value in before.items() if after.get(name) != value}
