"""Visitor tokens: JWTs (RFC 7519) with which a customer's server proves that a visitor is signed in."""

import secrets
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from joserfc.jwt import JWTClaimsRegistry

from instep.answers import queries
from instep.core import limits
from instep.core.crypto import Unreadable, key_ring
from instep.core.errors import InvalidValue
from instep.identity.schemas import Ctx

ALGORITHM = "HS256"
PREFIX = "vis_"
SECRET_BYTES = 32
INVALID_TOKEN = (
    "it must be a JWT that is not over, with `sub` and `exp`, signed with HS256 and this bot's visitor secret"
)


async def visitor_secret(ctx: Ctx, rotate: bool = False) -> str:
    """The bot's secret, created when it has none. Rotating it ends the tokens signed with the old one."""
    sealed = None if rotate else await queries.find_visitor_secret(ctx, lock=True)
    if sealed is not None:
        return key_ring().open(sealed, *column_of(ctx))
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    await queries.save_visitor_secret(ctx, key_ring().seal(secret, *column_of(ctx)))
    return secret


async def refuse_unproven(ctx: Ctx, token: str) -> None:
    """Raise unless the token proves a signed-in visitor."""
    sealed = await queries.find_visitor_secret(ctx)
    if sealed is None or not is_valid_token(token, open_secret(ctx, sealed), int(ctx.now.timestamp())):
        raise InvalidValue("visitorToken", INVALID_TOKEN)


def open_secret(ctx: Ctx, sealed: bytes) -> str | None:
    try:
        return key_ring().open(sealed, *column_of(ctx))
    except Unreadable:
        return None


def is_valid_token(token: str, secret: str | None, now: int) -> bool:
    if secret is None:
        return False
    registry = JWTClaimsRegistry(
        now,
        leeway=limits.VISITOR_TOKEN_LEEWAY_SECONDS,
        sub={"essential": True},
        exp={"essential": True},
    )
    try:
        claims: dict[str, Any] = jwt.decode(token, OctKey.import_key(secret), algorithms=[ALGORITHM]).claims
        registry.validate(claims)
    except (JoseError, ValueError, TypeError, OverflowError, RecursionError):
        return False
    return isinstance(claims["sub"], str) and bool(claims["sub"].strip())


def column_of(ctx: Ctx) -> tuple[str, ...]:
    """The stored field that the secret is sealed for; elsewhere it can't be opened."""
    return ("visitor_secrets", "sealed", ctx.workspace_id, str(ctx.bot.id))
