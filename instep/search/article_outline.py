"""The outline of a help center: its articles with the headings of their sections, the nearest ones first."""

from collections.abc import Sequence

from anyio import to_thread

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search import queries
from instep.search.index.builder import split_article
from instep.search.query.analysis import question_query
from instep.search.query.scoring import ArticleFilter
from instep.search.retrieve import indexed_question, sections_in, top_articles
from instep.search.schemas import Audience, LiveArticle, OutlinedArticle, Passage
from instep.search.search_state import search_state_of


async def outline_of(ctx: Ctx, question: str, locale: str, audience: Audience) -> list[OutlinedArticle]:
    """The articles in a language that are nearest to a question, then others up to a limit."""
    state = await search_state_of(ctx)
    scope = ArticleFilter(locale, audience, state.hidden)
    indexed = await indexed_question(ctx, question, state, scope, question_query)
    count = limits.MAX_OUTLINED_ARTICLES
    ranked, _ = top_articles(state.index, indexed.query, scope, count, 1, 1)
    ids = [article.article_id for article in ranked]
    return await queries.articles_to_outline(ctx, ids, locale, audience, count)


def outline_headings(article: OutlinedArticle) -> dict[int, str]:
    """Each heading with text below it, by its number."""
    passages = split_article(None, article.markdown)
    return {passage.number: passage.headings[-1] for passage in passages if passage.number is not None}


async def sections_of_articles(
    ctx: Ctx, ids: Sequence[str], audience: Audience
) -> dict[str, dict[int | None, Passage]]:
    """The first passage of each section of live articles, by article and by the number of its heading."""
    articles = await queries.live_articles(ctx, ids, audience)
    help_url = ctx.bot.help_url
    pages = [help_url + article.path(ctx.bot) for article in articles]
    return await to_thread.run_sync(first_passages_of, articles, pages)


def first_passages_of(
    articles: Sequence[LiveArticle], pages: Sequence[str]
) -> dict[str, dict[int | None, Passage]]:
    return {
        article.id: {
            sections.passages[at].number: Passage.of(article, page, sections, at)
            for at in sections.first_passages()
        }
        for article, page, sections in zip(articles, pages, map(sections_in, articles), strict=True)
    }
