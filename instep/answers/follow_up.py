"""Questions that go on from the ones before: "And on Windows?", "How do I undo it?"."""

import re
from collections.abc import Sequence

from instep.core import limits
from instep.search.schemas import Passage
from instep.text.terms import ordered_terms, terms_of

# With fewer words that tell something a question hardly stands alone.
MIN_STANDALONE_TERMS = 3
# Of its words, as many as a passage must hold that it goes on to.
MIN_TERM_OVERLAP = 0.5
# As a question goes on in the languages that people ask in most; what it refers to is not in it.
FOLLOW_UP_WORDS = re.compile(
    r"\A\W*+(?:and|but|or|then|also|what about|how about|und|aber|oder|et|mais|ou|y|pero|e|ma|en|maar)\b"
    r"|\b(?:it|that|this|those|these|they|them|one|ones|there|same|dies\w*|das|es|sie|dort|cela|ça|lo|esto|eso|isso|quello)\b",
    re.IGNORECASE,
)


def is_follow_up(question: str) -> bool:
    return len(ordered_terms(question)) < MIN_STANDALONE_TERMS or FOLLOW_UP_WORDS.search(question) is not None


def contextualize(question: str, earlier: Sequence[str]) -> str:
    """The question behind those that it goes on from: back to the last one that stands alone."""
    before: list[str] = []
    for text in reversed(earlier[-limits.MAX_EARLIER_QUESTIONS :]):
        before.insert(0, text)
        if not is_follow_up(text):
            break
    return " ".join([*before, question])


def rerank_for_follow_up(passages: Sequence[Passage], question: str) -> tuple[list[Passage], bool]:
    """The passages found with what was asked before, those first that hold what is new; whether one does."""
    terms = terms_of(question)
    if not terms or not passages:
        return list(passages), bool(passages)

    def held(passage: Passage) -> float:
        words = " ".join((passage.title, *passage.headings, passage.text))
        return len(terms & terms_of(words)) / len(terms)

    ordered = sorted(passages, key=held, reverse=True)
    return ordered, held(ordered[0]) >= MIN_TERM_OVERLAP
