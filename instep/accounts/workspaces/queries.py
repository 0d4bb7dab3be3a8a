"""SQL of workspaces, bots and keys, as the database's owner or within one workspace."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from instep.accounts.workspaces.schemas import BotRow, DueDomain, KeyRow, Workspace
from instep.platform.core import limits
from instep.platform.core.database import Tx

WORKSPACE = "id, name, paused_at, paused_by, created_at"
BOT = """
    id, workspace_id, slug, name, bot_key, locale, origins, created_at,
    accent, accent_light, accent_dark, frame, domain,
    claimed_domain, domain_claimed_at, domain_checked_at, domain_proof
"""
KEY = """
    id, workspace_id, name, last_four, scope, bot_ids, default_bot_id,
    created_at, last_used_at, expires_at, revoked_at
"""


async def list_workspaces(tx: Tx) -> list[Workspace]:
    return await tx.all(Workspace, f"select {WORKSPACE} from workspaces order by created_at, id")


async def insert_workspace(tx: Tx, workspace_id: str, name: str) -> Workspace:
    return await tx.fetch_one(
        Workspace,
        f"insert into workspaces (id, name) values (%(id)s, %(name)s) returning {WORKSPACE}",
        id=workspace_id,
        name=name,
    )


async def set_paused(tx: Tx, workspace_id: str, is_paused: bool, by: str) -> Workspace | None:
    """Pause or resume after all running writes; later writes wait for this transaction (see `hold_open`).

    `by` is `operator` or `owner`; None if an owner tries to end an operator's pause.
    """
    async with tx.transaction():
        await tx.advisory_lock(workspace_id)
        return await tx.first(
            Workspace,
            f"""
            update workspaces set
              paused_at = case when %(paused)s then coalesce(paused_at, now()) end,
              paused_by = case when %(paused)s and paused_by = 'operator' then paused_by
                when %(paused)s then %(by)s end
            where id = %(id)s and (%(paused)s or %(by)s = 'operator' or paused_by is distinct from 'operator')
            returning {WORKSPACE}
            """,
            id=workspace_id,
            paused=is_paused,
            by=by,
        )


async def list_bots(tx: Tx, workspace_id: str) -> list[BotRow]:
    return await tx.all(
        BotRow,
        f"select {BOT} from bots where workspace_id = %(workspace)s order by created_at, id",
        workspace=workspace_id,
    )


async def slugs_like(tx: Tx, base: str) -> set[str]:
    """The slugs of all bots of the installation that begin with this one."""
    value = await tx.value("select slugs_like(%(base)s)", base=base[:100])
    return set(value or ())


async def insert_bot(tx: Tx, row: dict[str, Any]) -> BotRow | None:
    """Insert a bot; None if the slug is taken: slugs are parts of URLs, so they are globally unique."""
    return await tx.first(
        BotRow,
        f"""
        insert into bots (id, workspace_id, slug, name, bot_key, locale, origins)
        values (%(id)s, %(workspace_id)s, %(slug)s, %(name)s, %(bot_key)s, %(locale)s, %(origins)s)
        on conflict (slug) do nothing returning {BOT}
        """,
        **row,
    )


async def lock_origins(tx: Tx, workspace_id: str, bot_id: UUID) -> list[str] | None:
    """The origins of a bot, locked until the transaction ends; None if the bot doesn't exist."""
    return await tx.value(
        "select origins from bots where workspace_id = %(workspace)s and id = %(id)s for no key update",
        workspace=workspace_id,
        id=bot_id,
    )


async def update_bot(tx: Tx, workspace_id: str, bot_id: UUID, **columns: Any) -> BotRow | None:
    """Set columns of a bot; None if the bot doesn't exist."""
    return await _update_bot(
        tx, workspace_id, bot_id, ", ".join(f"{name} = %({name})s" for name in columns), columns
    )


async def set_domain(tx: Tx, workspace_id: str, bot_id: UUID, domain: str | None) -> BotRow | None:
    """Assign this host name to the bot, without a DNS record."""
    assignments = """
        domain = %(domain)s, claimed_domain = null, domain_claimed_at = null,
        domain_proof = case when %(domain)s::text is not null then 'operator' end
    """
    return await _update_bot(tx, workspace_id, bot_id, assignments, {"domain": domain})


async def claim_domain(tx: Tx, workspace_id: str, bot_id: UUID, host: str) -> BotRow | None:
    """Store the bot's claim; an assigned name is not changed."""
    assignments = """
        domain_checked_at = null,
        claimed_domain = case when domain is distinct from %(host)s then %(host)s end,
        domain_claimed_at = case when domain is distinct from %(host)s then now() end
    """
    return await _update_bot(tx, workspace_id, bot_id, assignments, {"host": host})


async def _update_bot(
    tx: Tx, workspace_id: str, bot_id: UUID, assignments: str, values: dict[str, Any]
) -> BotRow | None:
    return await tx.first(
        BotRow,
        f"""
        update bots set {assignments} where workspace_id = %(workspace)s and id = %(id)s
        returning {BOT}
        """,
        workspace=workspace_id,
        id=bot_id,
        **values,
    )


async def note_domain_check(tx: Tx, workspace_id: str, bot_id: UUID) -> None:
    sql = "update bots set domain_checked_at = now() where workspace_id = %(workspace)s and id = %(id)s"
    await tx.execute(sql, workspace=workspace_id, id=bot_id)


async def settle_domain(tx: Tx, bot_id: UUID, host: str, named: list[UUID], grace: timedelta) -> Any:
    """The result for a host name whose DNS names these bots."""
    sql = "select settle_domain(%(bot)s, %(host)s, %(named)s, %(grace)s)"
    return await tx.value(sql, bot=bot_id, host=host, named=named, grace=grace)


async def domains_to_check(tx: Tx, most: int) -> list[DueDomain]:
    """Host names to look up, in all workspaces."""
    return await tx.all(
        DueDomain,
        "select * from domains_to_check(%(claims)s, %(proved)s, %(most)s)",
        claims=timedelta(seconds=limits.DOMAIN_CLAIM_CHECK_SECONDS),
        proved=timedelta(hours=limits.DOMAIN_CHECK_HOURS),
        most=most,
    )


async def has_several_workspaces(tx: Tx) -> bool:
    """True if this installation has more than one workspace."""
    return await tx.value("select has_several_workspaces()")


async def count_bots(tx: Tx, workspace_id: str, bot_ids: list[UUID]) -> int:
    return await tx.value(
        "select count(*) from bots where workspace_id = %(workspace)s and id = any(%(bots)s)",
        workspace=workspace_id,
        bots=bot_ids,
    )


async def insert_key(tx: Tx, row: dict[str, Any]) -> KeyRow:
    return await tx.fetch_one(
        KeyRow,
        f"""
        insert into api_keys (id, workspace_id, name, key_hash, last_four, scope, bot_ids, default_bot_id)
        values (%(id)s, %(workspace_id)s, %(name)s, %(key_hash)s, %(last_four)s, %(scope)s, %(bot_ids)s,
          (select b.id from bot_in_force(%(workspace_id)s, %(bot_ids)s, null, null) b))
        returning {KEY}
        """,
        **row,
    )


async def list_keys(tx: Tx, workspace_id: str) -> list[KeyRow]:
    """The keys that people created, without the temporary ones of CI jobs."""
    return await tx.all(
        KeyRow,
        f"""
        select {KEY} from api_keys where workspace_id = %(workspace)s and trust_id is null
        order by created_at, id
        """,
        workspace=workspace_id,
    )


async def revoke_key(tx: Tx, workspace_id: str, key_id: str) -> KeyRow | None:
    return await tx.first(
        KeyRow,
        f"""
        update api_keys set revoked_at = coalesce(revoked_at, now())
        where workspace_id = %(workspace)s and id = %(id)s returning {KEY}
        """,
        workspace=workspace_id,
        id=key_id,
    )
