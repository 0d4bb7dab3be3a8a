"""SQL of bots and of the credentials that cover them."""

from uuid import UUID

from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Bot

BOT = "b.id, b.workspace_id, b.slug, b.name, b.locale, b.domain"
# Columns added to those of a function with a bot's columns; it has entered the bot's workspace.
BOT_DOMAIN = "(select b.domain from bots b where b.id = e.bot_id) as bot_domain"
# The fields of a `ReadVersion`, from a row `v` of `product_versions`.
READ_VERSION = """
    jsonb_build_object('slug', v.slug, 'name', v.name, 'position', v.position, 'is_current', v.is_current)
"""
# Credentials, which are API keys and connected apps, and the bots that they cover.
CREDENTIALS = """(
    select id, workspace_id, bot_ids, default_bot_id from api_keys
    union all select id, workspace_id, bot_ids, default_bot_id from oauth_grants)
"""


# Enters the workspace of a bot, and reads when its articles, collections or entries last changed.
ENTER_BOT = """
    select s.workspace_id, s.bot_id, (select b.changed_at from bots b where b.id = s.bot_id) as changed_at
    from enter_site(%(slug)s) s
"""


async def find_bot(tx: Tx, bot_id: UUID) -> Bot:
    """A bot of the connection's workspace; it must exist."""
    return await tx.fetch_one(Bot, f"select {BOT} from bots b where b.id = %(id)s", id=bot_id)


async def covers_all(tx: Tx, key_id: str) -> bool:
    """True if a credential covers every bot of its workspace, including future ones."""
    sql = f"select bot_ids is null from {CREDENTIALS} k where id = %(key)s"
    return await tx.value(sql, key=key_id)


async def default_bot_id(tx: Tx, key_id: str) -> UUID | None:
    """The bot of requests without a bot; None if every request must name one."""
    sql = f"""
        select b.id from {CREDENTIALS} k
        cross join lateral bot_in_force(k.workspace_id, k.bot_ids, k.default_bot_id, null) b
        where k.id = %(key)s
    """
    return await tx.value(sql, key=key_id)


async def list_covered_bots(tx: Tx, key_id: str) -> list[Bot]:
    """The bots that a credential covers."""
    return await tx.all(
        Bot,
        f"""
        select {BOT} from bots b, {CREDENTIALS} k
        where k.id = %(key)s and b.workspace_id = k.workspace_id
          and (k.bot_ids is null or b.id = any(k.bot_ids))
        order by b.created_at, b.id
        """,
        key=key_id,
    )


async def is_in_force(tx: Tx, key_id: str) -> bool:
    """True if a credential of the connection's workspace is still valid."""
    return await tx.value(
        """
        select exists (
          select from api_keys
          where id = %(key)s and revoked_at is null and (expires_at is null or expires_at > now())
        ) or exists (
          select from oauth_grants g
          join memberships m on m.workspace_id = g.workspace_id and m.person_id = g.person_id
          where g.id = %(key)s and g.revoked_at is null and g.expires_at > now() and m.disabled_at is null)
        """,
        key=key_id,
    )
