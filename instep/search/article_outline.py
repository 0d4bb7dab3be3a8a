"""The outline of a help center: its articles with the headings of their sections, the nearest ones first."""

from collections.abc import Sequence
from dataclasses import dataclass

from anyio import to_thread

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search import queries
from instep.search.index.builder import split_article
from instep.search.index.passages import Anchors, ArticleSections
from instep.search.query.analysis import question_query
from instep.search.query.scoring import ArticleFilter
from instep.search.retrieve import indexed_question, passages_of, top_articles
from instep.search.schemas import Audience, LiveArticle, Passage
from instep.search.search_state import search_state_of


@dataclass(frozen=True, slots=True)
class OutlinedArticle:
    """An article by its title, and each of its headings with text below it, by the heading's number."""

    id: str
    title: str
    headings: dict[int, str]


async def outline_of(ctx: Ctx, question: str, locale: str, audience: Audience) -> list[OutlinedArticle]:
    """The articles in a language that are nearest to a question, then others up to a limit."""
    state = await search_state_of(ctx)
    scope = ArticleFilter(locale, audience, state.hidden)
    indexed = await indexed_question(ctx, question, state, scope, question_query)
    count = limits.MAX_OUTLINED_ARTICLES
    ranked, _ = top_articles(state.index, indexed.query, scope, count, 1, 1)
    ids = [article.article_id for article in ranked]
    articles = await queries.articles_to_outline(ctx, ids, locale, audience, count)
    return await to_thread.run_sync(outlined, articles)


def outlined(articles: Sequence[queries.ArticleToOutline]) -> list[OutlinedArticle]:
    return [_outlined_article(article) for article in articles]


def _outlined_article(article: queries.ArticleToOutline) -> OutlinedArticle:
    passages = split_article(None, article.markdown)
    headings = {passage.number: passage.headings[-1] for passage in passages if passage.number is not None}
    return OutlinedArticle(article.id, article.title, headings)


async def sections_of_articles(
    ctx: Ctx, ids: Sequence[str], audience: Audience
) -> dict[str, dict[int | None, Passage]]:
    """The first passage of each section of live articles, by article and by the number of its heading."""
    articles = await queries.live_articles(ctx, ids, audience)
    help_url = ctx.bot.help_url
    addresses = [help_url + article.path(ctx.bot) for article in articles]
    sections = await to_thread.run_sync(sections_of_all, articles, addresses)
    return {article.id: of_article for article, of_article in zip(articles, sections, strict=True)}


def sections_of_all(
    articles: Sequence[LiveArticle], addresses: Sequence[str]
) -> list[dict[int | None, Passage]]:
    return [sections_of(article, url) for article, url in zip(articles, addresses, strict=True)]


def sections_of(article: LiveArticle, url: str) -> dict[int | None, Passage]:
    passages = passages_of(article.description, article.markdown)
    whole = Passage(
        article_id=article.id,
        number=0,
        title=article.title,
        slug=article.slug,
        url=url,
        locale=article.locale,
        headings=(),
        anchor=None,
        markdown="",
        text="",
        score=0.0,
        coverage=0.0,
        best=(0, 0),
        matches={},
        lead=article.description or "",
        sections=ArticleSections(passages, Anchors(article.html)),
    )
    return {passages[passage.number].number: passage for passage in whole.sections_of_article()}
