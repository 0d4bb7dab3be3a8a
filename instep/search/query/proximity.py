"""How close together a text holds what is looked for: far apart, words are often there for another reason."""

from collections.abc import Iterable, Sequence

from instep.search.query.query import Query

# In words, without those that say nothing.
WINDOW_WORDS = 12
# What a word is read as: which word of the question it stands for, and how much that counts.
Weights = dict[str, tuple[str, float]]


def weights_of(plan: Query) -> Weights:
    weights: Weights = {}
    for wish in plan.terms:
        for key, factor in () if wish.is_bigram else wish.keys:
            if key not in weights or weights[key][1] < factor * wish.weight:
                weights[key] = (wish.word, factor * wish.weight)
    return weights


def proximity(words: Sequence[list[str]], weights: Weights) -> float:
    """What the densest stretch of a text holds of the question."""
    places = [(place, [weights[key] for key in keys if key in weights]) for place, keys in enumerate(words)]
    places = [(place, found) for place, found in places if found]
    return max(
        (
            total(
                found for place, found in places[first : first + WINDOW_WORDS] if place - start < WINDOW_WORDS
            )
            for first, (start, _) in enumerate(places)
        ),
        default=0.0,
    )


def overlap(words: Sequence[list[str]], weights: Weights) -> float:
    """What a sentence holds of the question."""
    return total([weights[key] for key in keys if key in weights] for keys in words)


def total(found: Iterable[list[tuple[str, float]]]) -> float:
    """Each word of the question once, as what stands for it best."""
    best: dict[str, float] = {}
    for words in found:
        for word, weight in words:
            best[word] = max(best.get(word, 0.0), weight)
    return sum(best.values())
