"""OAuth tokens of connected apps: their form, and the authentication of an access token."""

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID

from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.settings import Settings
from instep.platform.identity.keys import hash_key
from instep.platform.identity.queries import BOT_DOMAIN
from instep.platform.identity.schemas import TokenAuth
from instep.platform.identity.scopes import intersect

ACCESS, REFRESH, CODE = "isa_", "isr_", "isc_"
RANDOM_BYTES = 32
# The path of the only protected resource, and that of its metadata (RFC 9728).
RESOURCE_PATH = "/mcp/admin"
METADATA_PATH = f"/.well-known/oauth-protected-resource{RESOURCE_PATH}"
SHAPE = re.compile(r"is[arc]_[0-9A-Za-z_-]{43}")


def resource_of(settings: Settings) -> str:
    """The audience of every token (RFC 8707)."""
    return settings.base_url + RESOURCE_PATH


def metadata_address(settings: Settings) -> str:
    """The URL of the protected resource metadata (RFC 9728)."""
    return settings.base_url + METADATA_PATH


def new_token(prefix: str) -> str:
    """A token of 256 random bits, with a prefix for its kind."""
    return prefix + secrets.token_urlsafe(RANDOM_BYTES)


def is_token(text: str, prefix: str) -> bool:
    return text.startswith(prefix) and SHAPE.fullmatch(text) is not None


@asynccontextmanager
async def authenticate_token(
    database: Database, token: str, resource: str, bot: UUID | None, address: str
) -> AsyncIterator[tuple[TokenAuth, Tx]]:
    """Find the person, count the request, resolve the bot and enter the workspace, in one round trip."""
    async with database.enter(
        TokenAuth,
        f"""select e.*, {BOT_DOMAIN}
        from enter_with_token(%(token)s, %(resource)s, %(bot)s, %(address)s, %(seconds)s) e""",
        token=hash_key(token),
        resource=resource,
        bot=bot,
        address=address,
        seconds=limits.REQUEST_WINDOW_SECONDS,
    ) as (auth, tx):
        assert auth is not None, "enter_with_token always returns a row"
        yield limit_to_role(auth), tx


def limit_to_role(auth: TokenAuth) -> TokenAuth:
    """Limit the scope to the person's current role, which may have been reduced since the consent."""
    if auth.person is None or auth.scope is None:
        return auth
    return replace(auth, scope=intersect(auth.scope, auth.person.permissions.scope))
