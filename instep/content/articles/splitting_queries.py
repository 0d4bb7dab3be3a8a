"""The SQL of splitting an article: what its copy takes over from it."""

from collections.abc import Sequence

from instep.content.articles.schemas import Article
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Ctx


async def copy_standing(ctx: Ctx, article_id: str, copy_id: str) -> None:
    """Give a copy the owner, review date and verification of the article, and its lag as a translation."""
    await ctx.execute(
        """
        update articles c set owner_id = a.owner_id, review_by = a.review_by, verified_at = a.verified_at,
            verified_by = a.verified_by, verified_by_name = a.verified_by_name,
            verified_commit = a.verified_commit, reviewed_at = a.reviewed_at,
            translated_version = case when a.translated_version < (
                select r.version from articles r
                where r.workspace_id = %(workspace)s and r.id = a.translation_of) then 0
                else c.translated_version end
        from articles a
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and c.id = %(copy)s
          and a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(article)s
        """,
        article=article_id,
        copy=copy_id,
    )


async def copy_publication(ctx: Ctx, article_id: str, copy: Article) -> None:
    """Date the copy's text as the article's, before it is published, because it is no news for followers."""
    await ctx.execute(
        """
        insert into published_versions
            (workspace_id, bot_id, article_id, version, is_first, sections, published_at)
        select v.workspace_id, v.bot_id, %(copy)s, %(version)s, v.is_first, v.sections, v.published_at
        from published_versions v
        where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s and v.article_id = %(article)s
        order by v.published_at desc, v.version desc limit 1
        """,
        article=article_id,
        copy=copy.id,
        version=copy.version,
    )


async def copy_dismissals(ctx: Ctx, article_id: str, copy_id: str) -> None:
    """Dismiss for the copy all statements that reviewers have dismissed for good for the article."""
    ids = await ctx.column(
        """
        select id from suppressed_statements
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
        """,
        article=article_id,
    )
    await ctx.execute(
        """
        insert into suppressed_statements (id, workspace_id, bot_id, article_id, key, summary, reason,
            comment, draft_id, place_id, author_type, author_name, created_at)
        select row.new_id, s.workspace_id, s.bot_id, %(copy)s, s.key, s.summary, s.reason, s.comment,
            s.draft_id, s.place_id, s.author_type, s.author_name, s.created_at
        from unnest(%(ids)s::text[], %(new_ids)s::text[]) as row (id, new_id)
        join suppressed_statements s
          on s.bot_id = %(bot)s and s.workspace_id = %(workspace)s and s.id = row.id
        """,
        copy=copy_id,
        ids=ids,
        new_ids=[new_id("sup") for _ in ids],
    )


async def move_proposals(ctx: Ctx, article: Article, copy: Article, version_ids: Sequence[str]) -> None:
    """Move the pending edits and open places of changes for these versions to a copy of the article.

    An edit that was made against an earlier text of the article is based on no version of the copy.
    """
    await ctx.execute(
        """
        update drafts d set article_id = %(copy)s,
            base_version = case d.base_version when %(version)s then %(copy_version)s else 0 end
        from tasks t
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.article_id = %(article)s
          and d.status = 'pending' and d.type = 'edit'
          and t.workspace_id = %(workspace)s and t.id = d.task_id and t.version_id = any(%(versions)s)
        """,
        article=article.id,
        version=article.version,
        copy=copy.id,
        copy_version=copy.version,
        versions=list(version_ids),
    )
    await ctx.execute(
        """
        update places p set article_id = %(copy)s
        from tasks t
        where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.article_id = %(article)s
          and p.status = 'open'
          and t.workspace_id = %(workspace)s and t.id = p.task_id and t.version_id = any(%(versions)s)
        """,
        article=article.id,
        copy=copy.id,
        versions=list(version_ids),
    )
