"""Search results while typing: the best articles, and an answer if the words are a question."""

from dataclasses import asdict, dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from instep.interfaces.site.schemas import passage_path
from instep.interfaces.site.search import (
    HEADERS,
    IN_VERSION,
    ArticleResult,
    count_search,
    results_by_article,
    search,
    searched_text,
)
from instep.interfaces.site.visits import Visit, help_center
from instep.platform.core import limits
from instep.platform.web.public import public
from instep.search.schemas import SearchRequest
from instep.search.semantic.query_embedder import query_embedder
from instep.visitors.answers.ask import QuestionRequest, answer_from_articles

# Maximum number of articles below the field.
MOST_ARTICLES = 4
# Fewer words are hardly a question.
MIN_QUESTION_WORDS = 3


@dataclass(frozen=True, slots=True)
class Match:
    """A line below the field: its target, the title and headings above a text, and the text in pieces.

    The first heading of an article of another product version is the version.
    """

    path: str
    title: str
    headings: tuple[str, ...]
    locale: str
    excerpt: list[tuple[str, bool]] = field(default_factory=list)


@public
async def show_matches(request: Request) -> Response:
    """The matches as JSON: `answer` or null, and `articles`; each has `path`, `title`, `headings`, `locale`,
    `excerpt`.

    An excerpt is a list of pairs: a piece of text, and whether it is a match. The words are not stored:
    they count as a question only if someone asks them.
    """
    query = searched_text(request)
    if len(query) < limits.MIN_QUERY_CHARACTERS:
        return JSONResponse({"answer": None, "articles": []}, headers=HEADERS)
    await count_search(request)
    await query_embedder.prepare(query)
    async with help_center(request, recognise=True) as visit:
        locale = visit.locale
        passages = await search(visit, SearchRequest(query, locale))
        articles = results_by_article(visit, passages.rows)[:MOST_ARTICLES]
        answer = await answer_match(visit, query, locale) if is_question(query) else None
    return JSONResponse(
        {
            "answer": answer and asdict(answer),
            "articles": [asdict(article_match(visit, article)) for article in articles],
        },
        headers=HEADERS,
    )


def is_question(query: str) -> bool:
    return query.endswith("?") or len(query.split()) >= MIN_QUESTION_WORDS


def article_match(visit: Visit, article: ArticleResult) -> Match:
    best = article.passages[0]
    path = f"{article.path}#{best.anchor}" if best.anchor else article.path
    version = [visit.catalogue.gettext(IN_VERSION, version=article.version)] if article.version else []
    return Match(path, article.title, (*version, *best.headings), article.locale, best.marked_excerpt)


async def answer_match(visit: Visit, question: str, locale: str) -> Match | None:
    """The best source of the answer with its text; None if the articles don't contain one."""
    answer = await answer_from_articles(visit.ctx, QuestionRequest(question, locale, (), visit.audience))
    if not answer.answered or not answer.sources:
        return None
    cited = answer.sources[0]
    passage = cited.passage
    path = passage_path(visit.ctx.bot, passage.locale, passage)
    return Match(
        f"{path}#{passage.anchor}" if passage.anchor else path,
        passage.title,
        passage.headings,
        passage.locale,
        [(cited.excerpt, False)],
    )
