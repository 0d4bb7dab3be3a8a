"""Visitor tokens, signed as by a customer's server or forged."""

import base64
import hmac
import json
from typing import Any

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from instep.visitors.answers.visitor_tokens import visitor_secret
from tests.support.cast import Company

OPERATOR = Actor("command", "instep", can_write=True)
DIGESTS = {"HS256": "sha256", "HS384": "sha384", "HS512": "sha512"}


async def secret_of(owner: Tx, company: Company, rotate: bool = False) -> str:
    """The bot's visitor secret, as the command prints it."""
    async with owner.transaction():
        ctx = Ctx(owner, await find_bot(owner, company.bot_id), OPERATOR, utc_now())
        return await visitor_secret(ctx, rotate)


def now() -> int:
    return int(utc_now().timestamp())


def claims(**changed: Any) -> dict[str, Any]:
    return {"sub": "ann", "exp": now() + 600, **changed}


def sign(secret: str, payload: Any, algorithm: str = "HS256", **header: Any) -> str:
    """Build a token by hand, so that tests can send tokens that no library would create."""
    parts = [encoded(json.dumps({"alg": algorithm, "typ": "JWT", **header})), encoded(json.dumps(payload))]
    digest = DIGESTS.get(algorithm)
    signature = hmac.digest(secret.encode(), ".".join(parts).encode(), digest) if digest else b""
    return ".".join([*parts, encoded(signature)])


def encoded(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
