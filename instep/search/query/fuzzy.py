"""Words that somebody may have meant who made one or two errors in typing."""

from collections.abc import Iterator
from functools import reduce
from operator import or_

import numpy as np

from instep.search.index.segment import TermDictionary

# Shorter words are near to too many others.
MIN_FUZZY_LENGTH = 5
MIN_TWO_EDITS_LENGTH = 9


def fuzzy_matches(word: str, forms: TermDictionary) -> Iterator[tuple[int, int]]:
    """The places of forms that one or two errors lead to, and how many; the first letter is seldom wrong."""
    most = max_edits(word)
    if not most:
        return
    places = forms.beginning_with(word[0])
    # An error adds and takes away one letter at most, so that what is near has nearly the same letters.
    differing = np.bitwise_count(forms.character_mask(places) ^ np.uint64(letters_of(word)))
    few = (places.start + np.flatnonzero(differing <= 2 * most)).tolist() if word.isascii() else places
    for place in few:
        form = forms.raw(place).decode()
        # What begins alike is another matter: the word may be cut short, not wrong.
        if abs(len(form) - len(word)) <= most and not form.startswith(word) and not word.startswith(form):
            distance = osa_distance(word, form, most)
            if distance <= most:
                yield place, distance


def letters_of(word: str) -> int:
    return reduce(or_, (1 << (byte & 63) for byte in word.encode()))


def max_edits(word: str) -> int:
    if not word.isalpha() or len(word) < MIN_FUZZY_LENGTH:
        return 0
    return 1 if len(word) < MIN_TWO_EDITS_LENGTH else 2


def osa_distance(first: str, second: str, most: int) -> int:
    """How many letters are wrong, missing, too many or swapped with the next; beyond `most` not exactly."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for place, letter in enumerate(first, 1):
        older, before, row = before, row, [place]
        for at, other in enumerate(second, 1):
            cost = min(before[at] + 1, row[-1] + 1, before[at - 1] + (letter != other))
            if min(place, at) > 1 and (letter, first[place - 2]) == (second[at - 2], other):
                cost = min(cost, older[at - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
