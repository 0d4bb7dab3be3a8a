"""The SQL of translations that follow their original."""

from collections.abc import Sequence

from instep.content.collections.visibility import ANCESTORS, PLACE
from instep.drafting.translations.schemas import (
    CoveredLanguage,
    LanguageCount,
    TranslatableArticle,
    WaitingLanguage,
    translation_key,
)
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


async def list_covered_places(ctx: Ctx, article_id: str) -> list[str]:
    """The open places of a translation, or of those of an original, that follow its present version."""
    ids: list[str] | None = await ctx.value(
        """
        select array_agg(p.id order by p.id) from articles t
        join articles a on a.workspace_id = t.workspace_id and a.id = t.translation_of
        join places p on p.workspace_id = t.workspace_id and p.article_id = t.id
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s
          and %(article)s in (t.id, t.translation_of) and a.version <= t.translated_version
          and p.source_kind = 'translation' and p.status = 'open'
        """,
        article=article_id,
    )
    return ids or []


async def is_known(ctx: Ctx, article_id: str, key: str) -> bool:
    """True if a draft or place of the article makes this statement, or has made it."""
    return await ctx.value(
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


async def list_coverage(ctx: Ctx, root_ids: Sequence[str]) -> list[CoveredLanguage]:
    """The translations of these originals; an outdated one waits since the version after its own."""
    return await ctx.all(
        CoveredLanguage,
        """
        select t.translation_of as root_id, t.id, t.locale, t.status,
            case when a.version > t.translated_version then coalesce(r.created_at, a.text_changed_at) end
                as outdated_since,
            exists (select from drafts d
                where d.workspace_id = t.workspace_id and d.article_id = t.id and d.status = 'pending')
            or exists (select from places p
                where p.workspace_id = t.workspace_id and p.article_id = t.id and p.status = 'open')
                as has_proposal
        from articles t
        join articles a on a.workspace_id = t.workspace_id and a.id = t.translation_of
        left join revisions r on r.workspace_id = a.workspace_id and r.article_id = a.id
            and r.version = t.translated_version
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.deleted_at is null
          and t.translation_of = any(%(roots)s)
        """,
        roots=list(root_ids),
    )


async def count_coverage(ctx: Ctx, collection_id: str | None) -> list[LanguageCount]:
    """The counts of each language, over all originals or one collection's ("" for no collection)."""
    return await ctx.all(
        LanguageCount,
        """
        with roots as (
            select id, locale, version from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
              and translation_of is null and (%(collection)s::text is null
                or coalesce(collection_id, '') = %(collection)s))
        select l.locale, count(*)::integer as originals,
            count(*) filter (where r.locale = l.locale or t.translated_version >= r.version)::integer
                as current,
            count(*) filter (where t.translated_version < r.version)::integer as outdated
        from (select distinct locale from articles
            where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null) l
        cross join roots r
        left join articles t on t.bot_id = %(bot)s and t.workspace_id = %(workspace)s
            and t.translation_of = r.id and t.locale = l.locale and t.deleted_at is null
        group by l.locale order by l.locale <> %(own)s, l.locale
        """,
        collection=collection_id,
        own=ctx.bot.locale,
    )


async def list_translatable(
    ctx: Ctx, kind: str, locale: str, article_id: str | None, collection_id: str | None
) -> list[TranslatableArticle]:
    """The published originals in other languages, in reading order; `kind` is that of their jobs.

    An article for whose present text a model's translation was refused waits for a person, unless it is
    named.
    """
    return await ctx.all(
        TranslatableArticle,
        f"""
        with waiting as (
            select j.payload ->> 'article' as id from jobs j
            where j.workspace_id = %(workspace)s and j.kind = %(kind)s and j.run_at is not null
                and j.payload ->> 'locale' = %(locale)s)
        select a.id, octet_length(concat(a.title, a.description, a.content_markdown)) as bytes,
            case when t.id is not null then 'translated'
                when a.id in (select w.id from waiting w) then 'waiting'
                when %(article)s::text is null and exists (
                    select from places p
                    join tasks k on k.workspace_id = %(workspace)s and k.id = p.task_id
                    where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.article_id = a.id
                        and p.status = 'open' and p.statement ->> 'key' = %(key)s and k.model is not null
                        and k.created_at >= a.text_changed_at) then 'waiting'
                else 'missing' end as state
        from articles a
        left join collections c on c.workspace_id = %(workspace)s and c.id = a.collection_id
        {ANCESTORS}
        left join articles t on t.bot_id = %(bot)s and t.workspace_id = %(workspace)s
            and t.translation_of = a.id and t.locale = %(locale)s and t.deleted_at is null
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
            and a.status = 'published' and a.translation_of is null and a.locale <> %(locale)s
            and (%(article)s::text is null or a.id = %(article)s)
            and (%(collection)s::text is null or %(collection)s in (c.id, parent.id, grandparent.id))
        order by c.id is null, {PLACE}, a.position, a.id
        """,
        kind=kind,
        key=translation_key(locale),
        locale=locale,
        article=article_id,
        collection=collection_id,
    )


async def count_waiting(ctx: Ctx, kind: str) -> list[WaitingLanguage]:
    """The numbers of jobs of this kind that wait or run, by language."""
    return await ctx.all(
        WaitingLanguage,
        """
        select j.payload ->> 'locale' as locale, count(*)::integer as count from jobs j
        where j.workspace_id = %(workspace)s and j.kind = %(kind)s and j.run_at is not null
            and j.payload ->> 'bot' = %(bot)s::text
        group by 1 order by 1
        """,
        kind=kind,
    )
