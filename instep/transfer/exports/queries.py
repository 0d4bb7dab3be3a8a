"""The SQL of exports: the content of one help center, in reading order."""

from collections.abc import Sequence

from instep.content.files.queries import FILE, FILES
from instep.content.files.schemas import StoredFile
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Bot, Ctx
from instep.transfer.exports.schemas import (
    ArticleRow,
    CollectionRow,
    EntryRow,
    MarkdownRow,
    PartRow,
    QuestionRow,
    RedirectRow,
    VersionRow,
)


async def list_collections(ctx: Ctx) -> list[CollectionRow]:
    return await ctx.all(
        CollectionRow,
        """
        select id, slug, title, description, icon, visibility, parent_id from collections
        where bot_id = %(bot)s and workspace_id = %(workspace)s order by sort_order, created_at, id
        """,
    )


async def list_articles(ctx: Ctx) -> list[ArticleRow]:
    """All articles and translations that are not deleted, ordered by collection."""
    return await ctx.all(
        ArticleRow,
        """
        select a.id, a.slug, a.locale, a.translation_of, a.title, a.description, a.collection_id,
            a.visibility, a.status, a.published_at, a.working_saved_at is not null as has_unpublished_changes,
            coalesce((select array_agg(f.slug order by f.slug) from former_slugs f
                where f.workspace_id = %(workspace)s and f.bot_id = a.bot_id and f.article_id = a.id), '{}')
                as former_slugs,
            coalesce((select r.version > coalesce(a.translated_version, 0) from articles r
                where r.workspace_id = %(workspace)s and r.id = a.translation_of), false) as is_outdated,
            since.slug as since_slug, until.slug as until_slug,
            case when a.version_family is not null and a.translation_of is null then (
                select nullif((array_agg(m.id order by m.id <> a.version_family, m.id))[1], a.id)
                from articles m
                where m.workspace_id = %(workspace)s and m.bot_id = a.bot_id and m.deleted_at is null
                  and m.translation_of is null
                  and (m.id = a.version_family or m.version_family = a.version_family)) end as family_head
        from articles a
        left join product_versions since on since.workspace_id = %(workspace)s and since.id = a.since_version
        left join product_versions until on until.workspace_id = %(workspace)s and until.id = a.until_version
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
        order by a.collection_id, a.position, a.id
        """,
    )


async def list_entries(ctx: Ctx) -> list[EntryRow]:
    return await ctx.all(
        EntryRow,
        """
        select id, slug, title, status, source_url, published_at from changelog_entries
        where bot_id = %(bot)s and workspace_id = %(workspace)s order by slug
        """,
    )


async def list_redirects(ctx: Ctx) -> list[RedirectRow]:
    """The redirects whose target exists, sorted by path."""
    return await ctx.all(
        RedirectRow,
        """
        select r.path, r.article_id, r.url from redirects r
        left join articles a on a.workspace_id = %(workspace)s and a.id = r.article_id
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and (r.url is not null or a.deleted_at is null)
        order by r.path collate "C"
        """,
    )


async def list_golden_questions(ctx: Ctx) -> list[QuestionRow]:
    return await ctx.all(
        QuestionRow,
        """
        select g.question, g.article_id, g.section, g.says from golden_questions g
        join articles a on a.workspace_id = %(workspace)s and a.id = g.article_id
            and a.deleted_at is null
        where g.bot_id = %(bot)s and g.workspace_id = %(workspace)s order by g.created_at, g.id
        """,
    )


async def list_parts(ctx: Ctx) -> list[PartRow]:
    return await ctx.all(
        PartRow,
        """
        select kind, name, locale, text from parts
        where bot_id = %(bot)s and workspace_id = %(workspace)s order by kind, name, locale
        """,
    )


async def list_product_versions(ctx: Ctx) -> list[VersionRow]:
    """The versions of the product, the oldest first."""
    return await ctx.all(
        VersionRow,
        """
        select slug, name, is_current, branches from product_versions
        where bot_id = %(bot)s and workspace_id = %(workspace)s order by position
        """,
    )


async def list_shown_files(ctx: Ctx) -> list[StoredFile]:
    """The files used in articles and changelog entries; of several with the same bytes, the oldest.

    Both lists of ids are materialized: right after an import the statistics show no rows, and PostgreSQL
    would scan all references again for each file.
    """
    return await ctx.all(
        StoredFile,
        f"""
        with shown as materialized (
            select distinct r.sha256 from file_references r
            where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
              and r.source in ('article', 'changelog_entry', 'part') and r.source_id not in (
                select id from articles
                where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is not null))
        select distinct on (f.sha256, f.content_type) {FILE} {FILES}
          and f.sha256 in (select sha256 from shown)
        order by f.sha256, f.content_type, f.created_at, f.id
        """,
    )


async def list_texts(tx: Tx, bot: Bot, ids: Sequence[str]) -> list[MarkdownRow]:
    """The Markdown of articles and changelog entries."""
    return await tx.all(
        MarkdownRow,
        """
        select id, content_markdown as content from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        union all
        select id, content_markdown from changelog_entries
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        """,
        bot=bot.id,
        ids=list(ids),
    )
