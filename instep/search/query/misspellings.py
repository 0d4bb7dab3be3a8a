"""Questions without their typing errors: a model of meaning reads a misspelled word as pieces of others.

Of words alone the index finds similar ones whatever they mean, and counts them less. Here only what is surely
an error is fixed: a letter too many, one too few, or two that changed places. With another letter in its
place a word is too often a word of its own: "latex" and "later".
"""

import re
from collections import Counter

from instep.search.query.analysis import QueryBuilder, QueryTerm
from instep.search.query.frequencies import is_common


def corrected(question: str, builder: QueryBuilder) -> str:
    """The question with each misspelled word as the articles spell it, where only one word can be meant."""
    for term in builder.terms:
        if is_strange(term, builder) and (word := meant_word(term.word, builder)):
            question = re.sub(rf"(?<!\w){re.escape(term.word)}(?!\w)", word, question, flags=re.IGNORECASE)
    return question


def is_strange(term: QueryTerm, builder: QueryBuilder) -> bool:
    """True if neither the articles, nor what stands for their words, nor the language have a word."""
    has_synonyms = any(expansion in builder.synonyms for expansion, _ in term.expansions)
    return not (term.is_bigram or term.is_known or has_synonyms or is_common(term.word, builder.stems))


def meant_word(word: str, builder: QueryBuilder) -> str | None:
    """The word of the articles that was meant for sure; `None` if there is none, or several."""
    forms = {
        segment.surface_forms.raw(number).decode()
        for segment, number, edits in builder.similar_forms(word)
        if edits == 1
    }
    meant = [form for form in forms if len(form) != len(word) or Counter(form) == Counter(word)]
    return meant[0] if len(meant) == 1 else None
