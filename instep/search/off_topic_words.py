"""Finds words of a question that no article has and that lead away from the nearest article's topic.

"How do I change the logo of an invoice?" is close to an article about changing invoices, and closer without
"logo"; "Is the dump open on Sundays?" is less close to the recycling center's opening hours without "dump".
So the first question asks for something that is missing, and the second one uses another word for it.
"""

import re
from collections.abc import Sequence

from instep.platform.identity.schemas import Ctx
from instep.search.query.analysis import WeightedQuery
from instep.search.search_state import SearchState
from instep.search.semantic.query_embedder import query_embedder

# Each word costs one more text to embed.
MAX_WORDS = 2


async def off_topic_sign(
    ctx: Ctx, question: str, query: WeightedQuery, state: SearchState, article_id: str
) -> float:
    """The gain in cosine if the question is without its unknown words; 0 if none."""
    hit = next((hit for hit in query.semantic_hits if hit.article_id == article_id), None)
    others = questions_without(question, unknown_words(query))
    if hit is None or not others:
        return 0.0
    similarities = await query_embedder.similarities(ctx, others, state, article_id)
    return max(0.0, *(similarity - hit.similarity for similarity in similarities))


def unknown_words(query: WeightedQuery) -> list[str]:
    """The rarest words that match no article, not even through a synonym or a spelling correction."""
    unknown = [
        term
        for term in query.words
        if not (term.is_known or term.is_stop_word or any(boost < 1 for _, boost in term.expansions))
    ]
    return [term.word for term in sorted(unknown, key=lambda term: -term.rarity)[:MAX_WORDS]]


def questions_without(question: str, words: Sequence[str]) -> list[str]:
    """The question once without each of the words; empty results are left out."""
    others = (
        " ".join(re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", question, flags=re.IGNORECASE).split())
        for word in words
    )
    return [other for other in others if other and other != question]
