"""Corrects typing errors in questions, because embedding models split a misspelled word into random pieces.

For word search the index finds similar words whatever they mean, and weights them less. Here only certain
errors are fixed: an extra letter, a missing letter, or two swapped letters. A replaced letter often
makes another real word: "latex" and "later".
"""

import re
from collections import Counter

from instep.search.query.analysis import QueryBuilder, QueryTerm
from instep.search.query.frequencies import is_common


def corrected(question: str, builder: QueryBuilder) -> str:
    """The question with each misspelled word in the articles' spelling, if only one word can be meant."""
    for term in builder.terms:
        if is_strange(term, builder) and (word := meant_word(term.word, builder)):
            question = re.sub(rf"(?<!\w){re.escape(term.word)}(?!\w)", word, question, flags=re.IGNORECASE)
    return question


def is_strange(term: QueryTerm, builder: QueryBuilder) -> bool:
    """True if neither the articles, nor the synonyms of their words, nor the language have a word."""
    has_synonyms = any(expansion in builder.synonyms for expansion, _ in term.expansions)
    return not (term.is_bigram or term.is_known or has_synonyms or is_common(term.word, builder.stems))


def meant_word(word: str, builder: QueryBuilder) -> str | None:
    """The articles' word that was certainly meant; `None` if there is none, or several."""
    forms = {
        segment.surface_forms.raw(number).decode()
        for segment, number, edits in builder.similar_forms(word)
        if edits == 1
    }
    meant = [form for form in forms if len(form) != len(word) or Counter(form) == Counter(word)]
    return meant[0] if len(meant) == 1 else None
