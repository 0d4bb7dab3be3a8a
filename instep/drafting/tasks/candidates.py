"""Chooses the articles that the writer reads for a change: if there are many, the most relevant ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.content.articles import writer_queries
from instep.drafting import writer
from instep.drafting.writer.retrieval import retrieval_query
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search.article_selection import WeightedWords, select_articles, weighted_words

# The share of the articles that each SQL statement may contribute.
STATEMENT_SHARE = 0.25
# The search index has the articles of all product versions: for one version, so many times more are chosen
# first.
VERSION_FACTOR = 3


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """Literal texts that find articles in the database, and the words of the subject for the search index."""

    texts: Sequence[str]
    subject: Sequence[WeightedWords]


def candidate_query(change: writer.Change) -> CandidateQuery:
    query = retrieval_query(change)
    return CandidateQuery(query.texts, [weighted_words(part.weight, part.texts) for part in query.subject])


async def find_articles(ctx: Ctx, query: CandidateQuery, version: int | None) -> list[str]:
    """The ids of the articles to read, `MAX_WRITER_ARTICLES` at most."""
    outside = await find_in_database(ctx, query, version)
    factor = 1 if version is None else VERSION_FACTOR
    selection = await select_articles(ctx, query.subject, factor * limits.MAX_WRITER_ARTICLES)
    ids = list(dict.fromkeys([*outside, *selection]))
    if version is not None:
        present = await writer_queries.ids_in_version(ctx, ids, version)
        ids = [article_id for article_id in ids if article_id in present]
    return ids[: limits.MAX_WRITER_ARTICLES]


async def find_in_database(ctx: Ctx, query: CandidateQuery, version: int | None) -> list[str]:
    """The articles that the search index lacks, and those with a literal text, wherever they have it."""
    limit = max(1, round(STATEMENT_SHARE * limits.MAX_WRITER_ARTICLES))
    return [
        *await writer_queries.ids_with_text(ctx, query.texts, limit, version),
        *await writer_queries.unindexed_ids(ctx, limit, version),
    ]


def with_unread(report: writer.Report, read_count: int, unread_count: int) -> writer.Report:
    """The report; its summary mentions articles that were not read."""
    if not unread_count:
        return report
    sentence = (
        f"Compared with {read_count:,} of {read_count + unread_count:,} articles: those most relevant to "
        "the change; the others were not read."
    )
    return report.with_note(sentence)
