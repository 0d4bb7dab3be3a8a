"""Whether a passage says what a sentence says: by this measure sentences of a model are kept or left out.

It errs on the side of leaving out. A sentence holds when every number and name in it stands in the passage,
and when two neighbouring sentences of the passage hold nearly all of its words and the same yes or no.
"""

import re
from collections.abc import Sequence

from instep.core.identifiers import mention
from instep.insights.questions.question_key import CONTRACTED_NOT, POLARITY_WORDS
from instep.search.index.passages import sentences_of
from instep.text.terms import ordered_terms, terms_of
from instep.writer.llm.grounding import facts_of

MIN_SUPPORTED_SHARE = 0.75
WINDOW_SENTENCES = 2
# Without one of these a sentence says the opposite.
NEGATIONS = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|without|unable|nicht|kein\w*|nie|ohne|ne|pas|jamais"
    r"|sans|aucune?|sin|nunca|ning\w+|non|mai|senza|não|sem|niet|geen|nooit|zonder|inte|ikke)\b|ない|ません|不|没",
    re.IGNORECASE,
)
NAME = re.compile(r"(?<=[^\s.!?:\"'\u201c\u2018(*_`-] )[^\W\d_a-z][\w-]*")
POLARITY_TERMS = frozenset(term for word in POLARITY_WORDS for term in ordered_terms(word))


def is_supported(passage: str, sentence: str) -> bool:
    """Whether `sentence` rests on `passage`; both without marks of sources."""
    wanted = terms_of(sentence)
    if not wanted or not has_facts(passage, sentence):
        return False
    spoken = [passage[start:end] for start, end in sentences_of(passage)]
    return any(window_supports(window, sentence, wanted) for window in windows(spoken))


def windows(sentences: Sequence[str]) -> list[str]:
    return [" ".join(sentences[at : at + WINDOW_SENTENCES]) for at in range(len(sentences))]


def window_supports(window: str, sentence: str, wanted: frozenset[str]) -> bool:
    held = terms_of(window)
    if not (wanted & POLARITY_TERMS) <= held or len(wanted & held) < MIN_SUPPORTED_SHARE * len(wanted):
        return False
    return is_denied(sentence) == is_denied(nearest(window, wanted))


def nearest(window: str, wanted: frozenset[str]) -> str:
    """The part of the passage whose yes or no counts: as many of its sentences as the words come from."""
    spoken = [window[start:end] for start, end in sentences_of(window)]
    best = max(spoken, key=lambda one: len(terms_of(one) & wanted))
    return best if len(terms_of(best) & wanted) >= MIN_SUPPORTED_SHARE * len(wanted) else window


def is_denied(text: str) -> bool:
    return NEGATIONS.search(CONTRACTED_NOT.sub(" not ", text)) is not None


def has_facts(passage: str, sentence: str) -> bool:
    """Numbers, names in code and proper names are the same in both."""
    if not all(mention(fact).search(passage) for fact in facts_of(sentence, is_code=False)):
        return False
    small = terms_of(passage)
    return all(terms_of(name) <= small for name in NAME.findall(sentence))
