"""SQL of apps, grants and tokens; statements about grants run in their workspace."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from instep.accounts.oauth.schemas import App, Grant, GrantRow, PersonGrant, TokenRow
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.queries import BOT
from instep.platform.identity.schemas import Bot

APP = "id, name, redirect_uris, fresh_until"
GRANT = """
    g.id, g.client_id, g.redirect_uri, g.resource, g.scope, g.challenge,
    g.workspace_id, p.id as person_id, p.email, m.role,
    g.redeemed_at is not null as is_redeemed,
    g.revoked_at is null and g.expires_at > now() and m.disabled_at is null as is_alive
"""
# A grant is connected when its code was redeemed and it is neither revoked nor expired.
CONNECTED = "g.redeemed_at is not null and g.revoked_at is null and g.expires_at > now()"


@dataclass(frozen=True, slots=True)
class GrantAuth:
    """The grant of a code or token, if there is one, and the rate window of the address."""

    grant_id: str | None
    workspace_id: str | None
    hits: int
    seconds_left: int


ENTER_GRANT = "select * from enter_grant(%(hash)s, %(address)s, %(seconds)s)"


async def touch_app(tx: Tx, client_id: str) -> None:
    """Record, at most once a day, that the app is in use."""
    await tx.execute(
        "update oauth_clients set used_at = now() where id = %(id)s and used_at < now() - interval '1 day'",
        id=client_id,
    )


async def find_app(tx: Tx, client_id: str) -> App | None:
    return await tx.first(App, f"select {APP} from oauth_clients where id = %(id)s", id=client_id)


async def save_app(
    tx: Tx, client_id: str, name: str, redirect_uris: Sequence[str], fresh_until: datetime | None
) -> App:
    """Insert the app, or update it from its document."""
    return await tx.fetch_one(
        App,
        f"""
        insert into oauth_clients (id, name, redirect_uris, fresh_until)
        values (%(id)s, %(name)s, %(uris)s, %(until)s)
        on conflict (id) do update set name = excluded.name, redirect_uris = excluded.redirect_uris,
          fresh_until = excluded.fresh_until, used_at = now()
        returning {APP}
        """,
        id=client_id,
        name=name,
        uris=list(redirect_uris),
        until=fresh_until,
    )


async def insert_grant(tx: Tx, row: dict[str, Any]) -> None:
    await tx.execute(
        """
        insert into oauth_grants (id, workspace_id, person_id, client_id, app_name, redirect_uri, resource,
          scope, bot_ids, default_bot_id, code_hash, challenge, expires_at)
        values (%(id)s, %(workspace)s, %(person)s, %(client)s, %(app)s, %(uri)s, %(resource)s,
          %(scope)s, %(bots)s, (select b.id from bot_in_force(%(workspace)s, %(bots)s, null, null) b),
          %(code)s, %(challenge)s, now() + %(ttl)s)
        """,
        **row,
        ttl=limits.AUTHORIZATION_CODE_TTL,
    )


async def lock_grants(tx: Tx, person_id: str) -> None:
    """Lock the number of the person's connections until this transaction ends."""
    await tx.advisory_lock(f"oauth_grants {person_id}")


async def make_room(tx: Tx, person_id: str, new_grant_id: str, max_count: int) -> None:
    """Revoke the least recently used connections of a person, so that with the new one `max_count` remain."""
    await tx.execute(
        f"""
        update oauth_grants set revoked_at = now() where id in (
          select g.id from oauth_grants g
          where g.person_id = %(person)s and g.id <> %(new)s and {CONNECTED}
          order by coalesce(g.used_at, g.created_at) desc offset %(others)s)
        """,
        person=person_id,
        new=new_grant_id,
        others=max_count - 1,
    )


async def find_grant(tx: Tx, grant_id: str) -> GrantRow | None:
    sql = f"""
        select {GRANT} from oauth_grants g
        join people p on p.id = g.person_id
        join memberships m on m.workspace_id = g.workspace_id and m.person_id = g.person_id
        where g.id = %(id)s
    """
    return await tx.first(GrantRow, sql, id=grant_id)


async def redeem(tx: Tx, grant_id: str, ttl: timedelta) -> bool:
    """Redeem the code; True for exactly one of several concurrent calls."""
    sql = """
        update oauth_grants set redeemed_at = now(), expires_at = now() + %(ttl)s
        where id = %(id)s and redeemed_at is null and revoked_at is null and expires_at > now()
    """
    return await tx.execute(sql, id=grant_id, ttl=ttl) == 1


async def find_refresh_token(tx: Tx, token_hash: bytes) -> TokenRow | None:
    sql = """
        select used_at is not null as is_used, expires_at <= now() as is_expired,
          case when used_at > now() - %(grace)s then answer end as answer
        from oauth_tokens where token_hash = %(hash)s and kind = 'refresh'
    """
    return await tx.first(TokenRow, sql, hash=token_hash, grace=limits.REFRESH_TOKEN_REUSE_TTL)


async def use_refresh_token(tx: Tx, token_hash: bytes) -> bool:
    """Mark the token as used; True for exactly one of several concurrent calls."""
    sql = """
        update oauth_tokens set used_at = now()
        where token_hash = %(hash)s and kind = 'refresh' and used_at is null and expires_at > now()
    """
    return await tx.execute(sql, hash=token_hash) == 1


async def save_answer(tx: Tx, token_hash: bytes, answer: bytes) -> None:
    sql = "update oauth_tokens set answer = %(answer)s where token_hash = %(hash)s"
    await tx.execute(sql, hash=token_hash, answer=answer)


async def prolong(tx: Tx, grant_id: str, ttl: timedelta) -> None:
    sql = "update oauth_grants set expires_at = now() + %(ttl)s where id = %(id)s and revoked_at is null"
    await tx.execute(sql, id=grant_id, ttl=ttl)


async def insert_token(
    tx: Tx, token_hash: bytes, grant_id: str, kind: str, scope: str, ttl: timedelta
) -> None:
    await tx.execute(
        """
        insert into oauth_tokens (token_hash, workspace_id, grant_id, kind, scope, expires_at)
        select %(hash)s, g.workspace_id, g.id, %(kind)s, %(scope)s, now() + %(ttl)s
        from oauth_grants g where g.id = %(grant)s
        """,
        hash=token_hash,
        grant=grant_id,
        kind=kind,
        scope=scope,
        ttl=ttl,
    )


async def list_bots_to_connect(tx: Tx) -> list[Bot]:
    """The bots of the connection's workspace."""
    return await tx.all(Bot, f"select {BOT} from bots b order by b.created_at, b.id")


async def list_grants(tx: Tx, person_id: str) -> list[Grant]:
    return await tx.all(
        Grant,
        f"""
        select g.id, g.app_name, g.client_id, g.redirect_uri, g.scope,
          (select array_agg(b.name order by b.created_at, b.id) from bots b where b.id = any(g.bot_ids))
            as bot_names,
          g.created_at, g.used_at
        from oauth_grants g where g.person_id = %(person)s and {CONNECTED}
        order by g.created_at desc, g.id desc
        """,
        person=person_id,
    )


async def list_grants_of_workspace(tx: Tx, workspace_id: str) -> list[PersonGrant]:
    return await tx.all(
        PersonGrant,
        f"""
        select g.id, g.app_name, g.scope, p.email,
          (select array_agg(b.name order by b.created_at, b.id) from bots b where b.id = any(g.bot_ids))
            as bot_names,
          g.created_at, g.used_at
        from oauth_grants g join people p on p.id = g.person_id
        where g.workspace_id = %(workspace)s and {CONNECTED}
        order by p.email, g.created_at desc, g.id desc
        """,
        workspace=workspace_id,
    )


async def revoke_grant_in(tx: Tx, workspace_id: str, grant_id: str) -> str | None:
    """Revoke a grant of this workspace; return the app's name, or None if no valid grant has this id."""
    return await tx.value(
        """
        update oauth_grants set revoked_at = now()
        where workspace_id = %(workspace)s and id = %(id)s and revoked_at is null returning app_name
        """,
        workspace=workspace_id,
        id=grant_id,
    )


async def revoke_grant(tx: Tx, grant_id: str) -> str | None:
    """Revoke a grant with all its tokens; return the app's name, or None if it was already revoked."""
    sql = """
        update oauth_grants set revoked_at = now() where id = %(id)s and revoked_at is null returning app_name
    """
    return await tx.value(sql, id=grant_id)


async def revoke_grants_of(tx: Tx, person_id: str, workspace_id: str | None = None) -> list[str]:
    """Revoke all valid grants of a person with their tokens, or those in one workspace; return the ids."""
    return await tx.value(
        """
        with revoked as (
          update oauth_grants set revoked_at = now()
          where person_id = %(person)s and revoked_at is null and expires_at > now()
            and (%(workspace)s::text is null or workspace_id = %(workspace)s)
          returning id)
        select coalesce(array_agg(id), '{}') from revoked
        """,
        person=person_id,
        workspace=workspace_id,
    )


async def is_connected(tx: Tx, person_id: str, client_id: str) -> bool:
    """True if the person has connected the app."""
    return await tx.value(
        f"""
        select exists (
          select from oauth_grants g
          where g.person_id = %(person)s and g.client_id = %(client)s and {CONNECTED})
        """,
        person=person_id,
        client=client_id,
    )


async def owner_of(tx: Tx, grant_id: str) -> str | None:
    """The id of the person who consented to the grant."""
    return await tx.value("select person_id from oauth_grants where id = %(id)s", id=grant_id)
