"""SQL of help centers' styles."""

from typing import Any

from instep.platform.identity.schemas import Ctx


async def find_style(ctx: Ctx, *, lock: bool = False) -> dict[str, Any] | None:
    """The stored style in its JSON form; None if nothing is set."""
    return await ctx.value(
        f"""
        select style from bot_styles where bot_id = %(bot)s and workspace_id = %(workspace)s
        {"for update" if lock else ""}
        """
    )


async def store_style(ctx: Ctx, style: str) -> None:
    await ctx.execute(
        """
        insert into bot_styles (workspace_id, bot_id, style, updated_at)
        values (%(workspace)s, %(bot)s, %(style)s::jsonb, clock_timestamp())
        on conflict (workspace_id, bot_id) do update
            set style = excluded.style, updated_at = excluded.updated_at
        """,
        style=style,
    )
