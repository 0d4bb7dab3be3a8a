"""Signing in through an OpenID provider (OpenID Connect Core 1.0): code flow, with PKCE, nonce and state.

Only an address that counts as verified identifies a person. The provider's documents, keys and tokens are
fetched through the outbound guard.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry

from instep.accounts.people import queries
from instep.accounts.people.actions import InvalidEmail, valid_email
from instep.accounts.people.attempts import count_question_to_provider
from instep.accounts.people.challenges import put_challenge, take_challenge
from instep.accounts.people.known_browsers import new_cookie
from instep.accounts.people.schemas import (
    INVITATION,
    Attempt,
    Candidate,
    ProviderAccount,
    SignedIn,
    WaitingInvitation,
)
from instep.accounts.people.second_step import SecondStepExpired, begin_in
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.ids import new_id
from instep.platform.core.outbound.client import OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, fetch, send_request
from instep.platform.core.outbound.urls import parse_url
from instep.platform.core.settings import Settings
from instep.platform.identity.audit import record
from instep.platform.identity.issuers import ALGORITHMS, signing_keys
from instep.platform.identity.sessions import new_token

CALLBACK = "/sign-in/oidc/callback"
SCOPE = "openid email"
TENANT = "{tenantid}"
ANSWERS_JSON = {"Accept": "application/json", "User-Agent": "Instep"}


class OidcRefused(InvalidRequest):
    """Signing in there did not work: try again, or use another way to sign in."""


@dataclass(frozen=True, slots=True)
class OpenIdProvider:
    """An OpenID provider by its discovery document, and this installation's client there.

    The issuer of a multi-tenant endpoint contains `{tenantid}`, like that of Microsoft Entra ID; only
    people of trusted issuers may then sign in.
    """

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    takes_basic: bool
    client_id: str
    client_secret: str
    trusted_issuers: frozenset[str]

    def is_issuer(self, issuer: object) -> bool:
        """True if tokens of this issuer are accepted."""
        if TENANT not in self.issuer:
            return issuer == self.issuer
        return isinstance(issuer, str) and is_of_tenant(issuer, self.issuer) and self.trusts(issuer)

    def trusts(self, issuer: str) -> bool:
        return issuer.rstrip("/") in self.trusted_issuers


@dataclass(frozen=True, slots=True)
class OidcRequest:
    """The URL at which the browser signs in, and the token that it keeps in the meantime for this state."""

    token: str
    state: str
    address: str


@dataclass(frozen=True, slots=True)
class ProvedPerson:
    """A person back from the provider, with a session or with a proof for accepting invitations.

    `waiting` are invitations that replace memberships without a proof.
    """

    next_path: str
    waiting: list[WaitingInvitation]
    signed_in: SignedIn | None = None
    proof: str | None = None


async def find_provider(client: OutboundClient, settings: Settings) -> OpenIdProvider:
    """The provider of the settings, from its discovery document; raises `OidcRefused`."""
    issuer = settings.oidc_issuer or ""
    document = await _read_json(client, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    endpoints = {name: document.get(name) for name in names}
    name = document.get("issuer")
    if not isinstance(name, str) or not all(map(is_web_address, endpoints.values())):
        raise OidcRefused(f"{issuer} does not describe itself as an OpenID provider.")
    if name.rstrip("/") != issuer.rstrip("/") and not is_of_tenant(issuer, name):
        raise OidcRefused(
            f"{issuer} calls itself {name}: the operator must set INSTEP_OIDC_ISSUER to that name."
        )
    methods = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return OpenIdProvider(
        name,
        **{name: str(url) for name, url in endpoints.items()},
        takes_basic="client_secret_basic" in methods,
        client_id=settings.oidc_client_id or "",
        client_secret=settings.oidc_client_secret or "",
        trusted_issuers=settings.trusted_issuers,
    )


def is_of_tenant(issuer: str, template: str) -> bool:
    """True if the issuer is the template with a path segment in place of the tenant."""
    before, place, after = template.partition(TENANT)
    return bool(place) and re.fullmatch(f"{re.escape(before)}[^/]+{re.escape(after)}", issuer) is not None


def is_web_address(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(parse_url(value))
    except ValueError:
        return False


async def ask_provider(
    database: Database, client: OutboundClient, settings: Settings, address: str, next_path: str
) -> OidcRequest:
    """Begin to sign in at the provider; only the browser with the token can use the answer.

    The attempt is counted before the provider is called. Raises `TooManyAttempts` and `OidcRefused`.
    """
    async with database.enter_workspace("") as tx:
        await count_question_to_provider(tx, address)
    provider = await find_provider(client, settings)
    nonce, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
    data = {"nonce": nonce, "verifier": verifier, "next": next_path}
    async with database.enter_workspace("") as tx:
        token = await put_challenge(tx, "oidc", data)
    fields = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": settings.base_url + CALLBACK,
        "scope": SCOPE,
        "state": state_of(token),
        "nonce": nonce,
        "code_challenge": base64url(hashlib.sha256(verifier.encode()).digest()),
        "code_challenge_method": "S256",
    }
    separator = "&" if "?" in provider.authorization_endpoint else "?"
    return OidcRequest(
        token, fields["state"], f"{provider.authorization_endpoint}{separator}{urlencode(fields)}"
    )


async def sign_in_by_provider(
    database: Database,
    client: OutboundClient,
    key: bytes,
    settings: Settings,
    token: str,
    answer: dict[str, str],
    attempt: Attempt,
) -> ProvedPerson:
    """Begin a session for the person whom the provider names; others may join with a proof.

    `answer` are the parameters of the callback, `token` is the browser's, and `key` signs the cookie
    of a known browser. Raises `OidcRefused`.
    """
    if not hmac.compare_digest(state_of(token).encode(), answer.get("state", "").encode()):
        raise OidcRefused
    async with database.enter_workspace("") as tx:
        challenge = await take_challenge(tx, "oidc", token)
    if challenge is None or "code" not in answer:
        raise OidcRefused
    provider = await find_provider(client, settings)
    # An answer from another provider is refused (RFC 9207).
    if "iss" in answer and not provider.is_issuer(answer["iss"]):
        raise OidcRefused
    id_token = await _redeem(
        client, provider, answer["code"], challenge.data["verifier"], settings.base_url + CALLBACK
    )
    keys = await _read_json(client, provider.jwks_uri)
    claims = valid_claims(id_token, keys, provider, challenge.data["nonce"])
    account = ProviderAccount(claims["iss"], provider.client_id, claims["sub"])
    async with database.enter_workspace("") as tx:
        email, is_proof = await _find_address(tx, account, claims, provider)
        waiting = await queries.prove_address(tx, email, new_token()) if is_proof else []
    candidate = await _find_or_create(database, email, settings.oidc_create_role)
    next_path = challenge.data["next"]
    if candidate is None:
        if not is_proof or not (waiting or next_path.startswith(f"{INVITATION}?")):
            raise OidcRefused(f"No user has the address {email}: ask an owner for an invitation.")
        async with database.enter_workspace("") as tx:
            proof = await put_challenge(tx, "proved_address", {"email": email})
        return ProvedPerson(next_path, waiting, proof=proof)
    session_token = new_token()
    async with database.enter_workspace(candidate.workspace_id) as tx, tx.transaction():
        await queries.link_provider_account(tx, candidate.id, account)
        try:
            await begin_in(tx, key, candidate, None, session_token, attempt)
        except SecondStepExpired:
            raise OidcRefused from None
    cookie = new_cookie(key, candidate.id, candidate.password_hash, utc_now())
    return ProvedPerson(next_path, waiting, SignedIn(session_token, cookie))


async def _redeem(
    client: OutboundClient, provider: OpenIdProvider, code: str, verifier: str, uri: str
) -> str:
    """Exchange the code for the ID token."""
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": uri,
        "code_verifier": verifier,
    }
    headers = {**ANSWERS_JSON, "Content-Type": "application/x-www-form-urlencoded"}
    if provider.takes_basic:
        # Both are encoded before they are joined (RFC 6749 section 2.3.1).
        pair = f"{quote(provider.client_id, safe='')}:{quote(provider.client_secret, safe='')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    else:
        fields |= {"client_id": provider.client_id, "client_secret": provider.client_secret}
    body = urlencode(fields).encode()
    max_bytes = limits.MAX_OIDC_DOCUMENT_BYTES
    document = _as_json(
        await _within_time(send_request(client, provider.token_endpoint, body, headers, max_bytes))
    )
    id_token = document.get("id_token")
    if not isinstance(id_token, str):
        raise OidcRefused
    return id_token


async def _find_address(
    tx: Tx, account: ProviderAccount, claims: dict[str, Any], provider: OpenIdProvider
) -> tuple[str, bool]:
    """The address of the person with this provider account, and whether the ID token proves it.

    After the first sign-in the account identifies the person, because the address may change and then belong
    to someone else. Raises `OidcRefused`.
    """
    linked = await queries.find_provider_account(tx, account)
    if linked is not None:
        return linked, claims.get("email") == linked and counts_as_verified(claims, provider)
    email = verified_email(claims, provider)
    if not says_verified(claims) and await queries.has_provider_account(tx, account, email):
        raise OidcRefused(
            f"{email} already signs in here with another account of the provider (claim `sub`). If this"
            f" account replaces it, the operator of this installation can run `instep user unlock {email}`."
        )
    return email, True


def valid_claims(id_token: str, keys: dict[str, Any], provider: OpenIdProvider, nonce: str) -> dict[str, Any]:
    """The claims of a valid ID token; raises `OidcRefused`."""
    registry = JWTClaimsRegistry(
        int(utc_now().timestamp()),
        leeway=limits.OIDC_LEEWAY_SECONDS,
        iss={"essential": True},
        sub={"essential": True},
        aud={"essential": True, "value": provider.client_id},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        key_set = KeySet.import_key_set({"keys": signing_keys(keys)})
        claims: dict[str, Any] = jwt.decode(id_token, key_set, algorithms=ALGORITHMS).claims
        registry.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise OidcRefused from None
    is_for_us = claims.get("azp", provider.client_id) == provider.client_id
    if not is_for_us or not provider.is_issuer(claims["iss"]) or not isinstance(claims["sub"], str):
        raise OidcRefused
    return claims


def verified_email(claims: dict[str, Any], provider: OpenIdProvider) -> str:
    """The address of an ID token, if it counts as verified; raises `OidcRefused`."""
    try:
        email = valid_email(claims["email"])
    except (InvalidEmail, KeyError, AttributeError):
        raise OidcRefused(
            "The provider did not send your email address (claim `email`): ask its administrator to add"
            " one to your account there, then try again."
        ) from None
    if not counts_as_verified(claims, provider):
        raise OidcRefused(
            f"The provider does not say that {email} is verified (claim `email_verified`): verify it "
            "there and try again. If only administrators can change addresses there, the operator of this "
            f"installation sets INSTEP_OIDC_TRUSTED_ISSUERS to {claims['iss']}"
        )
    return email


def counts_as_verified(claims: dict[str, Any], provider: OpenIdProvider) -> bool:
    """True if the address in an ID token is verified: the provider says so, or the operator trusts it.

    Only one issuer is trusted, so the administrators of another tenant, who can give their people any
    address, gain nothing.
    """
    return says_verified(claims) or provider.trusts(claims["iss"])


def says_verified(claims: dict[str, Any]) -> bool:
    """True if the provider reports the address as verified; some send the claim as a string."""
    verified = claims.get("email_verified")
    return verified is True or verified == "true"


async def _find_or_create(database: Database, email: str, role: str | None) -> Candidate | None:
    async with database.enter_workspace("") as tx:
        candidates = await queries.find_for_sign_in(tx, email)
        # An account created in the meantime without a proof belongs to someone else.
        if candidates and candidates[0].is_proved:
            return candidates[0]
        created = await _create(tx, email, role) if role is not None else None
    if created is None:
        return None
    async with database.enter_workspace(created.workspace_id) as tx:
        await record(tx, created.workspace_id, created.person.as_actor("page"), "create_user", created.id)
    return created


async def _create(tx: Tx, email: str, role: str) -> Candidate | None:
    person_id = new_id("per")
    workspace_id = await queries.create_person_of_provider(tx, person_id, email, role)
    return Candidate(person_id, workspace_id, email, role, None) if workspace_id else None


async def _read_json(client: OutboundClient, url: str) -> dict[str, Any]:
    return _as_json(await _within_time(fetch(client, url, ANSWERS_JSON, limits.MAX_OIDC_DOCUMENT_BYTES)))


async def _within_time(request: Any) -> RawResponse:
    try:
        async with asyncio.timeout(limits.OUTBOUND_SECONDS):
            response: RawResponse = await request
            return response
    except (TimeoutError, RequestFailed):
        raise OidcRefused(
            "The provider can't be reached: try again, or use another way to sign in."
        ) from None


def _as_json(response: RawResponse) -> dict[str, Any]:
    try:
        document = json.loads(response.body) if response.status == 200 else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise OidcRefused
    return document


def state_of(token: str) -> str:
    """The state of a request, which only the browser with its token can return (RFC 6749 section 10.12)."""
    return base64url(hashlib.sha256(f"state {token}".encode()).digest())


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
