"""The SQL of translations that follow their original."""

from instep.platform.identity.schemas import Ctx


async def list_behind(ctx: Ctx, root_id: str) -> list[str]:
    """The published translations of a published article that were made from an earlier version of it."""
    ids: list[str] | None = await ctx.value(
        """
        select array_agg(t.id order by t.locale) from articles t
        join articles a on a.workspace_id = t.workspace_id and a.id = t.translation_of
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.translation_of = %(root)s
          and t.deleted_at is null and t.status = 'published' and a.deleted_at is null
          and a.status = 'published' and a.version > t.translated_version
        """,
        root=root_id,
    )
    return ids or []


async def is_known(ctx: Ctx, article_id: str, key: str) -> bool:
    """True if a draft or place of the article makes this statement, or has made it."""
    has_one: bool = await ctx.value(
        """
        select exists (select from places
            where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
              and statement ->> 'key' = %(key)s)
          or exists (select from drafts
            where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
              and statements @> jsonb_build_array(jsonb_build_object('key', %(key)s::text)))
        """,
        article=article_id,
        key=key,
    )
    return has_one
