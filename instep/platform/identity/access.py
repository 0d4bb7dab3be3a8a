"""`@writes` decides whether a caller may change something, and records the change."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from instep.platform.core.database import Tx
from instep.platform.core.errors import InsufficientScope, PlanInactive
from instep.platform.core.pipeline import Reply
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import Ctx, WorkspaceCtx
from instep.platform.identity.scopes import VERBS, Scope


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> object: ...


# Delays a pause until this transaction ends, so that no write commits after the pause.
HOLD_OPEN = "select hold_open(%(workspace)s)"
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
# The changed resource or its id, which the audit log names.
Changed = TypeVar("Changed", bound=Identified | str)
Context = TypeVar("Context", Ctx, WorkspaceCtx)
Action = Callable[Concatenate[Context, Arguments], Coroutine[Any, Any, Result]]


def writes(action: Action[Context, Arguments, Changed]) -> Action[Context, Arguments, Changed]:
    """Mark an action that changes something.

    Such an action refuses callers without `content:write` (403) and paused workspaces (402), and is recorded
    in the audit log.
    """
    return _changes(action, Scope.WRITE)


def proposes(action: Action[Context, Arguments, Changed]) -> Action[Context, Arguments, Changed]:
    """Mark an action that only adds to the review queue: `content:propose` suffices."""
    return _changes(action, Scope.PROPOSE)


def _changes(
    action: Action[Context, Arguments, Changed], scope: Scope
) -> Action[Context, Arguments, Changed]:
    @wraps(action)
    async def guarded(ctx: Context, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Changed:
        refuse_beyond(ctx.actor.scope, scope)
        ctx.tx.queue(HOLD_OPEN, refuse_closed, workspace=ctx.workspace_id)
        try:
            result = await action(ctx, *args, **kwargs)
        except Exception as error:
            # A pause takes precedence over anything that is wrong with the request.
            await ctx.tx.flush_after(error)
            raise
        resource = result if isinstance(result, str) else str(result.id)
        bot = ctx.bot.id if isinstance(ctx, Ctx) else None
        await record(ctx.tx, ctx.workspace_id, ctx.actor, action.__name__, resource, bot)
        return result

    guarded.__dict__["scope"] = scope
    return cast(Action[Context, Arguments, Changed], guarded)


def visitors_write(action: Action[Ctx, Arguments, Result]) -> Action[Ctx, Arguments, Result]:
    """Mark an action of a visitor, who needs no API key; it refuses paused workspaces (402)."""

    @wraps(action)
    async def guarded(ctx: Ctx, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        await refuse_paused(ctx)
        return await action(ctx, *args, **kwargs)

    guarded.__dict__["scope"] = Scope.WRITE
    return cast(Action[Ctx, Arguments, Result], guarded)


def scope_of(action: Callable[..., Any]) -> Scope:
    """The scope that the action needs."""
    return getattr(action, "scope", Scope.READ)


def refuse_beyond(scope: Scope, needed: Scope) -> None:
    if not scope.covers(needed):
        raise InsufficientScope(f"This API key can only {VERBS[scope]}: use one with the scope `{needed}`.")


async def refuse_paused(ctx: Ctx | WorkspaceCtx) -> None:
    await hold_open(ctx.tx, ctx.workspace_id)


async def hold_open(tx: Tx, workspace_id: str) -> None:
    """Refuse a paused workspace, and delay a pause until this transaction ends."""
    tx.queue(HOLD_OPEN, refuse_closed, workspace=workspace_id)
    await tx.flush()


def refuse_closed(reply: Reply) -> None:
    if not reply.value():
        raise PlanInactive
