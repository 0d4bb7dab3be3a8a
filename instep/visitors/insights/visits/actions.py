"""What visitors of a help center read and search: what the team reads of it."""

from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.visitors.insights.visits import queries
from instep.visitors.insights.visits.schemas import SearchedWords, ViewedArticle, VisitDay


async def count_visits(ctx: Ctx, days: int) -> list[VisitDay]:
    """Count what visitors of the help center did, by the day: articles opened, searches, ratings.

    No cookie, address or name is kept, robots are left out, and it takes some seconds until a visit counts.
    Pages that a cache in front of the server gives out are not counted.
    """
    return await queries.list_days(ctx, days)


async def list_views(ctx: Ctx, days: int, page: PageRequest) -> Page[ViewedArticle]:
    """List the articles that visitors opened, the most opened first."""
    return await queries.list_viewed_articles(ctx, days, page)


async def list_searches(ctx: Ctx, days: int, page: PageRequest, *, only_empty: bool) -> Page[SearchedWords]:
    """List what visitors searched for, the most frequent first; or only what found nothing."""
    return await queries.list_searched_words(ctx, days, page, only_empty=only_empty)


@writes
async def erase_visits(ctx: Ctx) -> str:
    """Erase all counts of the help center's views and searches. Ratings of articles stay."""
    await queries.delete_all(ctx)
    return str(ctx.bot.id)
