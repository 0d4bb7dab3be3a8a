"""Visitor tokens: JWTs (RFC 7519) with which a customer's server proves that a visitor is signed in."""

import secrets
from contextlib import suppress
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from joserfc.jwt import JWTClaimsRegistry

from instep.platform.core import limits
from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.core.errors import InvalidValue
from instep.platform.identity.schemas import Ctx
from instep.visitors.answers import queries

ALGORITHM = "HS256"
PREFIX = "vis_"
SECRET_BYTES = 32
INVALID_TOKEN = (
    "it must be an unexpired JWT with `sub` and `exp`, signed with HS256 and this bot's visitor secret"
)


async def visitor_secret(ctx: Ctx, rotate: bool = False) -> str:
    """The bot's secret, created when it has none. Rotating it ends the tokens signed with the old one."""
    sealed = None if rotate else await queries.find_visitor_secret(ctx, lock=True)
    if sealed is not None:
        return key_ring().open(sealed, *column_of(ctx))
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    await queries.save_visitor_secret(ctx, key_ring().seal(secret, *column_of(ctx)))
    return secret


async def require_claims(ctx: Ctx, token: str) -> dict[str, Any]:
    """The claims of the token; raises `InvalidValue` unless it proves a signed-in visitor."""
    claims = await proven_claims(ctx, token)
    if claims is None:
        raise InvalidValue("visitorToken", INVALID_TOKEN)
    return claims


async def proven_claims(ctx: Ctx, token: str) -> dict[str, Any] | None:
    """The claims of a token of a signed-in visitor; None if it proves nothing, or no longer."""
    secret = await current_secret(ctx)
    return None if secret is None else claims_of(token, secret, int(ctx.now.timestamp()))


async def visitor_session_token(ctx: Ctx, subject: str) -> str:
    """A token of our own, for a visitor proven by another token: a session.

    It is signed as the customer's tokens are, so that it opens the same, and a new secret ends it too.
    """
    secret = await current_secret(ctx)
    if secret is None:
        raise InvalidValue("token", INVALID_TOKEN)
    end = int(ctx.now.timestamp()) + limits.VISITOR_SESSION_SECONDS
    return jwt.encode({"alg": ALGORITHM}, {"sub": subject, "exp": end}, OctKey.import_key(secret))


async def current_secret(ctx: Ctx) -> str | None:
    """The bot's secret; None if it has none, or one that can't be opened."""
    sealed = await queries.find_visitor_secret(ctx)
    with suppress(Unreadable):
        return None if sealed is None else key_ring().open(sealed, *column_of(ctx))
    return None


def claims_of(token: str, secret: str, now: int) -> dict[str, Any] | None:
    """The claims of a token that is valid at this time (seconds since 1970)."""
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
        return None
    return claims if isinstance(claims["sub"], str) and claims["sub"].strip() else None


def column_of(ctx: Ctx) -> tuple[str, ...]:
    """The stored field that the secret is encrypted for; elsewhere it can't be decrypted."""
    return ("visitor_secrets", "sealed", ctx.workspace_id, str(ctx.bot.id))
