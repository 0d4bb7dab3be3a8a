"""Actions of people and their apps: authorize, exchange codes, refresh and revoke tokens."""

import base64
import hashlib
import hmac
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from instep.accounts.oauth import queries
from instep.accounts.oauth.documents import fetch_document, is_document_address
from instep.accounts.oauth.errors import OAuthRefusal
from instep.accounts.oauth.schemas import (
    App,
    AppMetadata,
    AuthorizationRequest,
    Consent,
    Grant,
    GrantRow,
    PersonGrant,
    Tokens,
    read_scope,
    scope_parameter,
)
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.crypto import KeyRing, Unreadable
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import NotFound, RateLimited
from instep.platform.core.ids import new_id
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.rate_window import count_hit
from instep.platform.identity.access import hold_open
from instep.platform.identity.access_tokens import ACCESS, CODE, REFRESH, is_token, new_token
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Actor, Person
from instep.platform.identity.scopes import Scope, intersect

VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
BAD_CODE = (
    "The authorization code is unknown, used, expired or another app's, or `redirect_uri` or `code_verifier`"
    " does not match it: ask the person again."
)
BAD_REFRESH_TOKEN = (
    "The refresh token is unknown, expired or another app's, or its connection has ended: "
    "ask the person again."
)
REUSED = "was used twice, so the connection has ended: ask the person again."


@dataclass(frozen=True, slots=True)
class CodeGrant:
    """A token request with an authorization code (RFC 6749 section 4.1.3)."""

    client_id: str
    code: str
    redirect_uri: str
    verifier: str


@dataclass(frozen=True, slots=True)
class RefreshGrant:
    """A token request with a refresh token, and optionally a narrower scope (RFC 6749 section 6)."""

    client_id: str
    token: str
    scope: str | None


async def register_app(tx: Tx, metadata: AppMetadata) -> App:
    """Register an app (RFC 7591); its metadata is not verified."""
    return await queries.save_app(tx, new_id("app"), metadata.name, metadata.redirect_uris, None)


async def find_app(database: Database, client: OutboundClient, person: Person, client_id: str) -> App | None:
    """A registered app, or one with a client metadata document, which is fetched again once it is stale."""
    async with database.enter_workspace("") as tx:
        await queries.touch_app(tx, client_id)
        app = await queries.find_app(tx, client_id)
    if not is_document_address(client_id):
        return app
    if app is not None and app.fresh_until is not None and app.fresh_until > utc_now():
        return app
    await _refuse_many_documents(database, person)
    # No database connection is held while another server responds.
    document, ttl = await fetch_document(client, client_id)
    async with database.enter_workspace("") as tx:
        return await queries.save_app(tx, client_id, document.name, document.redirect_uris, utc_now() + ttl)


async def _refuse_many_documents(database: Database, person: Person) -> None:
    """Limit how many documents a person can make the server fetch, since their URLs are arbitrary."""
    seconds = limits.REQUEST_WINDOW_SECONDS
    async with database.enter_workspace("") as tx:
        window = await count_hit(tx, "oauth-documents", person.id, seconds)
    if window.hits > limits.CLIENT_METADATA_FETCHES_PER_MINUTE:
        raise RateLimited(headers={"Retry-After": str(window.seconds_left)})


async def connect_app(
    tx: Tx, person: Person, authorization: AuthorizationRequest, consent: Consent, resource: str
) -> str:
    """Let an app act for a person; returns the authorization code."""
    code, grant_id = new_token(CODE), new_id("grant")
    row: dict[str, Any] = {
        "id": grant_id,
        "workspace": person.workspace_id,
        "person": person.id,
        "client": authorization.app.id,
        "app": authorization.app.name,
        "uri": authorization.redirect_uri,
        "resource": resource,
        "scope": intersect(consent.scope, person.permissions.scope),
        "bots": consent.bot_ids,
        "code": hash_key(code),
        "challenge": authorization.challenge,
    }
    async with tx.transaction():
        await hold_open(tx, person.workspace_id)
        await queries.insert_grant(tx, row)
        actor = person.as_actor("page", authorization.app.name)
        await record(tx, person.workspace_id, actor, "connect_app", grant_id)
    return code


async def redeem_code(tx: Tx, grant_id: str | None, request: CodeGrant) -> Tokens:
    """Exchange a code for the first tokens; a second use of it revokes them (RFC 6749 section 4.1.2)."""
    grant = await _grant_of(tx, grant_id) if is_token(request.code, CODE) else None
    if grant is None:
        raise OAuthRefusal("invalid_grant", BAD_CODE)
    if not grant.is_redeemed:
        if not grant.is_alive or not _is_for(grant, request):
            raise OAuthRefusal("invalid_grant", BAD_CODE)
        async with tx.transaction():
            # The connection begins here, not with its code, so it is counted here.
            await queries.lock_grants(tx, grant.person_id)
            if await queries.redeem(tx, grant.id, limits.REFRESH_TOKEN_TTL):
                await queries.make_room(tx, grant.person_id, grant.id, limits.MAX_CONNECTIONS_PER_PERSON)
                return await _issue_tokens(tx, grant, Scope(grant.scope))
    await _revoke_by_app(tx, grant)
    raise OAuthRefusal("invalid_grant", f"The authorization code {REUSED}")


def _is_for(grant: GrantRow, request: CodeGrant) -> bool:
    return (
        (grant.client_id, grant.redirect_uri) == (request.client_id, request.redirect_uri)
        and VERIFIER.fullmatch(request.verifier) is not None
        and hmac.compare_digest(challenge_of(request.verifier), grant.challenge)
    )


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a verifier (RFC 7636 section 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


async def refresh_tokens(tx: Tx, grant_id: str | None, request: RefreshGrant) -> Tokens:
    """Exchange a refresh token for new tokens.

    The same request within `REFRESH_TOKEN_REUSE_TTL` gets the same tokens. A later use revokes the grant
    (RFC 9700), so a thief and the app share a connection at most until one of them refreshes again.
    """
    grant = await _grant_of(tx, grant_id) if is_token(request.token, REFRESH) else None
    token_hash = hash_key(request.token)
    token = await queries.find_refresh_token(tx, token_hash) if grant else None
    if grant is None or token is None or token.is_expired or grant.client_id != request.client_id:
        raise OAuthRefusal("invalid_grant", BAD_REFRESH_TOKEN)
    if not grant.is_alive:
        raise OAuthRefusal("invalid_grant", BAD_REFRESH_TOKEN)
    if not token.is_used:
        scope = _narrow_scope(grant, request.scope)
        async with tx.transaction():
            if await queries.use_refresh_token(tx, token_hash):
                await queries.prolong(tx, grant.id, limits.REFRESH_TOKEN_TTL)
                await queries.touch_app(tx, grant.client_id)
                tokens = await _issue_tokens(tx, grant, scope)
                await queries.save_answer(tx, token_hash, _seal_answer(request, tokens))
                return tokens
        # Another request has used the token since it was read.
        token = await queries.find_refresh_token(tx, token_hash)
    if token is not None and token.answer is not None:
        with suppress(Unreadable):
            return _open_answer(request, token.answer)
    await _revoke_by_app(tx, grant)
    raise OAuthRefusal("invalid_grant", f"The refresh token {REUSED}")


def _seal_answer(request: RefreshGrant, tokens: Tokens) -> bytes:
    """The answer, which only the same request can decrypt: its refresh token is the key and is not stored."""
    return KeyRing(request.token.encode()).seal(tokens.model_dump_json(), *_place_of(request))


def _open_answer(request: RefreshGrant, answer: bytes) -> Tokens:
    return Tokens.model_validate_json(KeyRing(request.token.encode()).open(answer, *_place_of(request)))


def _place_of(request: RefreshGrant) -> tuple[str, ...]:
    return "oauth_tokens", "answer", request.client_id, request.scope or ""


def _narrow_scope(grant: GrantRow, requested: str | None) -> Scope:
    scope = read_scope(requested, Scope(grant.scope))
    if intersect(scope, grant.scope) != scope:
        raise OAuthRefusal("invalid_scope", "This is more than the person agreed to: ask them again.")
    return scope


async def _issue_tokens(tx: Tx, grant: GrantRow, scope: Scope) -> Tokens:
    access, refresh = new_token(ACCESS), new_token(REFRESH)
    await queries.insert_token(tx, hash_key(access), grant.id, "access", scope, limits.ACCESS_TOKEN_TTL)
    # A refresh token always has the full scope of the consent (RFC 6749 section 6).
    ttl = limits.REFRESH_TOKEN_TTL
    await queries.insert_token(tx, hash_key(refresh), grant.id, "refresh", grant.scope, ttl)
    scope_list = scope_parameter(intersect(scope, grant.person.permissions.scope))
    return Tokens(access_token=access, refresh_token=refresh, scope=scope_list)


async def revoke_token(tx: Tx, grant_id: str | None, client_id: str) -> None:
    """Revoke a connection at the request of its app (RFC 7009); other apps' tokens are ignored."""
    grant = await _grant_of(tx, grant_id)
    if grant is not None and grant.client_id == client_id:
        await _revoke_by_app(tx, grant)


async def _grant_of(tx: Tx, grant_id: str | None) -> GrantRow | None:
    return await queries.find_grant(tx, grant_id) if grant_id else None


async def _revoke_by_app(tx: Tx, grant: GrantRow) -> None:
    """Revoke a grant with all its tokens, because its app asked for it or reused a code or token."""
    async with tx.transaction():
        app = await queries.revoke_grant(tx, grant.id)
        if app is not None:
            actor = grant.person.as_actor("rest", app)
            await record(tx, grant.person.workspace_id, actor, "disconnect_app", grant.id)


async def end_connections(
    tx: Tx, workspace_id: str, person_id: str, actor: Actor, *, only_here: bool = False
) -> None:
    """Revoke all grants of a person, or those in the workspace, including those with an unredeemed code."""
    for grant_id in await queries.revoke_grants_of(tx, person_id, workspace_id if only_here else None):
        await record(tx, workspace_id, actor, "disconnect_app", grant_id)


async def list_grants(tx: Tx, person: Person) -> list[Grant]:
    """The apps that a person has connected, newest first."""
    return await queries.list_grants(tx, person.id)


async def list_grants_of_workspace(tx: Tx, workspace_id: str) -> list[PersonGrant]:
    """The apps that anyone in the workspace has connected, by person, newest first."""
    return await queries.list_grants_of_workspace(tx, workspace_id)


async def end_connection(tx: Tx, workspace_id: str, grant_id: str, actor: Actor) -> None:
    """Revoke a grant of anyone in the workspace, as an owner may."""
    if await queries.revoke_grant_in(tx, workspace_id, grant_id) is None:
        raise NotFound("This app is not connected: it may already be disconnected.")
    await record(tx, workspace_id, actor, "disconnect_app", grant_id)


async def revoke_grant(tx: Tx, person: Person, grant_id: str) -> None:
    """Revoke one of a person's own grants; from the commit on its tokens are invalid."""
    async with tx.transaction():
        if await queries.owner_of(tx, grant_id) != person.id:
            raise NotFound("This app is not connected: it may already be disconnected.")
        if await queries.revoke_grant(tx, grant_id) is not None:
            await record(tx, person.workspace_id, person.as_actor("page"), "disconnect_app", grant_id)
