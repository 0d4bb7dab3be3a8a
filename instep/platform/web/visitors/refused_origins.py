"""Origins whose pages called a bot and were refused: its owner may have forgotten to allow them."""

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Bot, Ctx

# A caller may send any number of origins, so only the newest are kept.
NOTE = """
    with newest as (
        select origin from refused_origins where workspace_id = %(workspace)s and bot_id = %(bot)s
        order by refused_at desc, origin limit %(most)s - 1
    ), older as (
        delete from refused_origins
        where workspace_id = %(workspace)s and bot_id = %(bot)s and origin <> %(origin)s
            and origin not in (select origin from newest)
    )
    insert into refused_origins (workspace_id, bot_id, origin, refused_at)
    values (%(workspace)s, %(bot)s, %(origin)s, now())
    on conflict (workspace_id, bot_id, origin) do update set refused_at = excluded.refused_at
"""


async def note_refused_origin(tx: Tx, bot: Bot, origin: str) -> None:
    """Record that a page of this origin was refused."""
    await tx.execute(NOTE, bot=bot.id, origin=origin, most=limits.MAX_REFUSED_ORIGINS)


async def list_refused_origins(ctx: Ctx) -> list[str]:
    """The refused origins that are still not allowed, the last refused first."""
    return await ctx.value(
        """
        select coalesce(array_agg(r.origin order by r.refused_at desc, r.origin), '{}')
        from refused_origins r join bots b on b.workspace_id = r.workspace_id and b.id = r.bot_id
        where r.workspace_id = %(workspace)s and r.bot_id = %(bot)s and r.origin <> all (b.origins)
        """
    )
