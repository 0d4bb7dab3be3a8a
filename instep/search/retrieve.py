"""The one way to find the passages that answer a question: for answers, the site, MCP and the writer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp

import numpy as np
from anyio import to_thread

from instep.core import limits
from instep.identity.schemas import Bot, Ctx
from instep.search import queries
from instep.search.index.builder import sections_of
from instep.search.index.cache import Index, index_cache
from instep.search.index.passages import Anchors, Section, plain_passage, sentences_of
from instep.search.index.segment import Array
from instep.search.index.stems import Stems, index_term, stems_of
from instep.search.queries import ArticleText
from instep.search.query.proximity import Weights, overlap, proximity, weights_of
from instep.search.query.query import Query, QueryBuilder, analyze_query, question_query
from instep.search.query.scoring import MAX_SCORE, Filter, Ranking, rank, title_feedback, top
from instep.search.query.tokens import tokenize
from instep.search.schemas import Audience, Passage, Retrieval, Signals
from instep.search.semantic.query_embedder import query_embedder

NO_SIGNALS = Signals(score=0, margin=0, coverage=0, proximity=0, unknown=0, confidence=0)
# An article that changed between two statements is looked for once more.
MAX_TRIES = 3
MAX_CACHED_TOKENS = 20_000
# How sure it is that the articles answer the question: fitted on two public sets (docs/quality.md).
CLOSENESS, LIKENESS, FOUND, ASKED, SCATTERED, EVEN = 3.42, 0.97, 0.184, -0.044, -0.91, -3.27


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage of the index: its article, its number in it, and how well it answers."""

    article_id: str
    number: int
    score: float
    coverage: float


@dataclass(frozen=True, slots=True)
class ScoredArticle:
    """An article of the index, and how well it answers: `base` by what it says itself."""

    score: float
    article_id: str
    base: float
    title_similarity: float


async def retrieve(
    ctx: Ctx,
    question: str,
    locale: str | None = None,
    *,
    limit: int = 8,
    per_article: int | None = None,
    audience: Audience = "public",
) -> Retrieval:
    """The live passages that answer a question best, and how well they do; of `per_article` article so many.

    `audience`: "public", or "authenticated" for whoever may read also what is for signed-in visitors.
    """
    for _ in range(MAX_TRIES):
        index, hidden = await index_cache.index_of(ctx)
        asked = await analyze_query(ctx, index, question, locale)
        semantic_hits = await query_embedder.near(ctx, question, locale, audience)
        plan = replace(question_query(asked), semantic_hits=semantic_hits)
        near, places = top_articles(index, plan, Filter(locale, audience, hidden), limit, per_article)
        if not near:
            return Retrieval([], (), replace(NO_SIGNALS, unknown=unknown_share(plan)))
        texts = {
            text.id: text for text in await queries.texts(ctx, [one.article_id for one in near], audience)
        }
        if all(
            one.article_id in texts and texts[one.article_id].changed_at <= index.synced_until for one in near
        ):
            break
    near = [one for one in near if one.article_id in texts]
    shown = await shown_passages(
        ctx, asked, plan, [place for place in places if place.article_id in texts], texts
    )
    return Retrieval(
        [passage for passage, _ in shown],
        tuple(one.article_id for one in near),
        confidence_signals(plan, near, shown) if near else NO_SIGNALS,
    )


def top_articles(
    index: Index, plan: Query, scope: Filter, limit: int, per_article: int | None
) -> tuple[list[ScoredArticle], list[ScoredPassage]]:
    """Articles, and passages of theirs, the best first: each of the passages may be of another article."""
    count = max(limits.MAX_NEAREST_RETRIEVED, limit)
    near: list[ScoredArticle] = []
    places: list[ScoredPassage] = []
    rankings = rank(index, plan, scope)
    for ranking, score in zip(rankings, title_feedback(rankings), strict=True):
        allowed = np.where(ranking.allowed, score, 0)
        articles = ranking.part.segment.articles
        near += [
            ScoredArticle(
                *(
                    float(allowed[at]),
                    articles[at].id,
                    float(ranking.lexical_score[at]),
                    float(ranking.title_similarity[at]),
                )
            )
            for at in top(allowed, count)
            if allowed[at] > 0
        ]
        places += places_of(ranking, allowed, limit, per_article)
    near = sorted(near, key=lambda one: (-one.score, one.article_id))[:count]
    ids = {one.article_id for one in near}
    places = [place for place in places if place.article_id in ids]
    return near, sorted(places, key=lambda place: (-place.score, place.article_id, place.number))[:limit]


def places_of(ranking: Ranking, score: Array, limit: int, per_article: int | None) -> list[ScoredPassage]:
    """The best passages of a part: as good as their article, less what its best passage has before them."""
    segment = ranking.part.segment
    best = segment.best_of(ranking.passage_score)
    value = np.where(
        score[segment.article_of_passage] > 0,
        (score - best)[segment.article_of_passage] + ranking.passage_score,
        0,
    )
    if per_article is not None:
        value = best_of_each(
            np.where(ranking.passage_score > 0, value, 0), segment.article_of_passage, per_article
        )
    return [
        ScoredPassage(
            segment.articles[segment.article_of_passage[at]].id,
            int(at - segment.first_passages[segment.article_of_passage[at]]),
            float(value[at]) / MAX_SCORE,
            float(ranking.passage_coverage[at]),
        )
        for at in top(value, limit)
        if value[at] > 0 and ranking.passage_score[at] > 0
    ]


def best_of_each(value: Array, owner: Array, count: int) -> Array:
    """The values of so many passages of each article, the first of those that are alike; of others 0."""
    order = np.lexsort((-value, owner))
    owners = owner[order]
    kept = order[np.arange(len(order)) - np.searchsorted(owners, owners) < count]
    best = np.zeros(len(value))
    best[kept] = value[kept]
    return best


async def shown_passages(
    ctx: Ctx, asked: QueryBuilder, plan: Query, places: Sequence[ScoredPassage], texts: dict[str, ArticleText]
) -> list[tuple[Passage, float]]:
    """The passages as their readers see them, and how close together each holds what is looked for."""
    shown = {place.article_id: texts[place.article_id] for place in places}
    sections, anchors = await read_articles(shown)
    found = []
    for place in places:
        if place.number < len(sections[place.article_id]):
            section = sections[place.article_id][place.number]
            anchor = anchors[place.article_id].of(section)
            found.append((place, texts[place.article_id], section, anchor, plain_passage(section.markdown)))
    words = {
        word for *_, section, _, plain in found for word in words_of(" ".join((*section.headings, plain)))
    }
    stems = {config: await stems_of(ctx.tx, config, words) for config in asked.stems}
    weights = weights_of(plan)
    matched = frozenset(
        word
        for word in words
        if any(
            (stem := known[word]) and index_term(config, stem) in weights for config, known in stems.items()
        )
    )
    return [
        (
            passage_of(ctx.bot, place, text, section, anchor, plain, weights, stems, matched),
            proximity(keys_of(" ".join((*section.headings, plain)), stems), weights) / plan.total_weight,
        )
        for place, text, section, anchor, plain in found
    ]


async def read_articles(texts: dict[str, ArticleText]) -> tuple[dict[str, list[Section]], dict[str, Anchors]]:
    """The passages of each article and where its headings stand, each article read once."""
    if sum(len(text.html) for text in texts.values()) > limits.MAX_INLINE_CHARACTERS:
        return await to_thread.run_sync(read_articles_now, texts)
    return read_articles_now(texts)


def read_articles_now(texts: dict[str, ArticleText]) -> tuple[dict[str, list[Section]], dict[str, Anchors]]:
    return (
        {id: sections_of(text.description, text.markdown) for id, text in texts.items()},
        {id: Anchors(text.html) for id, text in texts.items()},
    )


def passage_of(
    bot: Bot,
    place: ScoredPassage,
    text: ArticleText,
    section: Section,
    anchor: str | None,
    plain: str,
    weights: Weights,
    stems: dict[str, Stems],
    matched: frozenset[str],
) -> Passage:
    return Passage(
        article_id=text.id,
        number=place.number,
        title=text.title,
        slug=text.slug,
        url=bot.help_url + text.path(bot) + (f"#{anchor}" if anchor else ""),
        locale=text.locale,
        headings=section.headings if section.number is not None else (),
        anchor=anchor,
        markdown=section.markdown,
        text=plain,
        score=place.score,
        coverage=min(place.coverage, 1.0),
        best=max(
            sentences_of(plain),
            key=lambda span: overlap(keys_of(plain[span[0] : span[1]], stems), weights),
            default=(0, 0),
        ),
        matched=matched,
    )


def keys_of(text: str, stems: dict[str, Stems]) -> list[list[str]]:
    """Of each word what the languages read it as, without words that all of them leave out."""
    read = (
        [index_term(config, stem) for config, known in stems.items() if (stem := known[word])]
        for word in words_of(text)
    )
    return [keys for keys in read if keys]


def words_of(text: str) -> list[str]:
    return [word for chunk in text.split() for word in words_in(chunk)]


@lru_cache(MAX_CACHED_TOKENS)
def words_in(chunk: str) -> tuple[str, ...]:
    """Texts say the same again and again, and a passage is read as a whole and by sentences."""
    return tuple(word for words in tokenize(chunk) for word in words)


def confidence_signals(plan: Query, near: list[ScoredArticle], shown: list[tuple[Passage, float]]) -> Signals:
    best = near[0]
    own = [(passage, close) for passage, close in shown if passage.article_id == best.article_id]
    # Of the best article, and of any: each alone is wrong at times.
    close = (max((close for _, close in own), default=0) + max((close for _, close in shown), default=0)) / 2
    scattered = len({passage.article_id for passage, _ in shown}) / max(1, len(shown))
    logit = EVEN + CLOSENESS * close + LIKENESS * best.title_similarity + SCATTERED * scattered
    logit += (FOUND * best.base + ASKED) * plan.total_weight
    return Signals(
        score=min(best.score / MAX_SCORE, 1.0),
        margin=1 - near[1].score / best.score if len(near) > 1 else 1.0,
        coverage=max((passage.coverage for passage, _ in own), default=0),
        proximity=min(close, 1.0),
        unknown=unknown_share(plan),
        confidence=1 / (1 + exp(-logit)),
    )


def unknown_share(plan: Query) -> float:
    words = [term for term in plan.terms if not term.is_bigram]
    return sum(term.weight for term in words if not term.is_known) / plan.total_weight
