"""Retrieves the passages that answer a question: for answers, the site, the public MCP server, tasks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from anyio import to_thread

from instep.core import limits
from instep.core.logistic import LogisticModel
from instep.identity.schemas import Bot, Ctx
from instep.search import queries
from instep.search.index.builder import split_article
from instep.search.index.cache import Index, index_cache
from instep.search.index.passages import Anchors, MarkdownPassage, plain_passage
from instep.search.index.segment import Array
from instep.search.index.stems import Stems, index_term, stems_of
from instep.search.query.analysis import QueryBuilder, WeightedQuery, analyze_query, question_query
from instep.search.query.proximity import TermWeights, overlap, proximity, term_weights_of
from instep.search.query.scoring import MAX_SCORE, ArticleFilter, Ranking, rank_index, title_feedback, top
from instep.search.query.tokenizer import tokenize
from instep.search.schemas import Audience, LiveArticle, Passage, Retrieval, Signals
from instep.search.semantic.query_embedder import query_embedder
from instep.text.sentences import sentence_spans

NO_SIGNALS = Signals(score=0, margin=0, coverage=0, proximity=0, unknown=0, confidence=0)
# Retrieval starts again when an article changes between the statements; this often at most.
MAX_TRIES = 3
MAX_CACHED_TOKENS = 20_000
# Fitted on two public sets of questions (docs/quality.md). Its features are those of `confidence_of`.
CONFIDENCE = LogisticModel(
    weights={
        "proximity": 3.42,
        "title_similarity": 0.97,
        "matching_weight": 0.184,
        "query_weight": -0.044,
        "scatter": -0.91,
    },
    bias=-3.27,
)


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage of the index: the id of its article and its number among the article's passages."""

    article_id: str
    number: int
    # Both about 0 to 1.
    score: float
    coverage: float


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
    plain: str

    @property
    def searched_text(self) -> str:
        return " ".join((*self.markdown_passage.headings, self.plain))


async def retrieve(
    ctx: Ctx,
    question: str,
    locale: str | None = None,
    *,
    limit: int = 8,
    per_article: int | None = None,
    audience: Audience = "public",
) -> Retrieval:
    """The live passages that answer a question best, and the signals how likely they answer it.

    `limit`: passages in all; `per_article`: passages of one article, both at most. `audience`:
    "authenticated" includes the articles for readers who are signed in.
    """
    for _ in range(MAX_TRIES):
        index, hidden = await index_cache.index_of(ctx)
        builder = await analyze_query(ctx, index, question, locale)
        semantic_hits = await query_embedder.nearest(ctx, question, locale, audience)
        query = replace(question_query(builder), semantic_hits=semantic_hits)
        scope = ArticleFilter(locale, audience, hidden)
        ranked, passages = top_articles(index, query, scope, limit, per_article)
        if not ranked:
            return Retrieval([], (), replace(NO_SIGNALS, unknown=unknown_share(query)))
        ids = [article.article_id for article in ranked]
        live = {article.id: article for article in await queries.live_articles(ctx, ids, audience)}
        if all(id in live and live[id].changed_at <= index.synced_until for id in ids):
            break
    ranked = [article for article in ranked if article.article_id in live]
    passages = [passage for passage in passages if passage.article_id in live]
    results = await present(ctx, builder, query, passages, live)
    return Retrieval(
        [passage for passage, _ in results],
        tuple(article.article_id for article in ranked),
        confidence_signals(query, ranked, results) if ranked else NO_SIGNALS,
    )


def top_articles(
    index: Index, query: WeightedQuery, scope: ArticleFilter, limit: int, per_article: int | None
) -> tuple[list[ScoredArticle], list[ScoredPassage]]:
    """The best articles, and the best of their passages; enough articles for passages of `limit` ones."""
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
        passages += top_passages(ranking, allowed, limit, per_article)
    ranked = sorted(ranked, key=lambda article: (-article.score, article.article_id))[:count]
    ids = {article.article_id for article in ranked}
    passages = [passage for passage in passages if passage.article_id in ids]
    passages.sort(key=lambda passage: (-passage.score, passage.article_id, passage.number))
    return ranked, passages[:limit]


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
        )
        for number in top(score, limit)
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
) -> list[tuple[Passage, float]]:
    """The passages as readers see them, each with its proximity (0 to 1); `live`: their articles by id."""
    sources = await passage_sources(passages, live)
    words = {word for source in sources for word in words_of_text(source.searched_text)}
    stems = {config: await stems_of(ctx.tx, config, words) for config in builder.stems}
    weights = term_weights_of(query)
    matched = frozenset(
        word for word in words if any(term in weights for term in index_terms_of_word(word, stems))
    )
    return [
        (
            passage_of(ctx.bot, source, weights, stems, matched),
            proximity(index_terms_of(source.searched_text, stems), weights) / query.total_weight,
        )
        for source in sources
    ]


async def passage_sources(
    passages: Sequence[ScoredPassage], live: dict[str, LiveArticle]
) -> list[PassageSource]:
    articles = {passage.article_id: live[passage.article_id] for passage in passages}
    if sum(len(article.html) for article in articles.values()) > limits.MAX_INLINE_CHARACTERS:
        return await to_thread.run_sync(read_passage_sources, passages, articles)
    return read_passage_sources(passages, articles)


def read_passage_sources(
    passages: Sequence[ScoredPassage], articles: dict[str, LiveArticle]
) -> list[PassageSource]:
    """The passages with their texts; a passage that the article no longer has is left out."""
    split = {id: split_article(article.description, article.markdown) for id, article in articles.items()}
    anchors = {id: Anchors(article.html) for id, article in articles.items()}
    sources = []
    for scored in passages:
        id = scored.article_id
        if scored.number < len(split[id]):
            passage = split[id][scored.number]
            plain = plain_passage(passage.markdown)
            sources.append(PassageSource(scored, articles[id], passage, anchors[id].of(passage), plain))
    return sources


def passage_of(
    bot: Bot, source: PassageSource, weights: TermWeights, stems: dict[str, Stems], matched: frozenset[str]
) -> Passage:
    article, passage = source.article, source.markdown_passage
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
        text=source.plain,
        score=source.scored.score,
        coverage=min(source.scored.coverage, 1.0),
        best=best_sentence(source.plain, weights, stems),
        matched=matched,
    )


def best_sentence(text: str, weights: TermWeights, stems: dict[str, Stems]) -> tuple[int, int]:
    """Start and end of the sentence with the most weight of the query."""
    return max(
        sentence_spans(text, at_line_breaks=True),
        key=lambda span: overlap(index_terms_of(text[span[0] : span[1]], stems), weights),
        default=(0, 0),
    )


def index_terms_of(text: str, stems: dict[str, Stems]) -> list[list[str]]:
    """For each word its index terms in the bot's languages; stop words of all languages are dropped."""
    index_terms = (index_terms_of_word(word, stems) for word in words_of_text(text))
    return [terms for terms in index_terms if terms]


def index_terms_of_word(word: str, stems: dict[str, Stems]) -> list[str]:
    return [index_term(config, stem) for config, by_word in stems.items() if (stem := by_word[word])]


def words_of_text(text: str) -> list[str]:
    return [word for token in text.split() for word in words_of_token(token)]


@lru_cache(MAX_CACHED_TOKENS)
def words_of_token(token: str) -> tuple[str, ...]:
    """Cached, because texts repeat their tokens and a passage is read as a whole and by sentence."""
    return tuple(word for words in tokenize(token) for word in words)


def confidence_signals(
    query: WeightedQuery, ranked: list[ScoredArticle], results: list[tuple[Passage, float]]
) -> Signals:
    """The signals of the best articles and of the presented passages, each with its proximity."""
    best = ranked[0]
    of_best = [(passage, value) for passage, value in results if passage.article_id == best.article_id]
    # The mean of the best article's proximity and of the highest one: each alone is sometimes misleading.
    mean_proximity = (highest_proximity(of_best) + highest_proximity(results)) / 2
    return Signals(
        score=min(best.score / MAX_SCORE, 1.0),
        margin=1 - ranked[1].score / best.score if len(ranked) > 1 else 1.0,
        coverage=max((passage.coverage for passage, _ in of_best), default=0),
        proximity=min(mean_proximity, 1.0),
        unknown=unknown_share(query),
        confidence=confidence_of(query, best, mean_proximity, [passage for passage, _ in results]),
    )


def highest_proximity(results: list[tuple[Passage, float]]) -> float:
    return max((value for _, value in results), default=0)


def confidence_of(
    query: WeightedQuery, best: ScoredArticle, mean_proximity: float, passages: list[Passage]
) -> float:
    """The probability that the articles answer the question, 0 to 1."""
    return CONFIDENCE.probability(
        {
            "proximity": mean_proximity,
            "title_similarity": best.title_similarity,
            # The weight of the query as far as the best article matches it, and all of it.
            "matching_weight": best.lexical_score * query.total_weight,
            "query_weight": query.total_weight,
            # 1 where each passage is of another article.
            "scatter": len({passage.article_id for passage in passages}) / max(1, len(passages)),
        }
    )


def unknown_share(query: WeightedQuery) -> float:
    """The weight of the words that no article has, as a share of the query's: 0 to 1."""
    return sum(term.weight for term in query.words if not term.is_known) / query.total_weight
