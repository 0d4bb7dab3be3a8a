"""Proximity of query terms in a text: terms far apart often occur for unrelated reasons."""

from collections.abc import Iterable, Sequence

from instep.search.query.analysis import WeightedQuery

# In words, stop words not counted.
WINDOW_WORDS = 12
# The word of the query that each index term matches, and the weight of the match.
TermWeights = dict[str, tuple[str, float]]
# The words of the query that a word of a text matches, each with its weight; `None` for a stop word.
Match = tuple[tuple[str, float], ...] | None


def term_weights_of(query: WeightedQuery) -> TermWeights:
    """The weights of the query's index terms, by how rare its words are in the bot and in the language."""
    weights: TermWeights = {}
    for term in query.terms:
        for index_term, boost in () if term.is_bigram else term.expansions:
            if index_term not in weights or weights[index_term][1] < boost * term.rarity:
                weights[index_term] = (term.word, boost * term.rarity)
    return weights


def proximity(text: Sequence[Match], title: Sequence[Match] = ()) -> float:
    """The weight of the query's words in the best window; the title's words count in each window."""
    in_title = [match for match in title if match]
    matches: list[tuple[int, tuple[tuple[str, float], ...]]] = []
    position = 0
    for match in text:
        if match:
            matches.append((position, match))
        position += match is not None
    return max(
        (
            distinct_weight(
                (
                    *in_title,
                    *(
                        match
                        for position, match in matches[first : first + WINDOW_WORDS]
                        if position - start < WINDOW_WORDS
                    ),
                )
            )
            for first, (start, _) in enumerate(matches)
        ),
        default=distinct_weight(in_title),
    )


def overlap(text: Iterable[Match]) -> float:
    """The weight of the query's words that occur in a text: 0 to the query's total weight."""
    return distinct_weight(match for match in text if match)


def distinct_weight(matches: Iterable[tuple[tuple[str, float], ...]]) -> float:
    """The sum over the distinct words of the query, each with its highest weight."""
    best: dict[str, float] = {}
    for match in matches:
        for word, weight in match:
            if weight > best.get(word, 0.0):
                best[word] = weight
    return sum(best.values())
