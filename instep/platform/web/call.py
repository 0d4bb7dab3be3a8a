"""The declaration of a route about its callers, and one authenticated call."""

import inspect
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any, Literal, cast

from fastapi import Depends
from starlette.datastructures import State
from starlette.requests import Request

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.core.paging import PageRequest
from instep.platform.core.replica import Replica
from instep.platform.core.settings import Settings
from instep.platform.identity.queries import ENTER_BOT, covers_all, list_covered_bots
from instep.platform.identity.schemas import Actor, BotStamp, Channel, Ctx, KeyAuth, WorkspaceCtx
from instep.platform.identity.scopes import Role, Scope


@dataclass(frozen=True, slots=True)
class Access:
    """A route's declaration of its callers; the application does not start with a route without one."""

    scope: Scope
    needs_bot: bool
    needs_scope: bool
    body_bytes: int
    # Whether the action may add warnings, which are sent as `Instep-Warnings`.
    may_warn: bool = False

    @property
    def is_write(self) -> bool:
        return self.scope != Scope.READ


@dataclass(frozen=True, slots=True)
class BotKeyAccess:
    """The declaration of a visitor API route: callers send a bot's id and its public key."""

    is_write: bool
    takes_long: bool = False
    # Whether it only reads data for a widget: such calls have their own limit, so that browsing
    # does not use up the allowed questions.
    only_reads: bool = False


@dataclass(frozen=True, slots=True)
class ToolsAccess:
    """The declaration of an MCP server's route: its credential. Each tool declares its own access."""

    credential: Literal["API key or connected app", "bot key"]


@dataclass(frozen=True, slots=True)
class PersonAccess:
    """The declaration of a page: it needs a signed-in person with this role or a higher one."""

    role: Role


@dataclass(frozen=True, slots=True)
class AppAccess:
    """The declaration of an OAuth endpoint: apps identify themselves with codes, tokens or nothing."""


@dataclass(slots=True)
class Window:
    """One rate limit as the RateLimit header fields report it (draft-ietf-httpapi-ratelimit-headers)."""

    policy: str
    quota: int
    seconds: int
    hits: int
    seconds_left: int

    @property
    def is_over(self) -> bool:
        return self.hits > self.quota

    @property
    def policy_field(self) -> str:
        return f'"{self.policy}";q={self.quota};w={self.seconds}'

    @property
    def limit_field(self) -> str:
        return f'"{self.policy}";r={max(0, self.quota - self.hits)};t={self.seconds_left}'


@dataclass(slots=True)
class Call:
    """One authenticated call of the management API."""

    auth: KeyAuth
    tx: Tx
    access: Access
    settings: Settings
    cursor_key: bytes
    names_bot: bool
    windows: list[Window] = field(default_factory=list)
    channel: Channel = "rest"
    # Sentences that the action adds to its result.
    warnings: list[str] = field(default_factory=list)
    replica: Replica | None = None
    # The state of the application, for tools that ask a language model.
    state: State = field(default_factory=State)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Ctx]:
        """The context of an action; a write runs in a transaction that ends with the block."""
        assert self.auth.bot is not None, "the route has resolved the bot"
        async with self.transaction_of_write():
            yield Ctx(self.tx, self.auth.bot, self.actor, utc_now(), self.warnings)

    @asynccontextmanager
    async def begin_reading(self) -> AsyncIterator[Ctx]:
        """The context of an action that reads articles, collections or changelog entries of its bot.

        It reads from a replica that has the bot's last change; one that is behind is not used.
        """
        async with self.begin() as ctx:
            if self.replica is None:
                yield ctx
                return
            state = await self.tx.fetch_one(BotStamp, ENTER_BOT, slug=ctx.bot.slug)
            async with self.replica.enter(state, ENTER_BOT, slug=ctx.bot.slug) as replica_tx:
                if replica_tx is None:
                    yield ctx
                else:
                    await self.tx.release()
                    yield replace(ctx, tx=replica_tx)

    @asynccontextmanager
    async def begin_in_workspace(self) -> AsyncIterator[WorkspaceCtx]:
        """The context of an action on a workspace, with all bots of the key or the named one.

        A call that names a bot acts like one with a key for this bot only.
        """
        assert self.auth.key_id is not None, "the route lets only keys in"
        assert self.auth.workspace_id is not None, "a key belongs to a workspace"
        key = self.auth.key_id
        async with self.transaction_of_write():
            bot = self.auth.bot if self.names_bot else None
            bots = [bot] if bot is not None else await list_covered_bots(self.tx, key)
            has_all_bots = not self.names_bot and await covers_all(self.tx, key)
            yield WorkspaceCtx(
                self.tx, self.auth.workspace_id, tuple(bots), has_all_bots, self.actor, utc_now()
            )

    @asynccontextmanager
    async def transaction_of_write(self) -> AsyncIterator[None]:
        if not self.access.is_write:
            yield
            return
        async with self.tx.transaction():
            yield

    @property
    def actor(self) -> Actor:
        return self.auth.as_actor(self.channel)

    def page(self, size: int, cursor: str | None) -> PageRequest:
        return PageRequest(self.cursor_key, size, cursor)


async def current_call(request: Request) -> Call:
    # A coroutine, because FastAPI would run a plain function in a thread.
    return cast(Call, request.state.call)


CurrentCall = Annotated[Call, Depends(current_call)]


def in_context(
    handler: Callable[..., Any], page_parameters: Sequence[Parameter], *, reads_replica: bool = False
) -> Callable[..., Any]:
    """A function of a call and the handler's own parameters, which opens the handler's context, `ctx`.

    A handler that takes a `page` gets the one that two parameters, its size and its cursor, ask for. A
    handler that takes the call itself stays as it is.
    """
    parameters = dict(inspect.signature(handler).parameters)
    if "ctx" not in parameters:
        return handler
    begin = "begin_reading" if reads_replica else "begin"
    if parameters.pop("ctx").annotation is WorkspaceCtx:
        begin = "begin_in_workspace"
    size, cursor = (parameter.name for parameter in page_parameters)
    is_list = parameters.pop("page", None) is not None

    @wraps(handler)
    async def run(call: Call, **values: Any) -> Any:
        if is_list:
            values["page"] = call.page(values.pop(size), values.pop(cursor))
        async with getattr(call, begin)() as ctx:
            return await handler(ctx, **values)

    call = Parameter("call", Parameter.KEYWORD_ONLY, annotation=CurrentCall)
    others = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    run.__dict__["__signature__"] = inspect.Signature([call, *others, *(page_parameters if is_list else ())])
    return run
