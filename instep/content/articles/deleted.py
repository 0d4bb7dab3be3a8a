"""The SQL of Recently deleted: articles that can be restored until they are purged."""

from datetime import datetime

from instep.content.articles.queries import columns
from instep.content.articles.schemas import Article, DeletedArticle
from instep.platform.core import limits
from instep.platform.core.ids import looks_like_id
from instep.platform.identity.schemas import Ctx

DELETED = "a.id, a.slug, a.locale, a.translation_of, a.deleted_at"


async def lock_translations(ctx: Ctx, article_id: str) -> list[Article]:
    """An article's locked translations. The lock on the article itself prevents others from adding one."""
    return await ctx.all(
        Article,
        f"""
        select {columns("markdown")} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.translation_of = %(id)s
          and a.deleted_at is null
        order by a.id for no key update of a
        """,
        id=article_id,
    )


async def delete(ctx: Ctx, article_ids: list[str]) -> datetime:
    """Give the articles a unique deletion time, which later shows what was deleted together."""
    stamp: datetime = await ctx.value("select stamp_change(%(bot)s)")
    await ctx.execute(
        """
        update articles set deleted_at = %(stamp)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        """,
        ids=article_ids,
        stamp=stamp,
    )
    return stamp


async def find(ctx: Ctx, ref: str) -> DeletedArticle | None:
    """Find by id, or by a current or former slug; of several matches, the one deleted last."""
    by_slug = """(a.slug = %(ref)s or exists (
        select from former_slugs f
        where f.workspace_id = %(workspace)s and f.bot_id = a.bot_id and f.article_id = a.id
          and f.slug = %(ref)s))"""
    return await ctx.first(
        DeletedArticle,
        f"""
        select {DELETED} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at > now() - %(retention)s
          and {"a.id = %(ref)s" if looks_like_id(ref) else by_slug}
        order by a.slug <> %(ref)s, a.deleted_at desc, a.translation_of nulls first, a.id limit 1
        """,
        ref=ref,
        retention=limits.DELETED_ARTICLE_RETENTION,
    )


async def lock(ctx: Ctx, article_id: str) -> None:
    """Lock an article, deleted or not."""
    await ctx.execute(
        """
        select id from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s for no key update
        """,
        id=article_id,
    )


async def lock_deleted_with(ctx: Ctx, article: DeletedArticle) -> list[DeletedArticle]:
    """A locked article and the translations that were deleted with it."""
    return await ctx.all(
        DeletedArticle,
        f"""
        select {DELETED} from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at = %(deleted_at)s
          and (a.id = %(id)s or a.translation_of = %(id)s)
        order by a.id for no key update
        """,
        id=article.id,
        deleted_at=article.deleted_at,
    )


async def stamp_restoration(ctx: Ctx) -> datetime:
    """The time of a restoration. Until its transaction ends no other article can take a slug."""
    return await ctx.value("select stamp_change(%(bot)s)")


async def restore(ctx: Ctx, article: DeletedArticle, slug: str, stamp: datetime) -> None:
    await ctx.execute(
        """
        update articles a set deleted_at = null, status = 'draft', slug = %(slug)s, updated_at = %(stamp)s,
            (since_version, until_version, version_family) = (
                select r.since_version, r.until_version, r.version_family from articles r
                where r.workspace_id = %(workspace)s and r.id = coalesce(a.translation_of, a.id))
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(id)s
        """,
        id=article.id,
        slug=slug,
        stamp=stamp,
    )
