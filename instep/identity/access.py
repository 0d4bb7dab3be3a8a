"""`@writes`: the only place that decides whether a caller may change something."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from instep.core.errors import InsufficientScope, PlanInactive
from instep.identity.schemas import Ctx, WorkspaceCtx

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Context = TypeVar("Context", Ctx, WorkspaceCtx)
Action = Callable[Concatenate[Context, Arguments], Coroutine[Any, Any, Result]]


def writes(action: Action[Context, Arguments, Result]) -> Action[Context, Arguments, Result]:
    """Mark an action that changes something: it refuses read keys (403) and paused workspaces (402)."""

    @wraps(action)
    async def guarded(ctx: Context, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        refuse_read_only(ctx.actor.can_write)
        await refuse_paused(ctx)
        return await action(ctx, *args, **kwargs)

    guarded.__dict__["is_write"] = True
    return cast(Action[Context, Arguments, Result], guarded)


def visitors_write(action: Action[Ctx, Arguments, Result]) -> Action[Ctx, Arguments, Result]:
    """Mark an action by which a visitor leaves something, who needs no key: it refuses paused workspaces."""

    @wraps(action)
    async def guarded(ctx: Ctx, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        await refuse_paused(ctx)
        return await action(ctx, *args, **kwargs)

    guarded.__dict__["is_write"] = True
    return cast(Action[Ctx, Arguments, Result], guarded)


def is_write(action: Callable[..., Any]) -> bool:
    return getattr(action, "is_write", False)


def refuse_read_only(can_write: bool) -> None:
    if not can_write:
        raise InsufficientScope("This API key may only read: use one with the scope `content:write`.")


async def refuse_paused(ctx: Ctx | WorkspaceCtx) -> None:
    # Holds a pause back until this transaction has ended: no write commits after the pause.
    if not await ctx.tx.value("select hold_open(%(workspace)s)", workspace=ctx.workspace_id):
        raise PlanInactive
