"""The SQL of suppressed statements."""

from collections.abc import Collection
from dataclasses import asdict, dataclass

from psycopg.types.json import Jsonb

from instep.drafting.drafts.schemas import DismissalReason
from instep.drafting.drafts.suppressed_schemas import Dismissal, DismissedStatement, SuppressedStatement
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

ORDER = Order(("s.created_at", "s.id"), descending=True)


@dataclass(frozen=True, slots=True)
class ArticleKeys:
    """The suppressed keys of one article; without an article, of new articles."""

    article_id: str | None
    keys: list[str]


async def list_page(ctx: Ctx, request: PageRequest) -> Page[SuppressedStatement]:
    page = request.page(ORDER, "suppressed", ctx.bot.id)
    return await page.read(
        ctx,
        SuppressedStatement,
        f"""
        select s.id, s.article_id, a.title as article_title, s.summary, s.reason, s.comment, s.draft_id,
            s.place_id, s.author_type, s.author_name, s.created_at
        from suppressed_statements s
        left join articles a on a.workspace_id = %(workspace)s and a.id = s.article_id
        where s.bot_id = %(bot)s and s.workspace_id = %(workspace)s and {page.condition} {page.tail}
        """,
    )


async def insert(ctx: Ctx, dismissal: Dismissal, reason: DismissalReason | None, comment: str | None) -> None:
    """Suppress each statement of a dismissed proposal; existing suppressions stay unchanged.

    The rows are in a fixed order, so that concurrent dismissals can't deadlock.
    """
    rows = [{**asdict(statement), "id": new_id("sup")} for statement in dismissal.statements]
    await ctx.execute(
        """
        insert into suppressed_statements (id, workspace_id, bot_id, article_id, key, summary, reason,
            comment, draft_id, place_id, author_type, author_name, created_at)
        select row.id, %(workspace)s, %(bot)s, %(article)s, row.key, row.summary, %(reason)s, %(comment)s,
            %(draft)s, %(place)s, %(author_type)s, %(author_name)s, %(now)s
        from jsonb_to_recordset(%(rows)s) as row (id text, key text, summary text)
        order by row.key
        on conflict (bot_id, coalesce(article_id, ''), key, workspace_id) do nothing
        """,
        article=dismissal.article_id,
        reason=reason,
        comment=comment,
        draft=dismissal.draft_id,
        place=dismissal.place_id,
        author_type=ctx.actor.type,
        author_name=ctx.actor.name,
        rows=Jsonb(rows),
    )


async def delete(ctx: Ctx, suppressed_id: str) -> bool:
    row_count = await ctx.execute(
        """
        delete from suppressed_statements
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=suppressed_id,
    )
    return row_count == 1


async def delete_for(ctx: Ctx, draft_id: str | None, place_id: str | None) -> None:
    await ctx.execute(
        """
        delete from suppressed_statements
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and (draft_id = %(draft)s or place_id = %(place)s)
        """,
        draft=draft_id,
        place=place_id,
    )


async def list_newest(ctx: Ctx, limit: int) -> list[DismissedStatement]:
    return await ctx.all(
        DismissedStatement,
        """
        select article_id, summary, reason, comment from suppressed_statements
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        order by created_at desc, id desc limit %(limit)s
        """,
        limit=limit,
    )


async def list_keys(ctx: Ctx) -> list[ArticleKeys]:
    return await ctx.all(
        ArticleKeys,
        """
        select article_id, array_agg(key) as keys from suppressed_statements
        where bot_id = %(bot)s and workspace_id = %(workspace)s group by article_id
        """,
    )


async def list_drafted_keys(
    ctx: Ctx, bundle: str | None, source_url: str | None, version_id: str | None
) -> list[ArticleKeys]:
    return await ctx.all(
        ArticleKeys,
        """
        select case d.type when 'edit' then d.article_id end as article_id, array_agg(s ->> 'key') as keys
        from tasks t
        join drafts d on d.workspace_id = %(workspace)s and d.bot_id = %(bot)s and d.task_id = t.id
          and d.status = 'pending'
        cross join jsonb_array_elements(d.statements) s
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s
          and (t.change_kind = 'drift' or t.bundle = %(bundle)s::text)
          and (%(url)s::text is null or d.source_url is distinct from %(url)s)
          and t.version_id is not distinct from %(version)s::text
        group by 1
        """,
        bundle=bundle,
        url=source_url,
        version=version_id,
    )


async def count(ctx: Ctx, article_id: str | None, keys: Collection[str]) -> int:
    """The number of these keys that are suppressed for the article; without one, for new articles."""
    return await ctx.value(
        """
        select count(*) from suppressed_statements
        where bot_id = %(bot)s and workspace_id = %(workspace)s and coalesce(article_id, '') = %(article)s
          and key = any(%(keys)s)
        """,
        article=article_id or "",
        keys=list(keys),
    )
