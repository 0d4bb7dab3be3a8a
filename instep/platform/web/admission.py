"""Authentication of a management API request: the credential, its counts, its bot, its permissions."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from starlette.requests import Request

from instep.platform.core import limits
from instep.platform.core.database import Database, Guard, Tx
from instep.platform.core.errors import (
    InsufficientScope,
    InvalidValue,
    PlanInactive,
    RateLimited,
    Unauthorized,
)
from instep.platform.core.ids import NO_UUID, as_uuid
from instep.platform.core.outages import DatabaseFull
from instep.platform.core.settings import Settings
from instep.platform.identity.access import refuse_beyond
from instep.platform.identity.bots import refuse_without_bot
from instep.platform.identity.keys import (
    authenticate_key,
    authenticate_uncounted,
    hash_of_presented,
    key_statement,
    recent_keys,
)
from instep.platform.identity.queries import is_in_force
from instep.platform.identity.schemas import KeyAuth
from instep.platform.identity.scopes import Scope as KeyScope
from instep.platform.web.call import Access, Window
from instep.platform.web.client_addresses import client_address
from instep.platform.web.strict_request import StrictRequest

AuthContext = AbstractAsyncContextManager[tuple[KeyAuth, Tx]]
Authenticate = Callable[[Database, str | None, UUID | None, str], AuthContext]

ANY_KEY = Access(KeyScope.READ, needs_bot=False, needs_scope=False, body_bytes=limits.MAX_BODY_BYTES)


class OtherResult(Exception):
    """The key's result differs from the cached one: the request begins again with the new result."""


@dataclass(slots=True)
class Admission:
    """The authentication of one request, done and counted once, even if its transaction restarts."""

    request: StrictRequest
    access: Access
    windows: list[Window]
    max_body_bytes: int
    authenticate: Authenticate = authenticate_key
    auth: KeyAuth | None = None
    bot_names: list[str] = field(init=False)
    key_hash: bytes | None = field(init=False)

    def __post_init__(self) -> None:
        self.bot_names = named_bots(self.request)
        self.key_hash = (
            hash_of_presented(bearer_token(self.request)) if self.authenticate is authenticate_key else None
        )

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[tuple[KeyAuth, Tx]]:
        """Authenticate; yields the result, and a connection in the credential's workspace."""
        state = self.request.app.state
        if self.auth is not None:
            # The previous attempt may have added windows after that of requests.
            del self.windows[1:]
            async with state.database.enter_workspace(self.auth.workspace_id or "") as tx:
                await refuse_request(self.auth, tx, self.access, self.bot_names, self.windows[0])
                yield self.auth, tx
            return
        await read_small_body(self.request)
        expected = self.expected_auth()
        if expected is not None:
            guard = self.guard_for(expected)
            async with state.database.enter_optimistically(expected.workspace_id or "", guard) as tx:
                yield expected, tx
            return
        rules = (self.access, self.windows, state.settings, self.authenticate)
        context = authenticate_request(self.request, state.database, *rules)
        async with with_body(self.request, self.max_body_bytes, state.database, context) as (auth, tx):
            self.auth = auth
            yield auth, tx

    def begin_again(self, reason: OtherResult | DatabaseFull) -> None:
        """Prepare another attempt; raises `reason` if there can't be one.

        While the disk is full no request can be counted. Then a read goes on uncounted.
        """
        if isinstance(reason, OtherResult):
            return
        is_read = self.request.method in ("GET", "HEAD")
        if self.auth is not None or self.key_hash is None or not is_read:
            raise reason
        self.authenticate, self.key_hash = authenticate_uncounted, None

    def expected_auth(self) -> KeyAuth | None:
        """The most likely result of the key; None if it is unknown, or if more of the body must be read."""
        if not self.request.is_whole:
            return None
        expected = recent_keys.find(self.key_hash, named_bot(self.bot_names))
        if expected is None or (expected.bot_id is None and self.access.needs_bot):
            return None
        return expected

    def guard_for(self, expected: KeyAuth) -> Guard[KeyAuth]:
        """Finds the key, together with the first statement of the action, and refuses as always."""
        bot = named_bot(self.bot_names)

        def check(auth: KeyAuth | None) -> None:
            assert auth is not None, "enter_with_key always returns a row"
            self.windows.append(window_of(auth, self.request.app.state.settings))
            recent_keys.remember(self.key_hash, bot, auth, is_over=self.windows[0].is_over)
            refuse_credential(auth, self.access, self.bot_names, self.windows[0])
            self.auth = auth
            if not auth.leads_to(expected):
                raise OtherResult

        return Guard(KeyAuth, key_statement(self.key_hash, bot, client_address(self.request)), check)


@asynccontextmanager
async def authenticate_request(
    request: Request,
    database: Database,
    access: Access,
    windows: list[Window],
    settings: Settings,
    authenticate: Authenticate = authenticate_key,
) -> AsyncIterator[tuple[KeyAuth, Tx]]:
    bot_names = named_bots(request)
    bot, token = named_bot(bot_names), bearer_token(request)
    async with authenticate(database, token, bot, client_address(request)) as (auth, tx):
        windows.append(window_of(auth, settings))
        if authenticate is authenticate_key:
            recent_keys.remember(hash_of_presented(token), bot, auth, is_over=windows[0].is_over)
        await refuse_request(auth, tx, access, bot_names, windows[0])
        yield auth, tx


async def read_small_body(request: StrictRequest) -> None:
    """Read a small body first, so that one statement begins the request."""
    if request.announced_bytes <= limits.MAX_UNAUTHENTICATED_BODY_BYTES:
        await request.read(limits.MAX_UNAUTHENTICATED_BODY_BYTES)


@asynccontextmanager
async def with_body(
    request: StrictRequest, limit: int, database: Database, context: AuthContext
) -> AsyncIterator[tuple[KeyAuth, Tx]]:
    """Read the rest of a large body, without holding a connection while its bytes arrive.

    This happens after the caller is authenticated and counted; the connection is returned to the pool
    in the meantime, and the credential is checked again. `refuse_too_large` refuses a body above `limit`.
    """
    async with context as (auth, tx):
        if request.is_whole:
            yield auth, tx
            return
    await request.read(limit)
    async with database.enter_workspace(auth.workspace_id or "") as tx:
        if not await is_in_force(tx, auth.key_id or ""):
            raise Unauthorized
        yield auth, tx


def window_of(auth: KeyAuth, settings: Settings) -> Window:
    has_key = auth.key_id is not None
    policy, quota = (
        ("api", settings.requests_per_minute)
        if has_key
        else ("anonymous", settings.anonymous_requests_per_minute)
    )
    return Window(policy, quota, limits.REQUEST_WINDOW_SECONDS, auth.hits, auth.seconds_left)


async def refuse_request(auth: KeyAuth, tx: Tx, access: Access, bot_names: list[str], window: Window) -> None:
    """Refuse what the credential does not permit; the order of checks is the contract's (section 3)."""
    refuse_key(auth, bot_names, window)
    if access.needs_bot:
        await refuse_without_bot(tx, auth, "`bot_id` or the header `Service-Bot`")
    refuse_write(auth, access)


def refuse_credential(auth: KeyAuth, access: Access, bot_names: list[str], window: Window) -> None:
    """The same for a credential that has a bot, or needs none."""
    refuse_key(auth, bot_names, window)
    if auth.bot_id is not None or not access.needs_bot:
        refuse_write(auth, access)


def refuse_key(auth: KeyAuth, bot_names: list[str], window: Window) -> None:
    if auth.key_id is None:
        raise Unauthorized
    if window.is_over:
        raise RateLimited(headers={"Retry-After": str(window.seconds_left)})
    refuse_bot(auth, bot_names)


def refuse_bot(auth: KeyAuth, bot_names: list[str]) -> None:
    if len({as_uuid(name) or name for name in bot_names}) > 1:
        raise InvalidValue("bot_id", "the request names different bots: send `bot_id` or `Service-Bot`, once")
    if bot_names and auth.bot_id is None:
        raise InsufficientScope(
            "This API key does not cover the bot that the request names: `GET /v1/bots` lists the ids of"
            " those that it covers."
        )


def refuse_write(auth: KeyAuth, access: Access) -> None:
    if access.is_write:
        refuse_beyond(KeyScope(auth.scope or KeyScope.READ), access.scope)
        if auth.is_paused:
            raise PlanInactive


def named_bots(request: Request) -> list[str]:
    return [*request.query_params.getlist("bot_id"), *request.headers.getlist("service-bot")]


def named_bot(names: list[str]) -> UUID | None:
    return (as_uuid(names[0]) or NO_UUID) if names else None


def bearer_token(request: Request) -> str | None:
    values = request.headers.getlist("authorization")
    scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else None
