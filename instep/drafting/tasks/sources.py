"""The sources of a new article: passages that the search finds among the articles."""

from collections.abc import Iterable

from instep.drafting.writer.new_articles.outline import ArticleRequest, topics_of
from instep.drafting.writer.new_articles.outline_sources import SourcePassage
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search.retrieve import retrieve
from instep.search.schemas import Passage

# A passage is relevant to a request if it contains at least this share, from 0 to 1, of the request's words.
MIN_COVERAGE = 0.3
# The words to search for, and their topic; an empty topic is the subject of the article.
Search = tuple[str, str]


def searches_for(request: ArticleRequest) -> list[Search]:
    """Searches for the subject, by title and by title with instructions, and for each topic in them."""
    subject = f"{request.title} {request.instructions or ''}"[: limits.MAX_QUESTION_CHARACTERS]
    topics = topics_of(request)[: limits.MAX_TOPICS_SEARCHED]
    return [(request.title, ""), (subject, ""), *((topic, topic) for topic in topics)]


async def find_sources(
    ctx: Ctx, searches: Iterable[Search], locale: str, min_coverage: float = MIN_COVERAGE
) -> list[SourcePassage]:
    """The nearest public passages whose coverage of the searched words is at least `min_coverage`, 0 to 1."""
    sources: dict[tuple[str, str, str], SourcePassage] = {}
    for question, topic in dict.fromkeys(searches):
        for passage in (await retrieve(ctx, question, locale, limit=limits.MAX_SOURCES_PER_WORDING)).passages:
            if passage.coverage >= min_coverage:
                key = (topic, passage.article_id, passage.markdown)
                sources.setdefault(key, source_from(passage, topic))
    return list(sources.values())


def source_from(passage: Passage, topic: str) -> SourcePassage:
    heading = f"## {passage.headings[-1]}\n\n" if passage.headings else ""
    return SourcePassage(passage.article_id, passage.title, heading + passage.markdown, passage.url, topic)
