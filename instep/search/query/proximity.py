"""Proximity of query terms in a text: terms far apart from each other often occur there for other reasons."""

from collections.abc import Iterable, Sequence

from instep.search.query.analysis import WeightedQuery

# In words, stop words not counted.
WINDOW_WORDS = 12
# By index term: the word of the query that it stands for, and the weight with which it does.
TermWeights = dict[str, tuple[str, float]]


def term_weights_of(query: WeightedQuery) -> TermWeights:
    weights: TermWeights = {}
    for term in query.terms:
        for index_term, boost in () if term.is_bigram else term.expansions:
            if index_term not in weights or weights[index_term][1] < boost * term.weight:
                weights[index_term] = (term.word, boost * term.weight)
    return weights


def proximity(words: Sequence[list[str]], weights: TermWeights) -> float:
    """The weight of the query's words in the window that has most of them: 0 to the query's total weight.

    Each item of `words` is a word of the text: its index terms in the languages of the bot.
    """
    matches = [
        (position, [weights[index_term] for index_term in index_terms if index_term in weights])
        for position, index_terms in enumerate(words)
    ]
    matches = [(position, match) for position, match in matches if match]
    return max(
        (
            distinct_weight(
                match
                for position, match in matches[first : first + WINDOW_WORDS]
                if position - start < WINDOW_WORDS
            )
            for first, (start, _) in enumerate(matches)
        ),
        default=0.0,
    )


def overlap(words: Sequence[list[str]], weights: TermWeights) -> float:
    """The weight of the query's words that occur in a sentence: 0 to the query's total weight."""
    return distinct_weight(
        [weights[index_term] for index_term in index_terms if index_term in weights] for index_terms in words
    )


def distinct_weight(matches: Iterable[list[tuple[str, float]]]) -> float:
    """The sum over the distinct words of the query, each with its highest weight."""
    best: dict[str, float] = {}
    for match in matches:
        for word, weight in match:
            best[word] = max(best.get(word, 0.0), weight)
    return sum(best.values())
