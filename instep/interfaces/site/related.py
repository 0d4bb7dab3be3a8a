"""Related articles: those nearest to an article in the search index."""

import asyncio
from uuid import UUID

import structlog
from cachetools import LRUCache

from instep.interfaces.site import queries
from instep.interfaces.site.page_cache import page_cache
from instep.interfaces.site.schemas import ArticlePage, RelatedArticle
from instep.interfaces.site.visits import VISITOR, Visit
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Bot, Ctx
from instep.search.index.cache import index_cache
from instep.search.retrieve import rank_articles

log = structlog.get_logger()

# An article is related if its score is at least this share of the article's own score.
LEAST_SHARE = 0.3
# The indexes that are being read, by bot.
loading: dict[UUID, asyncio.Task[None]] = {}
# The ids of the nearest articles, by the article, the page's language and version, and the state of the help
# center when they were ranked.
nearest: LRUCache[tuple[object, ...], list[str]] = LRUCache(limits.MAX_CACHED_RELATED_ARTICLES)


async def related_articles(visit: Visit, article: ArticlePage) -> list[RelatedArticle]:
    """A few public articles that the page's language shows, the nearest first.

    They are ranked once per state of the help center, by words alone, so that no page waits for an
    embedding service. No page waits for the index either: until it is read there are no related
    articles, and the pages are rendered again when it is ready.
    """
    bot = visit.ctx.bot
    index = index_cache.indexes.get(bot.id)
    if index is None or index.resume_after:
        if bot.id not in loading:
            loading[bot.id] = asyncio.create_task(load_index(visit.request.app.state.database, bot))
        return []
    arrival = visit.arrival
    version = visit.version.position if visit.version else None
    key = (article.id, visit.locale, version, arrival.site_frame.shows_untranslated, arrival.changed_at)
    ids = nearest.get(key)
    if ids is None:
        ids = nearest[key] = await rank(visit, article)
    return await queries.list_related(visit.ctx, ids) if ids else []


async def load_index(database: Database, bot: Bot) -> None:
    """Read the index of a bot, and drop the pages that were rendered without it."""
    try:
        async with database.enter_workspace(bot.workspace_id) as tx:
            await index_cache.index_of(Ctx(tx, bot, VISITOR, utc_now()))
        page_cache.forget(bot.id)
    except AppError as refusal:
        # The next page without an index tries again.
        log.info("the index is not read for related articles", reason=refusal.message)
    finally:
        loading.pop(bot.id, None)


async def rank(visit: Visit, article: ArticlePage) -> list[str]:
    subject = f"{article.title} {article.description or ''}"
    # One more than is shown, because the article is nearest to itself.
    ranked = await rank_articles(visit.ctx, subject, visit.locale, limits.RELATED_ARTICLES + 1)
    own_score = next((other.score for other in ranked if other.article_id == article.id), 0.0)
    others = [other for other in ranked if other.article_id != article.id]
    near_ids = [other.article_id for other in others if other.score >= LEAST_SHARE * own_score]
    return near_ids[: limits.RELATED_ARTICLES]
