"""SQL of bots' language models and of their usage."""

from dataclasses import asdict
from datetime import date

from instep.accounts.language_model.schemas import FIELDS, ModelSetting, PurposeUse, UseOfDay
from instep.platform.identity.schemas import Ctx


async def find_setting(ctx: Ctx, *, lock: bool = False) -> ModelSetting | None:
    return await ctx.first(
        ModelSetting,
        f"""
        select {", ".join(FIELDS)}, sealed, last_four from language_models
        where bot_id = %(bot)s and workspace_id = %(workspace)s {"for update" if lock else ""}
        """,
    )


async def put_setting(ctx: Ctx, setting: ModelSetting) -> None:
    row = asdict(setting)
    names, marks = ", ".join(row), ", ".join(f"%({name})s" for name in row)
    await ctx.execute(
        f"""
        insert into language_models (workspace_id, bot_id, {names}) values (%(workspace)s, %(bot)s, {marks})
        on conflict (bot_id, workspace_id) do update
            set {", ".join(f"{name} = excluded.{name}" for name in row)}
        """,
        **row,
    )


async def delete_setting(ctx: Ctx) -> bool:
    """Delete the setting; return True if there was one."""
    return bool(
        await ctx.execute(
            "delete from language_models where bot_id = %(bot)s and workspace_id = %(workspace)s"
        )
    )


async def use_of_today(ctx: Ctx) -> UseOfDay:
    """The bot's usage since midnight (UTC), including reserved tokens."""
    use = await ctx.first(
        UseOfDay,
        """
        select tokens, cost from model_use
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and day = (%(now)s::timestamptz at time zone 'UTC')::date
        """,
    )
    return use or UseOfDay()


async def list_uses(ctx: Ctx, first_day: date) -> list[PurposeUse]:
    """The usage since a day, by day and purpose."""
    return await ctx.all(
        PurposeUse,
        """
        select day, purpose, calls, input_tokens, output_tokens, cost from model_purposes
        where bot_id = %(bot)s and workspace_id = %(workspace)s and day >= %(first)s order by day, purpose
        """,
        first=first_day,
    )
