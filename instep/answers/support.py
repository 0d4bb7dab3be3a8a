"""Whether a passage supports a sentence: the measure by which sentences of a model are kept or left out.

The measure prefers to leave a sentence out. A sentence is supported when the passage has every number and
name of it, and two neighbouring sentences of the passage have nearly all of its terms and the same polarity.
"""

import re
from collections.abc import Sequence

from instep.core.name_matching import mention
from instep.core.polarity import POLARITY_WORDS, is_negated
from instep.llm.facts import stated_facts
from instep.text.sentences import split_sentences
from instep.text.terms import ordered_terms, terms_of

# The share (0..1) of a sentence's terms that the passage must have.
MIN_SUPPORTED_SHARE = 0.75
WINDOW_SENTENCES = 2
PROPER_NAME = re.compile(r"(?<=[^\s.!?:\"'\u201c\u2018(*_`-] )[^\W\d_a-z][\w-]*")
POLARITY_TERMS = frozenset(term for word in POLARITY_WORDS for term in ordered_terms(word))


def is_supported(passage: str, sentence: str) -> bool:
    """Whether `passage` says what `sentence` says; both come without numbers of citations."""
    terms = terms_of(sentence)
    if not terms or not has_facts(passage, sentence):
        return False
    sentences = split_sentences(passage, at_line_breaks=True)
    return any(window_supports(window, sentence, terms) for window in windows(sentences))


def windows(sentences: Sequence[str]) -> list[str]:
    return [" ".join(sentences[start : start + WINDOW_SENTENCES]) for start in range(len(sentences))]


def window_supports(window: str, sentence: str, terms: frozenset[str]) -> bool:
    window_terms = terms_of(window)
    if not (terms & POLARITY_TERMS) <= window_terms:
        return False
    if len(terms & window_terms) < MIN_SUPPORTED_SHARE * len(terms):
        return False
    return is_negated(sentence) == is_negated(closest_text(window, terms))


def closest_text(window: str, terms: frozenset[str]) -> str:
    """The text whose polarity counts: the one sentence that has enough of the terms, or the whole window."""
    sentences = split_sentences(window, at_line_breaks=True)
    best = max(sentences, key=lambda sentence: len(terms_of(sentence) & terms))
    return best if len(terms_of(best) & terms) >= MIN_SUPPORTED_SHARE * len(terms) else window


def has_facts(passage: str, sentence: str) -> bool:
    """Whether the passage has all numbers, names in code and proper names of the sentence."""
    if not all(mention(fact).search(passage) for fact in stated_facts(sentence, is_code=False)):
        return False
    passage_terms = terms_of(passage)
    return all(terms_of(name) <= passage_terms for name in PROPER_NAME.findall(sentence))
