"""Connections of AI clients: how their tokens look, and the statement that a request with one begins with."""

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID

from instep.core import limits
from instep.core.config import Settings
from instep.core.database import Database, Tx
from instep.identity.keys import hash_key
from instep.identity.schemas import TokenAuth
from instep.identity.scopes import intersect

ACCESS, REFRESH, CODE = "isa_", "isr_", "isc_"
RANDOM_BYTES = 32
# The one resource that access tokens open, below the address of the installation, and where it is described.
RESOURCE_PATH = "/mcp/admin"
METADATA_PATH = f"/.well-known/oauth-protected-resource{RESOURCE_PATH}"
SHAPE = re.compile(r"is[arc]_[0-9A-Za-z_-]{43}")


def resource_of(settings: Settings) -> str:
    """The audience of every token (RFC 8707)."""
    return settings.base_url + RESOURCE_PATH


def metadata_address(settings: Settings) -> str:
    """Where a client finds out how to get a token (RFC 9728)."""
    return settings.base_url + METADATA_PATH


def new_token(prefix: str) -> str:
    """256 random bits behind a prefix that says what they are for."""
    return prefix + secrets.token_urlsafe(RANDOM_BYTES)


def is_token(text: str, prefix: str) -> bool:
    return text.startswith(prefix) and SHAPE.fullmatch(text) is not None


@asynccontextmanager
async def authenticate_token(
    database: Database, token: str, resource: str, bot: UUID | None, address: str
) -> AsyncIterator[tuple[TokenAuth, Tx]]:
    """Find who connected the app, count the request, resolve the bot, enter the workspace: one round trip."""
    async with database.enter(
        TokenAuth,
        "select * from enter_with_token(%(token)s, %(resource)s, %(bot)s, %(address)s, %(seconds)s)",
        token=hash_key(token),
        resource=resource,
        bot=bot,
        address=address,
        seconds=limits.REQUEST_WINDOW_SECONDS,
    ) as (auth, tx):
        assert auth is not None, "enter_with_token always returns a row"
        yield without_excess(auth), tx


def without_excess(auth: TokenAuth) -> TokenAuth:
    """With the scope that its person has too: a role may have become smaller since the consent."""
    if auth.person is None or auth.scope is None:
        return auth
    return replace(auth, scope=intersect(auth.scope, auth.person.permissions.scope))
