"""Who is signed in on a customer's page: a token that the customer's server signs with the bot's secret."""

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
REFUSED = (
    "it must be a JWT that is not over, with `sub` and `exp`, signed with HS256 and this bot's visitor secret"
)


async def visitor_secret(ctx: Ctx, rotate: bool = False) -> str:
    """The bot's secret, made when it has none; a new one ends the tokens that were signed with the old."""
    sealed = None if rotate else await queries.find_visitor_secret(ctx, lock=True)
    if sealed is not None:
        return key_ring().open(sealed, *place(ctx))
    made = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    await queries.save_visitor_secret(ctx, key_ring().seal(made, *place(ctx)))
    return made


async def refuse_unproven(ctx: Ctx, token: str) -> None:
    """Raise unless the token proves a signed-in visitor."""
    sealed = await queries.find_visitor_secret(ctx)
    if sealed is None or not proves(token, opened(ctx, sealed), int(ctx.now.timestamp())):
        raise InvalidValue("visitorToken", REFUSED)


def opened(ctx: Ctx, sealed: bytes) -> str | None:
    try:
        return key_ring().open(sealed, *place(ctx))
    except Unreadable:
        return None


def proves(token: str, secret: str | None, now: int) -> bool:
    if secret is None:
        return False
    claims = JWTClaimsRegistry(
        now,
        leeway=limits.VISITOR_TOKEN_LEEWAY_SECONDS,
        sub={"essential": True},
        exp={"essential": True},
    )
    try:
        found: dict[str, Any] = jwt.decode(token, OctKey.import_key(secret), algorithms=[ALGORITHM]).claims
        claims.validate(found)
    except (JoseError, ValueError, TypeError, OverflowError, RecursionError):
        return False
    return isinstance(found["sub"], str) and bool(found["sub"].strip())


def place(ctx: Ctx) -> tuple[str, ...]:
    return ("visitor_secrets", "sealed", ctx.workspace_id, str(ctx.bot.id))
