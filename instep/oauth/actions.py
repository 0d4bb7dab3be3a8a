"""What people and their apps do: connect, fetch tokens, renew them, end it."""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Any

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.database import Database, Tx
from instep.core.errors import NotFound, RateLimited
from instep.core.ids import new_id
from instep.core.outbound.client import OutboundClient
from instep.identity.access_tokens import ACCESS, CODE, REFRESH, is_token, new_token
from instep.identity.audit import record
from instep.identity.keys import hash_key
from instep.identity.schemas import Actor, Person
from instep.identity.scopes import Scope, intersect
from instep.oauth import queries
from instep.oauth.documents import fetch_document, is_document_address
from instep.oauth.errors import OAuthRefusal
from instep.oauth.schemas import (
    App,
    AppMetadata,
    AuthorizationRequest,
    Consent,
    Grant,
    GrantRow,
    Tokens,
    read_scope,
    spelled,
)

VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
BAD_CODE = "The authorization code is unknown, used up, too old or not this app's: ask the person again."
BAD_REFRESH_TOKEN = (
    "The refresh token is unknown, too old or not this app's, or its connection has ended: "
    "ask the person again."
)
REUSED = "is used up and came again, so the connection has ended: ask the person again."


@dataclass(frozen=True, slots=True)
class CodeGrant:
    """A request to exchange a code for tokens."""

    client_id: str
    code: str
    redirect_uri: str
    verifier: str


@dataclass(frozen=True, slots=True)
class RefreshGrant:
    """A request to exchange a refresh token for new tokens, perhaps with less scope."""

    client_id: str
    token: str
    scope: str | None


async def register_app(tx: Tx, metadata: AppMetadata) -> App:
    """Give an app an id; what it says of itself is nobody's word but its own."""
    return await queries.save_app(tx, new_id("app"), metadata.name, metadata.redirect_uris, None)


async def find_app(database: Database, client: OutboundClient, person: Person, client_id: str) -> App | None:
    """A registered app; or one by its document, which is read anew when it is no longer fresh."""
    async with database.enter_workspace("") as tx:
        await queries.touch_app(tx, client_id)
        app = await queries.find_app(tx, client_id)
    if not is_document_address(client_id):
        return app
    if app is not None and app.fresh_until is not None and app.fresh_until > utc_now():
        return app
    await refuse_many_documents(database, person)
    # No connection is held while somebody else's server takes its time.
    document, kept = await fetch_document(client, client_id)
    async with database.enter_workspace("") as tx:
        return await queries.save_app(tx, client_id, document.name, document.redirect_uris, utc_now() + kept)


async def refuse_many_documents(database: Database, person: Person) -> None:
    """Whoever is signed in may name any address, but not so many that others come to harm."""
    seconds = limits.REQUEST_WINDOW_SECONDS
    async with database.enter_workspace("") as tx:
        window = await queries.count_hit(tx, "oauth-documents", person.id, seconds)
    if window.hits > limits.CLIENT_METADATA_FETCHES_PER_MINUTE:
        raise RateLimited(headers={"Retry-After": str(window.seconds_left)})


async def connect_app(
    tx: Tx, person: Person, asked: AuthorizationRequest, consent: Consent, resource: str
) -> str:
    """Let an app act for a person; the code by which it fetches its tokens."""
    code, grant_id = new_token(CODE), new_id("grant")
    row: dict[str, Any] = {
        "id": grant_id,
        "workspace": person.workspace_id,
        "person": person.id,
        "client": asked.app.id,
        "app": asked.app.name,
        "uri": asked.redirect_uri,
        "resource": resource,
        "scope": intersect(consent.scope, person.permissions.scope),
        "bots": consent.bot_ids,
        "code": hash_key(code),
        "challenge": asked.challenge,
    }
    async with tx.transaction():
        await queries.make_room(tx, person.id, limits.MAX_CONNECTIONS_PER_PERSON - 1)
        await queries.insert_grant(tx, row)
        actor = person.as_actor("page", asked.app.name)
        await record(tx, person.workspace_id, actor, "connect_app", grant_id)
    return code


async def redeem_code(tx: Tx, grant_id: str | None, shown: CodeGrant) -> Tokens:
    """The first tokens of a connection. A code that comes a second time ends what came of it."""
    grant = await grant_of(tx, grant_id) if is_token(shown.code, CODE) else None
    if grant is None:
        raise OAuthRefusal("invalid_grant", BAD_CODE)
    if not grant.is_redeemed:
        if not grant.is_alive or not is_for(grant, shown):
            raise OAuthRefusal("invalid_grant", BAD_CODE)
        async with tx.transaction():
            if await queries.redeem(tx, grant.id, limits.REFRESH_TOKEN_TTL):
                return await issue(tx, grant, Scope(grant.scope))
    await end(tx, grant)
    raise OAuthRefusal("invalid_grant", f"The authorization code {REUSED}")


def is_for(grant: GrantRow, shown: CodeGrant) -> bool:
    return (
        (grant.client_id, grant.redirect_uri) == (shown.client_id, shown.redirect_uri)
        and VERIFIER.fullmatch(shown.verifier) is not None
        and hmac.compare_digest(challenge_of(shown.verifier), grant.challenge)
    )


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a verifier (RFC 7636 section 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


async def refresh_tokens(tx: Tx, grant_id: str | None, shown: RefreshGrant) -> Tokens:
    """New tokens for a refresh token, which is used up by it. One that comes again ends the connection."""
    grant = await grant_of(tx, grant_id) if is_token(shown.token, REFRESH) else None
    token = await queries.find_refresh_token(tx, hash_key(shown.token)) if grant else None
    if grant is None or token is None or token.is_over or grant.client_id != shown.client_id:
        raise OAuthRefusal("invalid_grant", BAD_REFRESH_TOKEN)
    if not token.is_used:
        if not grant.is_alive:
            raise OAuthRefusal("invalid_grant", BAD_REFRESH_TOKEN)
        scope = narrowed(grant, shown.scope)
        async with tx.transaction():
            if await queries.use_refresh_token(tx, hash_key(shown.token)):
                await queries.prolong(tx, grant.id, limits.REFRESH_TOKEN_TTL)
                await queries.touch_app(tx, grant.client_id)
                return await issue(tx, grant, scope)
    await end(tx, grant)
    raise OAuthRefusal("invalid_grant", f"The refresh token {REUSED}")


def narrowed(grant: GrantRow, asked: str | None) -> Scope:
    scope = read_scope(asked) if asked else Scope(grant.scope)
    if scope is None or intersect(scope, grant.scope) != scope:
        raise OAuthRefusal("invalid_scope", "This is more than the person has agreed to: ask them again.")
    return scope


async def issue(tx: Tx, grant: GrantRow, scope: Scope) -> Tokens:
    access, refresh = new_token(ACCESS), new_token(REFRESH)
    await queries.insert_token(tx, hash_key(access), grant.id, "access", scope, limits.ACCESS_TOKEN_TTL)
    # Renewing begins from the whole consent again (RFC 6749 section 6).
    kept = limits.REFRESH_TOKEN_TTL
    await queries.insert_token(tx, hash_key(refresh), grant.id, "refresh", grant.scope, kept)
    told = spelled(intersect(scope, grant.person.permissions.scope))
    return Tokens(access_token=access, refresh_token=refresh, scope=told)


async def revoke_token(tx: Tx, grant_id: str | None, client_id: str) -> None:
    """End the connection of a token at its app's wish; of what is not this app's nothing is told."""
    grant = await grant_of(tx, grant_id)
    if grant is not None and grant.client_id == client_id:
        await end(tx, grant)


async def grant_of(tx: Tx, grant_id: str | None) -> GrantRow | None:
    return await queries.find_grant(tx, grant_id) if grant_id else None


async def end(tx: Tx, grant: GrantRow) -> None:
    """End a connection with all its tokens; an app did it, by its wish or by its mistake."""
    async with tx.transaction():
        app = await queries.revoke_grant(tx, grant.id)
        if app is not None:
            actor = grant.person.as_actor("rest", app)
            await record(tx, grant.person.workspace_id, actor, "disconnect_app", grant.id)


async def end_connections(tx: Tx, workspace_id: str, person_id: str, actor: Actor) -> None:
    """End all of a person's connections, also those whose code is not redeemed yet."""
    for grant_id in await queries.revoke_grants_of(tx, person_id):
        await record(tx, workspace_id, actor, "disconnect_app", grant_id)


async def list_grants(tx: Tx, person: Person) -> list[Grant]:
    """The apps that a person has connected, the newest first."""
    return await queries.list_grants(tx, person.id)


async def revoke_grant(tx: Tx, person: Person, grant_id: str) -> None:
    """End one of a person's own connections: from when this commits its tokens open nothing."""
    async with tx.transaction():
        if await queries.owner_of(tx, grant_id) != person.id:
            raise NotFound("There is no such connected app: it may be disconnected already.")
        if await queries.revoke_grant(tx, grant_id) is not None:
            await record(tx, person.workspace_id, person.as_actor("page"), "disconnect_app", grant_id)
