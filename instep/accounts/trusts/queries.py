"""SQL of trusts and their API keys."""

from datetime import timedelta
from typing import Any

from psycopg.types.json import Jsonb

from instep.accounts.trusts.schemas import Trust, TrustFields
from instep.platform.core.database import Tx

TRUST = "id, workspace_id, issuer, audience, claims, bot_ids, scope, created_at, used_at, revoked_at"


async def insert_trust(tx: Tx, workspace_id: str, trust_id: str, fields: TrustFields) -> Trust:
    return await tx.fetch_one(
        Trust,
        f"""
        insert into trusts (id, workspace_id, issuer, audience, claims, bot_ids, scope)
        values (%(id)s, %(workspace)s, %(issuer)s, %(audience)s, %(claims)s, %(bots)s, %(scope)s)
        returning {TRUST}
        """,
        id=trust_id,
        workspace=workspace_id,
        issuer=fields.issuer,
        audience=fields.audience,
        claims=Jsonb(dict(fields.claims)),
        bots=list(fields.bot_ids) or None,
        scope=fields.scope.value,
    )


async def list_trusts(tx: Tx, workspace_id: str) -> list[Trust]:
    """Every trust of the workspace, including ended ones, newest last."""
    return await tx.all(
        Trust,
        f"select {TRUST} from trusts where workspace_id = %(workspace)s order by created_at, id",
        workspace=workspace_id,
    )


async def lock_count(tx: Tx, workspace_id: str) -> None:
    """Lock the number of the workspace's trusts until this transaction ends."""
    await tx.advisory_lock(f"trusts {workspace_id}")


async def count_trusts(tx: Tx, workspace_id: str) -> int:
    """The number of the workspace's trusts that have not ended."""
    return await tx.value(
        "select count(*) from trusts where workspace_id = %(workspace)s and revoked_at is null",
        workspace=workspace_id,
    )


async def revoke_trust(tx: Tx, workspace_id: str, trust_id: str) -> Trust | None:
    """End a trust and all of its API keys."""
    trust = await tx.first(
        Trust,
        f"""
        update trusts set revoked_at = coalesce(revoked_at, now())
        where workspace_id = %(workspace)s and id = %(id)s returning {TRUST}
        """,
        workspace=workspace_id,
        id=trust_id,
    )
    await tx.execute(
        """
        update api_keys set revoked_at = now()
        where workspace_id = %(workspace)s and trust_id = %(id)s and revoked_at is null
        """,
        workspace=workspace_id,
        id=trust_id,
    )
    return trust


async def find_trusts(tx: Tx, issuer: str, named: str | None) -> list[Trust]:
    """The active trusts for an issuer: the one with this id, or all of the workspace with this id.

    Without an id, those of the only workspace.
    """
    sql = f"select {TRUST} from find_trusts(%(issuer)s, %(named)s)"
    return await tx.all(Trust, sql, issuer=issuer, named=named)


async def use_trust(tx: Tx, trust_id: str) -> bool:
    """Record the use of a trust, and lock it until the transaction ends; False if it has ended."""
    sql = "update trusts set used_at = now() where id = %(id)s and revoked_at is null returning true"
    return bool(await tx.value(sql, id=trust_id))


async def insert_key(tx: Tx, row: dict[str, Any], ttl: timedelta) -> None:
    """Add the API key of an ID token, and end the key of an earlier exchange of the same token."""
    await tx.execute(
        """
        update api_keys set revoked_at = now()
        where workspace_id = %(workspace_id)s and subject_hash = %(subject_hash)s and revoked_at is null
        """,
        workspace_id=row["workspace_id"],
        subject_hash=row["subject_hash"],
    )
    await tx.execute(
        """
        insert into api_keys (id, workspace_id, name, key_hash, last_four, scope, bot_ids, default_bot_id,
          trust_id, subject_hash, expires_at)
        values (%(id)s, %(workspace_id)s, %(name)s, %(key_hash)s, %(last_four)s, %(scope)s, %(bot_ids)s,
          (select b.id from bot_in_force(%(workspace_id)s, %(bot_ids)s, null, null) b),
          %(trust_id)s, %(subject_hash)s, now() + %(ttl)s)
        """,
        **row,
        ttl=ttl,
    )
