"""Actions on trusts: create and end them, and exchange a CI job's ID token for a short-lived API key."""

from collections.abc import Mapping
from dataclasses import replace

import structlog

from instep.accounts.trusts import queries
from instep.accounts.trusts.claims import claims_match
from instep.accounts.trusts.id_tokens import (
    IdToken,
    InvalidIdToken,
    Issuers,
    audiences_of,
    read_id_token,
    verified_claims,
)
from instep.accounts.trusts.schemas import ExchangedToken, TokenExchange, Trust, TrustFields
from instep.accounts.workspaces.queries import count_bots, has_several_workspaces
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound, RateLimited
from instep.platform.core.ids import new_id
from instep.platform.core.outbound.allowed import AllowList, refuse_url
from instep.platform.core.outbound.urls import parse_url
from instep.platform.core.rate_window import count_hit
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key, new_key
from instep.platform.identity.schemas import OPERATOR, Actor
from instep.platform.identity.scopes import Scope, widest
from instep.platform.text.characters import is_storable, remove_hidden, shorten

log = structlog.get_logger()


class NoTrust(InvalidRequest):
    """No trust here accepts this ID token.

    Compare its issuer, audience and claims with `instep trust list`; it may also have expired, and where
    several trusts accept it, the job has to name one in INSTEP_TRUST.
    """


class UnnamedTrust(InvalidRequest):
    """This server has several workspaces, so the job has to name its trust.

    Set INSTEP_TRUST to the id of the trust, which `instep trust list` and the settings show.
    """


class WiderScope(InvalidRequest):
    """The trust does not give this scope: ask for less, or for none."""


async def create_trust(
    tx: Tx, workspace_id: str, fields: TrustFields, allow: AllowList, actor: Actor = OPERATOR
) -> Trust:
    """Create a trust; from the commit on jobs with matching tokens get API keys."""
    fields = replace(
        fields,
        issuer=valid_issuer(fields.issuer, allow),
        audience=valid_audience(fields.audience),
        claims=valid_claims(fields.claims),
    )
    bots = list(fields.bot_ids)
    if bots and await count_bots(tx, workspace_id, bots) != len(set(bots)):
        raise NotFound("One of the bots is not in this workspace: `instep bot list` shows them.")
    await queries.lock_count(tx, workspace_id)
    if await queries.count_trusts(tx, workspace_id) >= limits.MAX_TRUSTS_PER_WORKSPACE:
        raise InvalidRequest(
            f"A workspace has at most {limits.MAX_TRUSTS_PER_WORKSPACE} trusts: revoke one that is not used."
        )
    trust = await queries.insert_trust(tx, workspace_id, new_id("trust"), fields)
    await record(tx, workspace_id, actor, "create_trust", trust.id)
    return trust


async def revoke_trust(tx: Tx, workspace_id: str, trust_id: str, actor: Actor = OPERATOR) -> Trust:
    """End a trust: after the commit, every call with one of its keys is refused."""
    trust = await queries.revoke_trust(tx, workspace_id, trust_id)
    if trust is None:
        raise NotFound(f"No trust has the id {trust_id}: `instep trust list` shows them.")
    await record(tx, workspace_id, actor, "revoke_trust", trust.id)
    return trust


def valid_issuer(text: str, allow: AllowList) -> str:
    """The issuer's URL, trimmed; raises `InvalidRequest`."""
    issuer = text.strip()
    if not issuer or len(issuer) > limits.MAX_ISSUER_CHARACTERS or "?" in issuer:
        raise InvalidRequest(
            "The issuer must be an address such as https://token.actions.githubusercontent.com."
        )
    try:
        refuse_url(parse_url(issuer), allow)
    except ValueError as error:
        raise InvalidRequest(f"The issuer can't be used: {error}.") from None
    return issuer


def valid_audience(text: str) -> str:
    """The audience, trimmed; raises `InvalidRequest`."""
    audience = text.strip()
    if not audience or len(audience) > limits.MAX_ISSUER_CHARACTERS or not is_storable(audience):
        raise InvalidRequest(f"The audience must have 1 to {limits.MAX_ISSUER_CHARACTERS} characters.")
    return audience


def valid_claims(claims: Mapping[str, str]) -> dict[str, str]:
    """The required claims of a token, by name; raises `InvalidRequest`, also if there are none."""
    if not claims or len(claims) > limits.MAX_TRUST_CLAIMS:
        raise InvalidRequest(
            f"Name 1 to {limits.MAX_TRUST_CLAIMS} claims, such as repository=acme/app: without one, every job"
            " of the issuer would be trusted."
        )
    for name, value in claims.items():
        if not name or not value.strip("*/") or not is_storable(name + value):
            raise InvalidRequest(f"The claim {name or '(without a name)'} needs a value, not * alone.")
        if max(len(name), len(value)) > limits.MAX_CLAIM_CHARACTERS:
            raise InvalidRequest(
                f"A claim's name and value have at most {limits.MAX_CLAIM_CHARACTERS} characters each."
            )
    return dict(claims)


async def exchange_token(database: Database, issuers: Issuers, exchange: TokenExchange) -> ExchangedToken:
    """Exchange an ID token for an API key; raises `NoTrust`, which gives no details, and others.

    If the issuer doesn't answer, it raises `IssuerUnavailable`, so that jobs try again.
    The same ID token may be exchanged again; its previous key then ends.
    """
    try:
        token = read_id_token(exchange.id_token)
        trusts = await _find_trusts(database, token, exchange.named)
        # No database connection is held while the issuer responds.
        claims = verified_claims(token, await issuers.keys_for(token), utc_now())
    except InvalidIdToken as reason:
        log.info("id_token_refused", reason=str(reason))
        raise NoTrust from None
    audiences = audiences_of(claims)
    matches = [
        trust for trust in trusts if trust.audience in audiences and claims_match(trust.claims, claims)
    ]
    if len(matches) != 1:
        log.info("id_token_refused", reason=f"{len(matches)} trusts match", issuer=token.issuer)
        raise NoTrust
    return await _give_key(database, matches[0], token, str(claims["sub"]), _scope_of(matches[0], exchange))


async def _find_trusts(database: Database, token: IdToken, named: str | None) -> list[Trust]:
    async with database.enter_workspace("") as tx:
        # The token names no workspace: a trust of any workspace could claim the job.
        if named is None and await has_several_workspaces(tx):
            raise UnnamedTrust
        trusts = await queries.find_trusts(tx, token.issuer, named)
    if not trusts:
        raise InvalidIdToken("nobody trusts its issuer")
    return trusts


def _scope_of(trust: Trust, exchange: TokenExchange) -> Scope:
    """The trust's scope, or the requested narrower one."""
    words = (exchange.scope or trust.scope).split()
    if not set(words) <= set(Scope):
        raise WiderScope
    scope = widest(words)
    if not Scope(trust.scope).covers(scope):
        raise WiderScope
    return scope


async def _give_key(
    database: Database, trust: Trust, token: IdToken, subject: str, scope: Scope
) -> ExchangedToken:
    key, key_id = new_key(), new_id("key")
    row = {
        "id": key_id,
        "workspace_id": trust.workspace_id,
        "name": shorten(remove_hidden(subject), limits.MAX_NAME_CHARACTERS),
        "key_hash": hash_key(key),
        "last_four": key[-4:],
        "scope": scope.value,
        "bot_ids": trust.bot_ids,
        "trust_id": trust.id,
        "subject_hash": token.content_hash,
    }
    async with database.enter_workspace(trust.workspace_id) as tx, tx.transaction():
        if not await queries.use_trust(tx, trust.id):
            raise NoTrust
        window = await count_hit(tx, "token-exchange", trust.id, limits.REQUEST_WINDOW_SECONDS)
        if window.hits > limits.TOKEN_EXCHANGES_PER_MINUTE:
            raise RateLimited(headers={"Retry-After": str(window.seconds_left)})
        await queries.insert_key(tx, row, limits.TRUST_TOKEN_TTL)
        actor = Actor("api_key", str(row["name"]), can_write=scope == Scope.WRITE, id=key_id, channel="rest")
        await record(tx, trust.workspace_id, actor, "exchange_token", trust.id)
    return ExchangedToken(access_token=key, scope=scope.value)
