"""ID tokens of CI jobs (OpenID Connect Core 1.0 section 2): the keys of their issuers, and validation.

An issuer's documents are fetched through the outbound guard, and only if a trust names the issuer.
"""

import asyncio
import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from cachetools import LRUCache
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import Unavailable
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import fetch
from instep.platform.identity.issuers import ALGORITHMS, signing_keys

log = structlog.get_logger()
ANSWERS_JSON = {"Accept": "application/json", "User-Agent": "Instep"}


class InvalidIdToken(Exception):
    """The ID token is not valid; the message says why, for the log."""


class IssuerUnavailable(Unavailable):
    """The issuer of this ID token gives no answer just now: try again in a moment."""

    retry_seconds = 5


@dataclass(frozen=True, slots=True)
class IdToken:
    """An ID token before verification: the issuer and the key that it claims."""

    text: str
    issuer: str
    key_id: str | None

    @property
    def content_hash(self) -> bytes:
        """The hash of the signed content; two signatures of the same content have the same hash."""
        return hashlib.sha256(self.text.rpartition(".")[0].encode()).digest()


@dataclass(frozen=True, slots=True)
class CachedKeys:
    """The keys of an issuer, and when they were fetched."""

    keys: KeySet
    fetched_at: datetime

    def serves(self, key_id: str | None, now: datetime) -> bool:
        """True if the keys are fresh enough for a token with this key."""
        age = now - self.fetched_at
        is_known = key_id is None or any(key.kid == key_id for key in self.keys)
        return age < (limits.ISSUER_KEYS_TTL if is_known else limits.MIN_ISSUER_KEYS_AGE)


class Issuers:
    """The keys of issuers that this process has fetched."""

    def __init__(self, client: OutboundClient) -> None:
        self.client = client
        self.cached: LRUCache[str, CachedKeys] = LRUCache(limits.MAX_CACHED_ISSUERS)

    async def keys_for(self, token: IdToken) -> KeySet:
        """The keys of the token's issuer; raises `InvalidIdToken` and `IssuerUnavailable`."""
        cached = self.cached.get(token.issuer)
        if cached is None or not cached.serves(token.key_id, utc_now()):
            cached = CachedKeys(await fetch_keys(self.client, token.issuer), utc_now())
            self.cached[token.issuer] = cached
        return cached.keys


async def fetch_keys(client: OutboundClient, issuer: str) -> KeySet:
    """The keys that the issuer's discovery document names (OpenID Connect Discovery 1.0 section 4)."""
    document = await fetch_json(client, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    address = document.get("jwks_uri")
    if document.get("issuer") != issuer or not isinstance(address, str):
        raise InvalidIdToken("the issuer does not publish its configuration")
    try:
        return KeySet.import_key_set({"keys": signing_keys(await fetch_json(client, address))})
    except (JoseError, ValueError, TypeError, KeyError):
        raise InvalidIdToken("the issuer has no keys that can be used") from None


async def fetch_json(client: OutboundClient, url: str) -> dict[str, Any]:
    try:
        async with asyncio.timeout(limits.OUTBOUND_SECONDS):
            response = await fetch(client, url, ANSWERS_JSON, limits.MAX_ISSUER_DOCUMENT_BYTES)
    except (TimeoutError, RequestFailed) as failure:
        log.info("issuer_unavailable", url=url, reason=str(failure) or "no answer in time")
        raise IssuerUnavailable from None
    if response.status == 429 or response.status >= 500:
        log.info("issuer_unavailable", url=url, reason=f"status {response.status}")
        raise IssuerUnavailable
    document = read_json(response.body) if response.status == 200 else None
    if not isinstance(document, dict):
        raise InvalidIdToken(f"{url} responds with {response.status} and no JSON object")
    return document


def read_id_token(text: str) -> IdToken:
    """The token with its unverified claims; raises `InvalidIdToken`."""
    parts = text.split(".")
    if len(parts) != 3 or len(text) > limits.MAX_ID_TOKEN_CHARACTERS or not text.isascii():
        raise InvalidIdToken("not a signed token")
    header, claims = (read_json(decode_part(part)) for part in parts[:2])
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise InvalidIdToken("not a signed token")
    issuer, key_id = claims.get("iss"), header.get("kid")
    if not isinstance(issuer, str) or not isinstance(key_id, str | None):
        raise InvalidIdToken("a token without issuer")
    return IdToken(text, issuer, key_id)


def decode_part(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        raise InvalidIdToken("not a signed token") from None


def read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def verified_claims(token: IdToken, keys: KeySet, now: datetime) -> dict[str, Any]:
    """The claims of a valid token, whose audience each trust checks; raises `InvalidIdToken`."""
    registry = JWTClaimsRegistry(
        int(now.timestamp()),
        leeway=limits.OIDC_LEEWAY_SECONDS,
        iss={"essential": True, "value": token.issuer},
        sub={"essential": True},
        aud={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )
    try:
        claims: dict[str, Any] = jwt.decode(token.text, keys, algorithms=ALGORITHMS).claims
        registry.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise InvalidIdToken(str(error) or type(error).__name__) from None
    if now.timestamp() - claims["iat"] > limits.ID_TOKEN_MAX_AGE.total_seconds():
        raise InvalidIdToken("issued too long ago")
    return claims


def audiences_of(claims: dict[str, Any]) -> list[str]:
    audience = claims["aud"]
    return [audience] if isinstance(audience, str) else list(audience)
