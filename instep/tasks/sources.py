"""What a new article may be made from: what the search finds for it among the articles."""

from collections.abc import Iterable

from instep.core import limits
from instep.identity.schemas import Ctx
from instep.search.retrieve import retrieve
from instep.search.schemas import Passage
from instep.writer.new_articles.outline import Wanted, topics_of
from instep.writer.new_articles.outline_sources import Source

# The share of a request's words that a passage holds, from which on it bears on the request.
BEARING = 0.3
# What is searched for, and the topic for which it is.
Search = tuple[str, str]


def searches_for(wanted: Wanted) -> list[Search]:
    """For its subject, in few words and in more, and for each of the topics that it names."""
    subject = f"{wanted.title} {wanted.instructions or ''}"[: limits.MAX_QUESTION_CHARACTERS]
    topics = topics_of(wanted)[: limits.MAX_TOPICS_SEARCHED]
    return [(wanted.title, ""), (subject, ""), *((topic, topic) for topic in topics)]


async def find_sources(
    ctx: Ctx, searches: Iterable[Search], locale: str, least: float = BEARING
) -> list[Source]:
    """The nearest passages that everybody may read and that hold so much of what is searched for."""
    found: dict[tuple[str, str, str], Source] = {}
    for question, topic in dict.fromkeys(searches):
        for passage in (await retrieve(ctx, question, locale, limit=limits.MAX_SOURCES_PER_WORDING)).passages:
            if passage.coverage >= least:
                place = (topic, passage.article_id, passage.markdown)
                found.setdefault(place, source_of(passage, topic))
    return list(found.values())


def source_of(passage: Passage, topic: str) -> Source:
    heading = f"## {passage.headings[-1]}\n\n" if passage.headings else ""
    return Source(passage.article_id, passage.title, heading + passage.markdown, passage.url, topic)
