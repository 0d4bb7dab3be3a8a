"""The SQL of releases."""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.drafting.drafts.release_schemas import DraftOfArticle
from instep.platform.identity.schemas import Ctx

FROM = """
    from drafts d
    join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
    where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
      and a.deleted_at is null
      and (d.source_url = any(%(urls)s) or d.task_id = any(%(tasks)s))
"""


@dataclass(frozen=True, slots=True)
class ReleaseSources:
    """The sources that have shipped, by their addresses and by the tasks that read them."""

    urls: Sequence[str]
    task_ids: Sequence[str]


async def list_pending(ctx: Ctx, sources: ReleaseSources) -> list[DraftOfArticle]:
    """The pending drafts of the sources, oldest first."""
    return await ctx.all(
        DraftOfArticle,
        f"""
        select d.id, d.article_id, d.approved_at is not null as is_approved {FROM}
        order by d.created_at, d.id
        """,
        urls=list(sources.urls),
        tasks=list(sources.task_ids),
    )


async def list_approved_edits(ctx: Ctx, article_ids: Sequence[str]) -> list[DraftOfArticle]:
    """The pending edits of these articles that are approved, oldest first."""
    return await ctx.all(
        DraftOfArticle,
        """
        select id, article_id, true as is_approved from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and status = 'pending' and type = 'edit'
          and approved_at is not null and article_id = any(%(articles)s)
        order by created_at, id
        """,
        articles=list(article_ids),
    )
