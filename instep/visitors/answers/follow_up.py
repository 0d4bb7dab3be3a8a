"""Follow-up questions, which refer to earlier ones: "And on Windows?", "How do I undo it?"."""

import re
from collections.abc import Sequence

from instep.platform.core import limits
from instep.platform.text.terms import ordered_terms, terms_of
from instep.search.schemas import Passage

# A question with fewer terms, and fewer words in all, is rarely complete without the one before it.
MIN_STANDALONE_TERMS = 3
MIN_STANDALONE_WORDS = 5
# The share (0..1) of a follow-up's own terms that a passage must contain.
MIN_TERM_OVERLAP = 0.5
# Conjunctions at the beginning and pronouns, in the most common languages: what they refer to is missing.
FOLLOW_UP_WORDS = re.compile(
    r"\A\W*+(?:and|but|or|then|also|what about|how about|und|aber|oder|et|mais|ou|y|pero|e|ma|en|maar)\b"
    r"|\b(?:it|that|this|those|these|they|them|one|ones|there|same|dies\w*|das|es|sie|dort|cela|ça|lo|esto|eso|isso|quello)\b",
    re.IGNORECASE,
)


def is_follow_up(question: str) -> bool:
    is_short = (
        len(ordered_terms(question)) < MIN_STANDALONE_TERMS and len(question.split()) < MIN_STANDALONE_WORDS
    )
    return is_short or FOLLOW_UP_WORDS.search(question) is not None


def contextualize(question: str, earlier: Sequence[str]) -> str:
    """The question after the earlier ones that it may refer to: back to the last that is no follow-up."""
    context: list[str] = []
    for text in reversed(earlier[-limits.MAX_EARLIER_QUESTIONS :]):
        context.insert(0, text)
        if not is_follow_up(text):
            break
    return " ".join([*context, question])


def rerank_for_follow_up(passages: Sequence[Passage], question: str) -> tuple[list[Passage], bool]:
    """The passages by how many of the follow-up's own terms they contain, and whether one contains enough."""
    terms = terms_of(question)
    if not terms or not passages:
        return list(passages), bool(passages)

    def overlap(passage: Passage) -> float:
        text = " ".join((passage.title, *passage.headings, passage.text))
        return len(terms & terms_of(text)) / len(terms)

    ranked = sorted(passages, key=overlap, reverse=True)
    return ranked, overlap(ranked[0]) >= MIN_TERM_OVERLAP
