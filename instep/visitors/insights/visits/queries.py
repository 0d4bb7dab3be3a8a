"""The SQL of counted visits."""

from datetime import date
from typing import Any

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx
from instep.visitors.insights.visits.schemas import SearchedWordsOut, ViewedArticleOut, VisitDayOut

# The id of a bot, a day, an article's id or the words of a search, and a count.
CountRow = tuple[str, date, str, int]
VIEWS_ORDER = Order(("s.views", "s.article_id"), descending=True)
SEARCHES_ORDER = Order(("s.searches", "s.query"), descending=True)
EMPTY_SEARCHES_ORDER = Order(("s.empty_searches", "s.query"), descending=True)
SINCE = "day > %(today)s::date - %(days)s::integer"
RATED_SINCE = "(given_at at time zone 'utc')::date > %(today)s::date - %(days)s::integer"


async def add_views(tx: Tx, rows: list[CountRow]) -> None:
    """Add to the views of articles, unless they were deleted in the meantime."""
    if rows:
        await tx.execute(
            """
            insert into article_views (workspace_id, bot_id, article_id, day, views)
            select %(workspace)s, a.bot_id, a.id, v.day, v.views
            from unnest(%(bots)s::uuid[], %(days)s::date[], %(names)s::text[], %(counts)s::integer[])
                with ordinality as v (bot_id, day, article_id, views, place)
                join articles a on a.workspace_id = %(workspace)s and a.bot_id = v.bot_id
                  and a.id = v.article_id
            order by v.place
            on conflict (workspace_id, bot_id, day, article_id)
                do update set views = article_views.views + excluded.views
            """,
            **columns_of(rows),
        )


async def add_searches(tx: Tx, rows: list[CountRow], empty_rows: list[CountRow]) -> None:
    """Add to the searches. Beyond a number of different searches per day only their total is counted."""
    empty_counts = {row[:3]: row[3] for row in empty_rows}
    if rows:
        await tx.execute(
            f"""
            with counted as (
                select v.bot_id, v.day, v.searches, v.empty_searches, case when exists (
                        select from search_counts c where c.workspace_id = %(workspace)s
                            and c.bot_id = v.bot_id and c.day = v.day and c.query = v.query) or (
                        select count(*) from search_counts c where c.workspace_id = %(workspace)s
                            and c.bot_id = v.bot_id and c.day = v.day)
                        < {limits.MAX_COUNTED_QUERIES_PER_DAY} then v.query else '' end as query
                from unnest(%(bots)s::uuid[], %(days)s::date[], %(names)s::text[], %(counts)s::integer[],
                    %(empty)s::integer[]) as v (bot_id, day, query, searches, empty_searches)
            )
            insert into search_counts (workspace_id, bot_id, day, query, searches, empty_searches)
            select %(workspace)s, bot_id, day, query, sum(searches), sum(empty_searches)
            from counted group by bot_id, day, query order by bot_id, day, query
            on conflict (workspace_id, bot_id, day, query) do update
                set searches = search_counts.searches + excluded.searches,
                    empty_searches = search_counts.empty_searches + excluded.empty_searches
            """,
            empty=[empty_counts.get(row[:3], 0) for row in rows],
            **columns_of(rows),
        )


def columns_of(rows: list[CountRow]) -> dict[str, list[Any]]:
    bots, days, names, counts = map(list, zip(*rows, strict=True))
    return {"bots": bots, "days": days, "names": names, "counts": counts}


async def list_days(ctx: Ctx, days: int) -> list[VisitDayOut]:
    """Each of the last days with its counts, oldest first."""
    return await ctx.all(
        VisitDayOut,
        f"""
        select d.day::date as day, coalesce(v.views, 0)::integer as views,
            coalesce(s.searches, 0)::integer as searches,
            coalesce(s.empty_searches, 0)::integer as empty_searches,
            coalesce(f.helpful_count, 0)::integer as helpful_count,
            coalesce(f.unhelpful_count, 0)::integer as unhelpful_count
        from generate_series(%(today)s::date - %(days)s::integer + 1, %(today)s::date, '1 day') as d (day)
            left join (select day, sum(views) as views from article_views
                where bot_id = %(bot)s and workspace_id = %(workspace)s and {SINCE}
                group by day) v on v.day = d.day
            left join (select day, sum(searches) as searches, sum(empty_searches) as empty_searches
                from search_counts
                where bot_id = %(bot)s and workspace_id = %(workspace)s and {SINCE}
                group by day) s on s.day = d.day
            left join (select (given_at at time zone 'utc')::date as day,
                    count(*) filter (where helpful) as helpful_count,
                    count(*) filter (where not helpful) as unhelpful_count
                from article_feedback
                where bot_id = %(bot)s and workspace_id = %(workspace)s and {RATED_SINCE}
                group by 1) f on f.day = d.day
        order by d.day
        """,
        today=ctx.now.date(),
        days=days,
    )


async def list_viewed_articles(ctx: Ctx, days: int, request: PageRequest) -> Page[ViewedArticleOut]:
    page = request.page(VIEWS_ORDER, f"views of {days} days", ctx.bot.id)
    return await page.read(
        ctx,
        ViewedArticleOut,
        f"""
        select s.* from (
            select a.id as article_id, a.title, v.views,
                coalesce(f.helpful_count, 0)::integer as helpful_count,
                coalesce(f.unhelpful_count, 0)::integer as unhelpful_count
            from (select article_id, sum(views)::integer as views from article_views
                    where bot_id = %(bot)s and workspace_id = %(workspace)s and {SINCE} group by article_id) v
                join articles a on a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
                    and a.id = v.article_id and a.deleted_at is null
                left join (select article_id, count(*) filter (where helpful) as helpful_count,
                        count(*) filter (where not helpful) as unhelpful_count
                    from article_feedback
                    where bot_id = %(bot)s and workspace_id = %(workspace)s and {RATED_SINCE}
                    group by article_id) f on f.article_id = a.id
        ) s where {page.condition} {page.tail}
        """,
        today=ctx.now.date(),
        days=days,
    )


async def list_searched_words(
    ctx: Ctx, days: int, request: PageRequest, *, only_empty: bool
) -> Page[SearchedWordsOut]:
    order = EMPTY_SEARCHES_ORDER if only_empty else SEARCHES_ORDER
    page = request.page(order, f"searches of {days} days, {only_empty}", ctx.bot.id)
    return await page.read(
        ctx,
        SearchedWordsOut,
        f"""
        select s.* from (
            select query, sum(searches)::integer as searches,
                sum(empty_searches)::integer as empty_searches, max(day) as last_day
            from search_counts where bot_id = %(bot)s and workspace_id = %(workspace)s and {SINCE}
            group by query
        ) s where (s.empty_searches > 0 or not %(only_empty)s) and {page.condition} {page.tail}
        """,
        only_empty=only_empty,
        today=ctx.now.date(),
        days=days,
    )


async def delete_all(ctx: Ctx) -> None:
    """Delete all counts of the bot."""
    for table in ("article_views", "search_counts"):
        await ctx.execute(f"delete from {table} where bot_id = %(bot)s and workspace_id = %(workspace)s")
