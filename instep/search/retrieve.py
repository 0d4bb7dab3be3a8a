"""Retrieves the passages that answer a question: for answers, the site, the public MCP server, tasks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from anyio import to_thread

from instep.platform.core import limits
from instep.platform.identity.schemas import Bot, Ctx
from instep.search import queries
from instep.search.article_descriptions import (
    introduction_of,
    kind_of_section,
    summarized_sections,
    with_scores_of_summaries,
)
from instep.search.confidence import confidence_of, needs_off_topic, signs_of
from instep.search.index.builder import split_article
from instep.search.index.cache import Index
from instep.search.index.passages import Anchors, ArticleSections, MarkdownPassage, plain_passage
from instep.search.index.segment import Array
from instep.search.index.stems import stems_of
from instep.search.matching import Matcher, PassageMatches, PassageText, read_text, words_of_text
from instep.search.off_topic_words import off_topic_sign
from instep.search.passage_kinds import PassageKind, answers_questions
from instep.search.query.analysis import (
    QueryBuilder,
    WeightedQuery,
    analyze_query,
    any_terms_query,
    question_query,
)
from instep.search.query.misspellings import corrected
from instep.search.query.proximity import term_weights_of
from instep.search.query.scoring import MAX_SCORE, ArticleFilter, Ranking, rank_index, title_feedback, top
from instep.search.schemas import Audience, LiveArticle, Passage, Retrieval, Signals
from instep.search.search_state import SearchState, search_state_of
from instep.search.section_fit import (
    AskedQuestion,
    ComparedSection,
    section_score,
    section_signs,
)
from instep.search.section_steps import StepPlace, place_of_steps
from instep.search.semantic.query_embedder import query_embedder
from instep.search.semantic.vector_index import SemanticHit
from instep.search.text_cache import TextCache

NO_SIGNALS = Signals(0.0)
# Retrieval starts again when an article changes between the statements; this often at most.
MAX_TRIES = 3
cached_plain_passage = TextCache(plain_passage)


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage of the index: the id of its article and its number among the article's passages."""

    article_id: str
    number: int
    # Both about 0 to 1.
    score: float
    coverage: float
    # Its rank in its segment, from 0.
    rank: int


@dataclass(frozen=True, slots=True)
class ScoredArticle:
    """An article of the index with its scores: 0 to about `MAX_SCORE`, `title_similarity` 0 to 1."""

    article_id: str
    # With semantic hits and feedback, and by its terms alone.
    score: float
    lexical_score: float
    title_similarity: float


@dataclass(frozen=True, slots=True)
class PassageSource:
    """A scored passage with all that readers see of it."""

    scored: ScoredPassage
    article: LiveArticle
    markdown_passage: MarkdownPassage
    anchor: str | None
    text: PassageText
    kind: PassageKind
    steps: StepPlace
    sections: ArticleSections
    # The words of the article's description above an opening that has no match of its own; else none.
    introduction: list[str]


async def retrieve(
    ctx: Ctx,
    question: str,
    locale: str | None = None,
    *,
    limit: int = 8,
    per_article: int | None = None,
    audience: Audience = "public",
    candidates: int = 0,
    is_typing: bool = False,
) -> Retrieval:
    """The live passages that answer a question best, and the signals how likely they answer it.

    `limit`: passages in all; `per_article`: passages of one article, both at most. `audience`:
    "authenticated" includes the articles for readers who are signed in. With `candidates`, so many passages
    are compared by what their sections are for, and come in that order; the signals stay. `is_typing`: of the
    last word the beginning is enough.
    """
    weigh = any_terms_query if is_typing else question_query
    await query_embedder.begin(ctx, question)
    for _ in range(MAX_TRIES):
        state = await search_state_of(ctx)
        index, scope = state.index, ArticleFilter(locale, audience, state.hidden)
        builder = await analyze_query(ctx, state, question, locale)
        wording, semantic_hits = await nearest_articles(ctx, question, builder, state, scope)
        query = replace(
            weigh(builder), semantic_hits=semantic_hits or (), is_compared=semantic_hits is not None
        )
        ranked, passages = top_articles(index, query, scope, limit, per_article, max(limit, candidates))
        if not ranked:
            return Retrieval([], (), NO_SIGNALS)
        ids = [article.article_id for article in ranked]
        live = {article.id: article for article in await queries.live_articles(ctx, ids, audience)}
        if all(id in live and live[id].changed_at <= index.synced_until for id in ids):
            break
    ranked = [article for article in ranked if article.article_id in live]
    passages = [passage for passage in passages if passage.article_id in live]
    question_terms = AskedQuestion.of(question, query, term_weights_of(query))
    article_ranks = {article.article_id: rank for rank, article in enumerate(ranked)}
    presented = await present(
        ctx, builder, query, passages, live, question_terms, article_ranks, are_compared=candidates > 0
    )
    first = {(passage.article_id, passage.number) for passage in passages if passage.rank < limit}
    # The signals are those of the first passages, however many are compared.
    results = [row for row in presented if (row[0].article_id, row[0].number) in first][:limit]
    chosen = best_sections([row[0] for row in presented]) if candidates else [row[0] for row in results]
    signs = (
        retrieval_signs(builder, query, ranked[0], [matches for _, matches in results]) if ranked else None
    )
    signals = await signals_of(ctx, state, wording, query, ranked[0], signs) if signs else NO_SIGNALS
    return Retrieval(chosen[:limit], tuple(article.article_id for article in ranked), signals)


async def nearest_articles(
    ctx: Ctx, question: str, builder: QueryBuilder, state: SearchState, scope: ArticleFilter
) -> tuple[str, tuple[SemanticHit, ...] | None]:
    """The wording that could be compared, which is that without typing errors if possible, and its hits."""
    meant = corrected(question, builder)
    semantic_hits = await query_embedder.nearest(ctx, meant, state, scope)
    if semantic_hits is None and meant != question:
        return question, await query_embedder.nearest(ctx, question, state, scope)
    return meant, semantic_hits


async def rank_articles(ctx: Ctx, subject: str, locale: str, count: int) -> list[ScoredArticle]:
    """The public articles in a language that have most to do with a subject, by their words alone."""
    state = await search_state_of(ctx)
    builder = await analyze_query(ctx, state, subject, locale)
    scope = ArticleFilter(locale, "public", state.hidden)
    return top_articles(state.index, question_query(builder), scope, count, 1, count)[0][:count]


def best_sections(passages: Sequence[Passage]) -> list[Passage]:
    """Passages that may be quoted, the sections that fit best first; then those that answer no question."""
    return sorted(
        with_scores_of_summaries(passages),
        key=lambda passage: (not answers_questions(passage.kind), -passage.section_score),
    )


def top_articles(
    index: Index,
    query: WeightedQuery,
    scope: ArticleFilter,
    limit: int,
    per_article: int | None,
    passage_limit: int,
) -> tuple[list[ScoredArticle], list[ScoredPassage]]:
    """The best articles, enough for passages of `limit` ones, and the best of their passages."""
    count = max(limits.MAX_NEAREST_ARTICLES_RETRIEVED, limit)
    ranked: list[ScoredArticle] = []
    passages: list[ScoredPassage] = []
    rankings = rank_index(index, query, scope)
    for ranking, score in zip(rankings, title_feedback(rankings), strict=True):
        allowed = np.where(ranking.allowed, score, 0)
        articles = ranking.live.segment.articles
        ranked += [
            ScoredArticle(
                articles[number].id,
                float(allowed[number]),
                float(ranking.lexical_score[number]),
                float(ranking.title_similarity[number]),
            )
            for number in top(allowed, count)
        ]
        passages += top_passages(ranking, allowed, passage_limit, per_article)
    ranked = sorted(ranked, key=lambda article: (-article.score, article.article_id))[:count]
    ids = {article.article_id for article in ranked}
    passages = [passage for passage in passages if passage.article_id in ids]
    passages.sort(key=lambda passage: (-passage.score, passage.article_id, passage.number))
    return ranked, passages[:passage_limit]


def top_passages(
    ranking: Ranking, article_score: Array, limit: int, per_article: int | None
) -> list[ScoredPassage]:
    """The best passages of a segment.

    An article's best passage gets the article's score, and each other one that score less its distance to
    the best passage. Passages without a match take up places, so that few matches in a good article are not
    followed by those of bad ones. `article_score`: float64[articles], 0 for an article that is not allowed.
    """
    segment = ranking.live.segment
    article_of_passage = segment.article_of_passage
    distance_to_article = (article_score - segment.best_of(ranking.passage_score))[article_of_passage]
    is_match = ranking.passage_score > 0
    score = distance_to_article + ranking.passage_score
    score = np.where((article_score > 0)[article_of_passage], score, 0)
    if per_article is not None:
        score = best_per_article(np.where(is_match, score, 0), article_of_passage, per_article)
    return [
        ScoredPassage(
            segment.articles[article_of_passage[number]].id,
            int(number - segment.first_passages[article_of_passage[number]]),
            float(score[number]) / MAX_SCORE,
            float(ranking.passage_coverage[number]),
            rank,
        )
        for rank, number in enumerate(top(score, limit))
        if is_match[number]
    ]


def best_per_article(score: Array, article_of_passage: Array, count: int) -> Array:
    """The scores of the `count` best passages of each article, of equal ones the first; 0 for all others."""
    order = np.lexsort((-score, article_of_passage))
    articles = article_of_passage[order]
    best = order[np.arange(len(order)) - np.searchsorted(articles, articles) < count]
    scores = np.zeros(len(score))
    scores[best] = score[best]
    return scores


async def present(
    ctx: Ctx,
    builder: QueryBuilder,
    query: WeightedQuery,
    passages: Sequence[ScoredPassage],
    live: dict[str, LiveArticle],
    question_terms: AskedQuestion,
    article_ranks: dict[str, int],
    *,
    are_compared: bool,
) -> list[tuple[Passage, PassageMatches]]:
    """The passages as readers see them, each with its matches; `live`: their articles by id.

    `are_compared`: with the sections that descriptions among the passages may sum up.
    """
    hits = {hit.article_id: hit for hit in query.semantic_hits}
    sources = await passage_sources(passages, live, hits if are_compared else None)
    words = {word for source in sources for word in (*source.text.words, *source.introduction)}
    stems = {config: await stems_of(ctx.tx, config, words) for config in builder.stems}
    matcher = Matcher(question_terms.weights, stems)
    read = [matcher.read(source.article.id, source.text) for source in sources]
    return [
        (
            passage_of(
                ctx.bot,
                source,
                section_of(source, matcher, matches, article_ranks, hits),
                question_terms,
                matcher,
                builder.stop_words,
            ),
            matches,
        )
        for source, matches in zip(sources, read, strict=True)
    ]


async def passage_sources(
    passages: Sequence[ScoredPassage], live: dict[str, LiveArticle], hits: dict[str, SemanticHit] | None
) -> list[PassageSource]:
    articles = {passage.article_id: live[passage.article_id] for passage in passages}
    if sum(len(article.html) for article in articles.values()) > limits.MAX_INLINE_CHARACTERS:
        return await to_thread.run_sync(read_passage_sources, passages, articles, hits)
    return read_passage_sources(passages, articles, hits)


def read_passage_sources(
    passages: Sequence[ScoredPassage], articles: dict[str, LiveArticle], hits: dict[str, SemanticHit] | None
) -> list[PassageSource]:
    """The passages with their texts; a passage that the article no longer has is left out.

    With `hits`, the semantic ones by article, described sections are among them.
    """
    split = {id: passages_of(article.description, article.markdown) for id, article in articles.items()}
    sections = {id: ArticleSections(split[id], Anchors(article.html)) for id, article in articles.items()}
    described = [] if hits is None else list(described_sections(passages, split, hits))
    sources = []
    for scored in [*passages, *described]:
        id = scored.article_id
        if scored.number < len(split[id]):
            passage = split[id][scored.number]
            text = read_text(articles[id].title, passage.headings, cached_plain_passage(passage.markdown))
            kind = kind_of_section(split[id], scored.number)
            steps = place_of_steps(split[id], scored.number)
            anchor = sections[id].anchors.of(passage)
            introduction = introduction_of(split[id], scored.number) if scored in described else ""
            words = words_of_text(introduction)
            sources.append(
                PassageSource(scored, articles[id], passage, anchor, text, kind, steps, sections[id], words)
            )
    return sources


@lru_cache(maxsize=32)
def passages_of(description: str | None, markdown: str) -> tuple[MarkdownPassage, ...]:
    """The passages of an article; questions come to the same articles again and again."""
    return tuple(split_article(description, markdown))


def described_sections(
    passages: Sequence[ScoredPassage],
    split: Mapping[str, Sequence[MarkdownPassage]],
    hits: Mapping[str, SemanticHit],
) -> Iterator[ScoredPassage]:
    """The sections that matching descriptions may sum up and that do not match themselves.

    The words of a description may be in no section: "return period" where the text says "within 30 days".
    `split`: all passages by article.
    """
    matching = {(passage.article_id, passage.number) for passage in passages}
    for passage in passages:
        id = passage.article_id
        if passage.number == 0 and kind_of_section(split[id], 0) == "summary":
            score = min(each.score for each in passages if each.article_id == id)
            for number in summarized_sections(split[id], hits.get(id)):
                if (id, number) not in matching:
                    yield ScoredPassage(id, number, score, 0.0, passage.rank)


def section_of(
    source: PassageSource,
    matcher: Matcher,
    matches: PassageMatches,
    article_ranks: dict[str, int],
    hits: dict[str, SemanticHit],
) -> ComparedSection:
    passage, hit = source.markdown_passage, hits.get(source.article.id)
    heading = passage.headings[-1] if passage.headings and passage.number is not None else ""
    return ComparedSection(
        passage,
        source.kind,
        matcher.index_terms(words_of_text(heading)),
        replace(matches, text=[*matcher.matches(source.introduction), *matches.text]),
        source.scored.score,
        article_ranks[source.article.id],
        hit.similarity_of(source.scored.number) if hit else 0.0,
        hit.z_score if hit else 0.0,
    )


def passage_of(
    bot: Bot,
    source: PassageSource,
    section: ComparedSection,
    question_terms: AskedQuestion,
    matcher: Matcher,
    stop_words: frozenset[str],
) -> Passage:
    article, passage = source.article, source.markdown_passage
    signs = section_signs(question_terms, section)
    return Passage(
        article_id=article.id,
        number=source.scored.number,
        title=article.title,
        slug=article.slug,
        url=bot.help_url + article.path(bot) + (f"#{source.anchor}" if source.anchor else ""),
        locale=article.locale,
        headings=passage.headings if passage.number is not None else (),
        anchor=source.anchor,
        markdown=passage.markdown,
        sections=source.sections,
        text=source.text.plain,
        score=source.scored.score,
        coverage=min(source.scored.coverage, 1.0),
        best=section.matches.best,
        matches=matcher.word_matches,
        kind=section.kind,
        section_signs=signs,
        section_score=section_score(signs),
        steps=source.steps,
        lead=article.description or "",
        stop_words=stop_words,
    )


def retrieval_signs(
    builder: QueryBuilder, query: WeightedQuery, best: ScoredArticle, passages: list[PassageMatches]
) -> dict[str, float] | None:
    """The signs of the best article; `None` if none of the presented passages is of it."""
    of_best = [passage for passage in passages if passage.article_id == best.article_id]
    if not of_best:
        return None
    return signs_of(
        query,
        of_best,
        best.lexical_score / MAX_SCORE,
        best.title_similarity,
        builder.index.article_count,
    )


async def signals_of(
    ctx: Ctx,
    state: SearchState,
    question: str,
    query: WeightedQuery,
    best: ScoredArticle,
    signs: dict[str, float],
) -> Signals:
    """How sure the signs are, with what the words do that no article has."""
    embedder = query_embedder.of(ctx)
    name = embedder.name if embedder else None
    if needs_off_topic(signs, name):
        signs = signs | {"off_topic": await off_topic_sign(ctx, question, query, state, best.article_id)}
    return Signals(confidence_of(signs, name), signs)
