"""Finds the indexed words that a misspelled word was probably meant to be."""

from rapidfuzz import process
from rapidfuzz.distance import OSA

from instep.search.index.segment import TermDictionary

# In characters: a shorter word is within one edit of too many others.
MIN_FUZZY_LENGTH = 5
MIN_TWO_EDITS_LENGTH = 9


def fuzzy_matches(word: str, surface_forms: TermDictionary) -> list[tuple[int, int]]:
    """The numbers of the surface forms within `max_edits(word)` of the word, and the edits of each.

    The distance is the optimal string alignment (insert, delete, substitute, swap neighbors). Only forms
    with the same first letter are compared, because people seldom mistype it.
    """
    edits = max_edits(word)
    if not edits:
        return []
    numbers = surface_forms.with_prefix(word[0])
    forms = [surface_forms.raw(number).decode() for number in numbers]
    matches = process.extract(word, forms, scorer=OSA.distance, score_cutoff=edits, limit=None)
    # A form that is a prefix of the word, or the reverse, is a prefix match and not a typing error.
    return sorted(
        (numbers[position], int(distance))
        for form, distance, position in matches
        if not form.startswith(word) and not word.startswith(form)
    )


def max_edits(word: str) -> int:
    if not word.isalpha() or len(word) < MIN_FUZZY_LENGTH:
        return 0
    return 1 if len(word) < MIN_TWO_EDITS_LENGTH else 2
