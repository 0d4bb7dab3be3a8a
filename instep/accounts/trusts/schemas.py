"""The shapes of trusts and of their tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from instep.platform.core import limits
from instep.platform.identity.scopes import Scope
from instep.platform.web.shapes import Out, Timestamp

# The names of token types (RFC 8693 section 3).
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
JWT = "urn:ietf:params:oauth:token-type:jwt"


@dataclass(frozen=True, slots=True)
class Trust:
    """One row of `trusts`; `bot_ids` is None for all bots of the workspace, including future ones."""

    id: str
    workspace_id: str
    issuer: str
    audience: str
    claims: dict[str, str]
    bot_ids: list[UUID] | None
    scope: str
    created_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class TrustFields:
    """The claims that a new trust requires, and the access that it gives; without bots, to all of them."""

    issuer: str
    audience: str
    claims: Mapping[str, str]
    bot_ids: Sequence[UUID]
    scope: Scope


@dataclass(frozen=True, slots=True)
class TokenExchange:
    """A token exchange request (RFC 8693 section 2.1); `named` is the id of a trust or of its workspace."""

    id_token: str
    named: str | None
    scope: str | None


class TrustOut(Out):
    """A trust, and whether it has ended."""

    id: str
    workspace_id: str
    issuer: str
    audience: str
    claims: dict[str, str]
    bot_ids: list[str] | None
    scope: str
    created_at: Timestamp
    used_at: Timestamp | None
    revoked_at: Timestamp | None


class ExchangedToken(BaseModel):
    """The token exchange response (RFC 8693 section 2.2.1)."""

    access_token: str
    issued_token_type: str = ACCESS_TOKEN
    token_type: Literal["Bearer"] = "Bearer"
    expires_in: int = int(limits.TRUST_TOKEN_TTL.total_seconds())
    scope: str


def trust_out(trust: Trust) -> TrustOut:
    bots = [str(bot) for bot in trust.bot_ids] if trust.bot_ids is not None else None
    return TrustOut.of_row(trust, bot_ids=bots)
