"""Splits compounds in languages that write them as one word: "Versandkosten" is "Versand" and "Kosten".

Compounds are split by the words of the help center, without a dictionary. A word that no article has is
split if its end is a word of the articles; a word of the question is also searched for in their compounds.
"""

from collections.abc import Callable, Iterator
from itertools import islice

from instep.search.index.segment import Segment
from instep.search.index.stems import language_code
from instep.search.query.frequencies import is_common

# The text search configurations of these languages.
COMPOUND_CONFIGS = frozenset({"danish", "dutch", "german", "norwegian", "swedish"})
# Possible linking letters between the parts of a compound, and endings of an inflected word; longest first.
LINKS = ("es", "en", "er", "s", "n", "e", "")
MIN_PART_CHARACTERS = 4
# A word of three letters occurs in many others by chance.
MIN_SHORT_PART_CHARACTERS = 3
# A suffix with this many letters is a part of a longer word, whatever comes before it.
MIN_UNMISTAKABLE_CHARACTERS = 5
# More letters after a word than its endings have.
MAX_ENDING_CHARACTERS = 3
MAX_COMPOUNDS = 20
# A part of a compound, and its index terms; empty for a part that no article has.
Part = tuple[str, tuple[str, ...]]


class Compounds:
    """The compounds in a help center's vocabulary in these languages."""

    def __init__(self, segments: list[Segment], configs: frozenset[str]) -> None:
        """`configs`: the searched ones among `COMPOUND_CONFIGS`."""
        self.segments = segments
        self.configs = configs
        self.codes = {language_code(config) for config in configs}

    def parts_of(self, word: str) -> tuple[Part, ...]:
        """The two parts of a compound that no article has; empty if its end is not a word of the articles."""
        if not self.configs:
            return ()
        divisions = [
            ((modifier, self.terms_of(modifier)), (head, head_terms))
            for at in range(MIN_PART_CHARACTERS, len(word) - MIN_PART_CHARACTERS + 1)
            if (head_terms := self.terms_of(head := word[at:]))
            for modifier in [without_link(word[:at], self.is_word)]
        ]
        # Prefer splits whose parts are both known, then the longest head.
        return max(divisions, key=lambda parts: bool(parts[0][1]), default=())

    def with_part(self, word: str) -> list[str]:
        """The index terms of the articles' compounds that begin or end with a word."""
        if not self.configs or len(word) < MIN_SHORT_PART_CHARACTERS or not word.isalpha():
            return []
        return list(dict.fromkeys(islice(self.compounds_with(word), MAX_COMPOUNDS)))

    def compounds_with(self, word: str) -> Iterator[str]:
        base = base_of(word)
        for segment in self.segments:
            forms = segment.surface_forms
            for ending in LINKS:
                for number in forms.with_suffix(base + ending):
                    modifier = forms.raw(number).decode().removesuffix(base + ending)
                    if len(modifier) >= MIN_PART_CHARACTERS and (
                        len(word) >= MIN_UNMISTAKABLE_CHARACTERS
                        or self.is_word(without_link(modifier, self.is_word))
                    ):
                        yield from self.term_of(segment, number)
            if len(word) >= MIN_PART_CHARACTERS:
                for number in forms.with_prefix(word):
                    head = forms.raw(number).decode().removeprefix(word)
                    if any(self.is_word(head.removeprefix(link)) for link in LINKS if head.startswith(link)):
                        yield from self.term_of(segment, number)

    def terms_of(self, part: str) -> tuple[str, ...]:
        """The index terms of the articles' words that are a part, in any inflected form."""
        base = base_of(part)
        terms = (
            term
            for segment in self.segments
            for number in segment.surface_forms.with_prefix(base)
            if len(segment.surface_forms.raw(number).decode()) <= len(base) + MAX_ENDING_CHARACTERS
            for term in self.term_of(segment, number)
        )
        return tuple(dict.fromkeys(terms))

    def is_word(self, text: str) -> bool:
        """True if the language or the articles have this word; a part of a compound must be one."""
        if len(text) < MIN_SHORT_PART_CHARACTERS:
            return False
        return is_common(text, self.configs) or (
            len(text) >= MIN_PART_CHARACTERS and bool(self.terms_of(text))
        )

    def term_of(self, segment: Segment, form: int) -> Iterator[str]:
        term = segment.term_of_surface_form(form)
        if term[0] in self.codes:
            yield term


def base_of(word: str) -> str:
    """A word without its ending, if the rest may still be a part of a compound."""
    endings = (end for end in LINKS if word.endswith(end) and len(word) - len(end) >= MIN_PART_CHARACTERS)
    return word.removesuffix(next(endings, ""))


def without_link(modifier: str, is_word: Callable[[str], bool]) -> str:
    """The first part of a compound without linking letters: "Kündigung" for "Kündigungs"."""
    return next(
        (
            part
            for link in reversed(LINKS)
            if modifier.endswith(link) and is_word(part := modifier.removesuffix(link))
        ),
        modifier,
    )
