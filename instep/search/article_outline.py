"""The outline of a help center: its articles with the headings of their sections, the nearest ones first."""

from collections.abc import Sequence
from itertools import takewhile

from anyio import to_thread

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search import queries
from instep.search.index.builder import split_article
from instep.search.index.passages import MarkdownPassage
from instep.search.query.analysis import question_query
from instep.search.query.scoring import ArticleFilter
from instep.search.retrieve import indexed_question, sections_in, top_articles
from instep.search.schemas import Audience, LiveArticle, OutlinedArticle, Passage
from instep.search.search_state import search_state_of


async def outline_of(ctx: Ctx, question: str, locale: str, audience: Audience) -> list[OutlinedArticle]:
    """The articles in a language that are nearest to a question, then others up to a limit."""
    state = await search_state_of(ctx)
    scope = ArticleFilter.of(state, locale, audience)
    indexed = await indexed_question(ctx, question, state, scope, question_query)
    count = limits.MAX_OUTLINED_ARTICLES
    ranked, _ = top_articles(state.index, indexed.query, scope, count, 1, 1)
    ids = [article.article_id for article in ranked]
    return await queries.articles_to_outline(ctx, ids, locale, audience, count)


def outlined_names(article: OutlinedArticle) -> dict[int | None, str]:
    return section_names(split_article(None, article.markdown))


def section_names(passages: Sequence[MarkdownPassage]) -> dict[int | None, str]:
    """A name for each section with text, by the number of its heading; `None`: before the first heading.

    Headings above it that have no text themselves come first: "Linux > Install".
    """
    names: dict[int | None, str] = {}
    above: tuple[str, ...] = ()
    for passage in passages:
        if passage.number is None:
            names[None] = "opening"
        elif passage.number not in names:
            *parents, heading = passage.headings
            shared_count = sum(
                1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parents, above, strict=False))
            )
            names[passage.number] = " > ".join(filter(None, [*parents[shared_count:], heading]))
            above = passage.headings
    return names


async def sections_of_articles(
    ctx: Ctx, ids: Sequence[str], audience: Audience
) -> dict[str, dict[int | None, Passage]]:
    """The first passage of each section of live articles, by article and by the number of its heading."""
    articles = await queries.live_articles(ctx, ids, audience)
    pages = [article.url(ctx.bot) for article in articles]
    return await to_thread.run_sync(sections_by_article, articles, pages)


def sections_by_article(
    articles: Sequence[LiveArticle], pages: Sequence[str]
) -> dict[str, dict[int | None, Passage]]:
    return {
        article.id: Passage.of(article, page, sections_in(article), 0).sections_of_article()
        for article, page in zip(articles, pages, strict=True)
    }
