"""The team's view of visitors' views and searches."""

from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.visitors.insights.visits import queries
from instep.visitors.insights.visits.schemas import SearchedWordsOut, ViewedArticleOut, VisitsOut


async def count_visits(ctx: Ctx, days: int) -> VisitsOut:
    """Count visitors' activity per day: article views, searches, ratings.

    No cookie, address or name is stored, robots are not counted, and a visit counts after some seconds.
    Pages served by a cache in front of the server are not counted.
    """
    return VisitsOut.of(await queries.list_days(ctx, days))


async def list_views(ctx: Ctx, days: int, page: PageRequest) -> Page[ViewedArticleOut]:
    """List the articles that visitors viewed, most viewed first."""
    return await queries.list_viewed_articles(ctx, days, page)


async def list_searches(
    ctx: Ctx, days: int, page: PageRequest, *, only_empty: bool
) -> Page[SearchedWordsOut]:
    """List visitors' searches, most frequent first; or only those without results."""
    return await queries.list_searched_words(ctx, days, page, only_empty=only_empty)


@writes
async def erase_visits(ctx: Ctx) -> str:
    """Erase all counts of the help center's views and searches. Ratings of articles stay."""
    await queries.delete_all(ctx)
    return str(ctx.bot.id)
