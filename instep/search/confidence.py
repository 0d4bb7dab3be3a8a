"""Estimates how likely an article answers a question: signs of the best passages, and a model of them.

Every sign is between 0 and 1 and depends neither on the number of articles nor on the length of the question.
So a word's rarity is computed over the bot's own articles plus 300 typical ones of its language: among
only three articles every word is rare. The number of articles is a separate sign.
"""

from collections.abc import Mapping, Sequence
from math import log

from instep.platform.core import limits
from instep.platform.core.logistic import LogisticModel
from instep.platform.llm.bundled_embedding import ENGLISH_NAME, MULTILINGUAL_NAME
from instep.search.matching import FoundPassage
from instep.search.query.analysis import WeightedQuery
from instep.search.query.proximity import overlap, proximity

# Standard deviations above the mean at which the sign for an article's semantic z-score is 1.
MANY_DEVIATIONS = 5
# The number of articles at which the sign of its logarithm is 1.
MANY_ARTICLES = 1_000


def signs_of(
    query: WeightedQuery,
    passages: Sequence[FoundPassage],
    base: float,
    title_similarity: float,
    article_count: int,
) -> dict[str, float]:
    """The signs of a retrieval; `passages`: those of the best article; `base`: its score by words, 0 to 1."""
    total = query.total_rarity
    proximities = [proximity(passage.text, passage.title) / total for passage in passages]
    nearest = passages[proximities.index(max(proximities))]
    hits = {hit.article_id: hit for hit in query.semantic_hits}
    nearest_hit = hits.get(nearest.passage.article_id)
    coverage = max(overlap([*passage.title, *passage.text]) for passage in passages) / total
    nearest_similarity = nearest_hit.similarity if nearest_hit else 0.0
    return {
        "coverage": coverage,
        "proximity": max(proximities),
        "title_similarity": title_similarity,
        "base": min(base, 1.0),
        "unknown": sum(term.rarity for term in query.words if not term.is_known) / total,
        "rarest_missing": rarest_missing(query, nearest) / total,
        "size": log(max(article_count, 1)) / log(MANY_ARTICLES),
        "is_compared": float(query.is_compared),
        "similarity": max((hit.similarity for hit in hits.values()), default=0.0),
        "standing_best": min(nearest_hit.z_score / MANY_DEVIATIONS, 1.0) if nearest_hit else 0.0,
        # Every question is near some articles; the signal is the distance between the nearest and the others.
        "excess": max((hit.excess for hit in hits.values()), default=0.0),
        # Computed only if everything else indicates an answer.
        "off_topic": 0.0,
        # Neither the words nor the meaning match; each can make up for the other.
        "missing": (1 - coverage) * (1 - nearest_similarity),
    }


def rarest_missing(query: WeightedQuery, passage: FoundPassage) -> float:
    """The rarity of the rarest word of a question that a passage lacks."""
    present = {word for match in (*passage.title, *passage.text) for word, _ in match or ()}
    return max((term.rarity for term in query.words if term.word not in present), default=0.0)


# Set by hand, because the sign is computed for few questions; a fit with all of them gives -16
# (docs/quality.md).
OFF_TOPIC_WEIGHT = -20.0
# Fitted by `python -m eval.retrieval.fitting` (docs/quality.md), for words alone and with each built-in
# embedding model, because the similarities of different models are not comparable.
WORDS = LogisticModel(
    {"coverage": 0.69, "proximity": 1.90, "title_similarity": 4.12, "base": 1.82, "size": 0.03}, -2.33
)
MEANING = LogisticModel(
    {
        "proximity": 0.06,
        "title_similarity": 0.57,
        "base": 0.66,
        "size": -2.75,
        "standing_best": 0.66,
        "excess": 7.52,
        "missing": -3.17,
        "off_topic": OFF_TOPIC_WEIGHT,
    },
    -0.60,
)


MULTILINGUAL = LogisticModel(
    {
        "coverage": 0.24,
        "proximity": 1.52,
        "title_similarity": 2.59,
        "base": 2.18,
        "size": -2.91,
        "standing_best": 1.77,
        "excess": 6.19,
        "off_topic": OFF_TOPIC_WEIGHT,
    },
    -2.49,
)
# The share of a question's rarity that one missing word may have. Among the questions that words alone were
# confident about, half had the right article first if one word had more, and seven of ten if none had.
MAX_MISSING_SHARE = 0.25
UNSURE = limits.ANSWER_THRESHOLD - 0.01
BY_EMBEDDER = {ENGLISH_NAME: MEANING, MULTILINGUAL_NAME: MULTILINGUAL}


def model_of(signs: Mapping[str, float], embedder: str | None) -> LogisticModel:
    """The model of confidence for these signs; `embedder`: the source of their similarities.

    A lack of near articles is evidence against an answer; a missing comparison is not.
    """
    return BY_EMBEDDER.get(embedder or "", WORDS) if signs["is_compared"] else WORDS


def confidence_of(signs: Mapping[str, float], embedder: str | None) -> float:
    """The probability that the articles answer the question; `embedder` as for `model_of`.

    Without embeddings, the confidence is limited while the nearest passage lacks a significant word of
    the question, because it may say the same in another word.
    """
    model = model_of(signs, embedder)
    probability = model.probability(signs)
    if model is WORDS and signs["rarest_missing"] > MAX_MISSING_SHARE:
        return min(probability, UNSURE)
    return probability


def needs_off_topic(signs: Mapping[str, float], embedder: str | None) -> bool:
    """True if the sign `off_topic`, which is slow, may turn an answer into none."""
    return (
        confidence_of(signs, embedder) >= limits.ANSWER_THRESHOLD
        and "off_topic" in model_of(signs, embedder).weights
    )
