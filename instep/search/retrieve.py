"""Retrieves the passages that answer a question: for answers, the site, the public MCP server, tasks."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from instep.platform.core import limits
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.text.sentences import sentence_spans
from instep.search import queries
from instep.search.article_descriptions import (
    introduction_of,
    kind_of_section,
    summarized_sections,
    with_scores_of_summaries,
)
from instep.search.confidence import confidence_of, needs_off_topic, signs_of
from instep.search.index.builder import split_article
from instep.search.index.cache import Index, off_loop
from instep.search.index.packed_arrays import Array
from instep.search.index.passages import Anchors, ArticleSections, MarkdownPassage
from instep.search.index.stems import stems_of
from instep.search.matching import FoundPassage, Matcher, words_of_text
from instep.search.off_topic_words import off_topic_sign
from instep.search.passage_kinds import answers_questions, place_of_steps
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
from instep.search.section_fit import SectionComparison, section_score
from instep.search.semantic.query_embedder import query_embedder
from instep.search.semantic.vector_index import SemanticHit

NO_SIGNALS = Signals(0.0)
# With a smaller share of a search's words in the best article of a version, other versions are searched too.
MIN_VERSION_COVERAGE = 0.66
# Maximum number of restarts of a retrieval because an article changed between the statements.
MAX_TRIES = 3


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
    # The score with semantic hits and feedback, and the score by terms alone.
    score: float
    lexical_score: float
    title_similarity: float


@dataclass(frozen=True, slots=True)
class IndexedQuestion:
    """A question in the current index."""

    ctx: Ctx
    # The question as compared in meaning: without typing errors if possible.
    wording: str
    state: SearchState
    builder: QueryBuilder
    query: WeightedQuery

    async def found_passages(
        self, passages: Sequence[ScoredPassage], live: dict[str, LiveArticle], *, with_described: bool
    ) -> tuple[list[FoundPassage], Matcher]:
        """The passages with their matches; `live`: their articles by id.

        `with_described`: include the sections that descriptions among the passages may summarize.
        """
        hits = {hit.article_id: hit for hit in self.query.semantic_hits}
        texts = await read_passages(self.ctx.bot, passages, live, hits if with_described else None)
        words = {word for passage in texts for word in passage.words}
        stems = {config: await stems_of(self.ctx.tx, config, words) for config in self.builder.stems}
        matcher = Matcher(term_weights_of(self.query), stems)
        for passage in texts:
            matcher.read(passage)
        return texts, matcher

    async def signals(self, best: ScoredArticle, passages: Sequence[FoundPassage]) -> Signals:
        """The confidence in the passages of the best article, also considering words that no article has."""
        of_best = [candidate for candidate in passages if candidate.passage.article_id == best.article_id]
        if not of_best:
            return NO_SIGNALS
        base, count = best.lexical_score / MAX_SCORE, self.builder.index.article_count
        signs = signs_of(self.query, of_best, base, best.title_similarity, count)
        embedder = query_embedder.of(self.ctx)
        name = embedder.name if embedder else None
        if needs_off_topic(signs, name):
            off_topic = await off_topic_sign(self.ctx, self.wording, self.query, self.state, best.article_id)
            signs |= {"off_topic": off_topic}
        return Signals(confidence_of(signs, name), signs)


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
    in_all_versions: bool = False,
) -> Retrieval:
    """The live passages that answer a question best, and signals of how likely they answer it.

    `limit` and `per_article`: maximum number of passages in total and per article. `audience`:
    "authenticated" includes the articles for signed-in readers. With `candidates`, that many passages
    are re-ranked by section fit; the signals are unaffected. `is_typing`: the last word may be
    incomplete. `in_all_versions`: also of articles that are not about the product version that is read.
    """
    await query_embedder.begin(ctx, question)
    for _ in range(MAX_TRIES):
        state = await search_state_of(ctx, locale, audience)
        scope = ArticleFilter.of(state, locale, audience)
        if in_all_versions:
            scope = replace(scope, other_versions=frozenset())
        indexed = await indexed_question(
            ctx, question, state, scope, any_terms_query if is_typing else question_query
        )
        count = max(limit, candidates)
        ranked, passages = top_articles(state.index, indexed.query, scope, limit, per_article, count)
        ids = [article.article_id for article in ranked]
        live = {article.id: article for article in await queries.live_articles(ctx, ids, audience)}
        if all(id in live and live[id].changed_at <= state.index.synced_until for id in ids):
            break
    ranked = [article for article in ranked if article.article_id in live]
    if not ranked:
        return Retrieval([], (), NO_SIGNALS, state.index.locales)
    passages = [passage for passage in passages if passage.article_id in live]
    candidate_passages, matcher = await indexed.found_passages(passages, live, with_described=candidates > 0)
    # The signals are those of the first passages, however many are compared.
    first = {(passage.article_id, passage.number) for passage in passages if passage.rank < limit}
    first_passages = [
        candidate
        for candidate in candidate_passages
        if (candidate.passage.article_id, candidate.passage.number) in first
    ][:limit]
    article_ranks = {article.article_id: rank for rank, article in enumerate(ranked)}
    comparison = SectionComparison.of(question, indexed.query, matcher, article_ranks)
    chosen = [
        compared_passage(candidate, comparison, indexed.builder.stop_words)
        for candidate in (candidate_passages if candidates else first_passages)
    ]
    signals = await indexed.signals(ranked[0], first_passages)
    return Retrieval(
        (best_sections(chosen) if candidates else chosen)[:limit],
        tuple(article.article_id for article in ranked),
        signals,
        state.index.locales,
    )


async def retrieve_in_any_version(
    ctx: Ctx,
    question: str,
    locale: str | None = None,
    *,
    limit: int,
    per_article: int | None,
    audience: Audience,
    is_typing: bool = False,
) -> Retrieval:
    """The passages of the product version that is read, as `retrieve` finds them.

    If the best article lacks words, and the best one of all versions has more of them, the passages of all
    versions are found instead.
    """
    find = partial(
        retrieve,
        ctx,
        question,
        locale,
        limit=limit,
        per_article=per_article,
        audience=audience,
        is_typing=is_typing,
    )
    retrieval = await find()
    coverage = retrieval.signals.signs.get("coverage", 0)
    if ctx.bot.version is None or coverage >= MIN_VERSION_COVERAGE:
        return retrieval
    everywhere = await find(in_all_versions=True)
    has_more = everywhere.signals.signs.get("coverage", 0) > coverage
    return everywhere if has_more or not retrieval.passages else retrieval


async def by_language(
    ctx: Ctx, locale: str, find: Callable[..., Awaitable[Retrieval]]
) -> AsyncIterator[Retrieval]:
    """Find in a language, then in its variants, in that of the help center, and in the best one of all."""
    retrieval = await find(locale=locale)
    yield retrieval
    code = locale.partition("-")[0]
    variants = sorted(each for each in retrieval.locales if each.partition("-")[0] == code)
    languages = dict.fromkeys((locale, *variants, ctx.bot.locale))
    for language in languages:
        if language != locale and language in retrieval.locales:
            yield await find(locale=language)
    if retrieval.locales - languages.keys():
        yield in_one_language(await find())


def in_one_language(retrieval: Retrieval) -> Retrieval:
    """The passages in the language of the best one, so that no article comes with its translations."""
    passages = retrieval.passages
    return replace(retrieval, passages=[each for each in passages if each.locale == passages[0].locale])


async def indexed_question(
    ctx: Ctx,
    question: str,
    state: SearchState,
    scope: ArticleFilter,
    weigh: Callable[[QueryBuilder], WeightedQuery],
) -> IndexedQuestion:
    """The indexed question; its meaning is compared without typing errors if possible."""
    builder = await analyze_query(ctx, state, question, scope.locale)
    for wording in dict.fromkeys((corrected(question, builder), question)):
        hits = await query_embedder.nearest(ctx, wording, state, scope)
        if hits is not None:
            break
    query = replace(weigh(builder), semantic_hits=hits or (), is_compared=hits is not None)
    return IndexedQuestion(ctx, wording, state, builder, query)


async def rank_articles(ctx: Ctx, subject: str, locale: str, count: int) -> list[ScoredArticle]:
    """The public articles in a language that are most relevant to a subject, by words alone."""
    state = await search_state_of(ctx, locale)
    builder = await analyze_query(ctx, state, subject, locale)
    scope = ArticleFilter.of(state, locale, "public")
    return top_articles(state.index, question_query(builder), scope, count, 1, count)[0][:count]


def best_sections(passages: Sequence[Passage]) -> list[Passage]:
    """Quotable passages, the best-fitting sections first; then passages that answer no question."""
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
    """The best articles, enough for `limit` passages, and the best of their passages."""
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

    An article's best passage gets the article's score; every other one gets that score less its distance to
    the best passage. Passages without a match also take up slots, so that few matches in a good article are
    not followed by those of bad ones. `article_score`: float64[articles], 0 for excluded articles.
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
    """The scores of each article's `count` best passages, the first among equal ones; 0 for all others."""
    order = np.lexsort((-score, article_of_passage))
    articles = article_of_passage[order]
    best = order[np.arange(len(order)) - np.searchsorted(articles, articles) < count]
    scores = np.zeros(len(score))
    scores[best] = score[best]
    return scores


async def read_passages(
    bot: Bot,
    passages: Sequence[ScoredPassage],
    live: dict[str, LiveArticle],
    hits: dict[str, SemanticHit] | None,
) -> list[FoundPassage]:
    articles = {passage.article_id: live[passage.article_id] for passage in passages}
    is_long = sum(len(article.html) for article in articles.values()) > limits.MAX_INLINE_CHARACTERS
    return await off_loop(read_at_once, bot, passages, articles, hits, is_long=is_long)


def read_at_once(
    bot: Bot,
    passages: Sequence[ScoredPassage],
    articles: dict[str, LiveArticle],
    hits: dict[str, SemanticHit] | None,
) -> list[FoundPassage]:
    """The passages with their texts, without passages that the article no longer has.

    With `hits`, the semantic ones by article, described sections are included.
    """
    sections = {id: sections_in(article) for id, article in articles.items()}
    split = {id: whole.passages for id, whole in sections.items()}
    described = [] if hits is None else list(described_sections(passages, split, hits))
    texts = []
    for scored in [*passages, *described]:
        id, number = scored.article_id, scored.number
        if number < len(split[id]):
            page = articles[id].url(bot)
            passage = replace(
                Passage.of(articles[id], page, sections[id], number),
                score=scored.score,
                coverage=min(scored.coverage, 1.0),
                kind=kind_of_section(split[id], number),
                steps=place_of_steps(split[id], number),
            )
            spans = sentence_spans(passage.text, at_line_breaks=True)
            introduction = introduction_of(split[id], number) if scored in described else ""
            texts.append(
                FoundPassage(
                    passage,
                    spans,
                    title_words=words_of_text(passage.title),
                    heading_words=words_of_text(" ".join(split[id][number].headings)),
                    sentence_words=[words_of_text(passage.text[start:end]) for start, end in spans],
                    introduction_words=words_of_text(introduction),
                )
            )
    return texts


def sections_in(article: LiveArticle) -> ArticleSections:
    return ArticleSections(passages_of(article.description, article.markdown), Anchors(article.html))


@lru_cache(maxsize=32)
def passages_of(description: str | None, markdown: str) -> tuple[MarkdownPassage, ...]:
    """The passages of an article, cached because questions find the same articles again and again."""
    return tuple(split_article(description, markdown))


def described_sections(
    passages: Sequence[ScoredPassage],
    split: Mapping[str, Sequence[MarkdownPassage]],
    hits: Mapping[str, SemanticHit],
) -> Iterator[ScoredPassage]:
    """The sections that matching descriptions may summarize and that do not match themselves.

    A description's words may be in no section: "return period" if the text says "within 30 days".
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


def compared_passage(
    candidate: FoundPassage, comparison: SectionComparison, stop_words: frozenset[str]
) -> Passage:
    signs = comparison.signs(candidate)
    return replace(
        candidate.passage,
        best=candidate.best,
        matches=comparison.matcher.word_matches,
        section_signs=signs,
        section_score=section_score(signs),
        stop_words=stop_words,
    )
