"""Checks a text against a style without a model; all time is linear in the length of the text."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import accumulate
from operator import attrgetter
from typing import Literal

from instep.content.style.heading_case import LETTERS, with_case
from instep.content.style.schemas import GlossaryTerm, HeadingCase, Style
from instep.platform.core import limits
from instep.platform.text.characters import UNSEGMENTED_SCRIPTS, shorten, with_single_spaces
from instep.platform.text.prose_blocks import CODE_MASK, MARKUP_MASK, mask_markup, prose_blocks
from instep.platform.text.sentences import sentence_spans

RuleName = Literal["term", "avoided word", "capital letters", "heading case", "sentence length", "passive"]
MAX_QUOTED_CHARACTERS = 60
# A word, a character of a script without spaces, the end of a paragraph, or another character.
PIECE = re.compile(rf"[{UNSEGMENTED_SCRIPTS}]|[^\W{UNSEGMENTED_SCRIPTS}]+|\n[ \t]*\n|[^\w\s]")
# A word, or a span of code.
COUNTED_WORD = re.compile(rf"{CODE_MASK}+|\w[\w'\u2019.-]*")
# Characters that join words into a name, a path or an address.
JOINERS = frozenset("-./\\@")
PASSIVE_SHOULD = re.compile(
    r"\bshould(?:\s+(?:not|never|always|also|only))?\s+be\s+(?:\w+ed|done|made|set|sent|seen|shown|given"
    r"|taken|kept|left|written|run|put|built|chosen|read)\b",
    re.IGNORECASE,
)
MASKS = (CODE_MASK, MARKUP_MASK)
# German and Luxembourgish capitalize nouns.
LANGUAGES_WITH_CAPITAL_NOUNS = ("de", "lb")


@dataclass(frozen=True, slots=True)
class Violation:
    """A part of a text (end excluded) that violates a rule, and its replacement if the fix is certain."""

    line: int
    start: int
    end: int
    words: str
    rule: RuleName
    message: str
    replacement: str | None

    @property
    def lines(self) -> range:
        return range(self.line, self.line + self.words.count("\n") + 1)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that a text is searched for: a term, words that it replaces, or words to avoid (no term)."""

    term: GlossaryTerm | None
    is_variant: bool = False


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases by their words in lower case, and the lengths, in pieces, of those that begin with a piece."""

    by_words: dict[str, Phrase] = field(default_factory=dict)
    lengths: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, words: str, phrase: Phrase) -> None:
        words = with_single_spaces(words).casefold()
        pieces = PIECE.findall(words)
        self.by_words.setdefault(words, phrase)
        self.lengths[pieces[0]].add(len(pieces))


def check_style(text: str, style: Style, locale: str) -> list[Violation]:
    """The first violations in a Markdown text, in its order; code, addresses and front matter are not read.

    The case of headings is not checked in German, which capitalizes nouns; title case and passives are
    checked in English only.
    """
    if not style.has_checks:
        return []
    violations = StyleChecker(text, style, locale).violations()
    return nsmallest(limits.MAX_STYLE_VIOLATIONS, violations, key=attrgetter("start", "end"))


def fix_style(text: str, violations: Sequence[Violation]) -> str:
    """The text with all replacements that don't overlap; `violations` are in the order of the text."""
    parts, position = [], 0
    for violation in violations:
        if violation.replacement is not None and violation.start >= position:
            parts += [text[position : violation.start], violation.replacement]
            position = violation.end
    return "".join((*parts, text[position:]))


class StyleChecker:
    """Checks one text; `masked` has its prose at the same positions."""

    def __init__(self, text: str, style: Style, locale: str) -> None:
        self.text = text
        self.style = style
        self.masked = mask_markup(text)
        self.terms = [term for term in style.terms if term.applies_to(locale)]
        self.language = locale.partition("-")[0]
        self.blocks = list(prose_blocks(self.masked))
        self.line_starts = [0, *accumulate(len(line) + 1 for line in self.masked.split("\n"))]

    def violations(self) -> Iterator[Violation]:
        yield from self.find_phrases()
        if self.style.heading_case is not None:
            yield from self.check_headings(self.style.heading_case)
        if self.style.max_sentence_words is not None:
            yield from self.check_sentences(self.style.max_sentence_words)
        if self.style.avoid_passive_should and self.language == "en":
            for match in PASSIVE_SHOULD.finditer(self.masked):
                yield self.violation(*match.span(), "passive", "“{}” does not say who acts: name them.")

    def violation(
        self, start: int, end: int, rule: RuleName, message: str, replacement: str | None = None
    ) -> Violation:
        words = self.text[start:end]
        quote = shorten(with_single_spaces(words), MAX_QUOTED_CHARACTERS)
        line = bisect_right(self.line_starts, start)
        return Violation(line, start, end, words, rule, message.format(quote), replacement)

    def find_phrases(self) -> Iterator[Violation]:
        phrases = phrases_of(self.terms, self.style.avoid_words)
        pieces = list(PIECE.finditer(self.masked)) if phrases.by_words else []
        position = 0
        for index, piece in enumerate(pieces):
            if piece.start() < position:
                continue
            for length in sorted(phrases.lengths.get(piece[0].casefold(), ()), reverse=True):
                end = pieces[index + length - 1].end() if index + length <= len(pieces) else piece.start()
                words = with_single_spaces(self.masked[piece.start() : end])
                phrase = phrases.by_words.get(words.casefold())
                if phrase is not None and self.is_whole(piece.start(), end):
                    position = end
                    yield from self.check_phrase(piece.start(), end, words, phrase)
                    break

    def is_whole(self, start: int, end: int) -> bool:
        """True if the words are no part of a longer name, of a path or of an address."""
        before, after = self.masked[start - 1 : start], self.masked[end : end + 2]
        return before not in JOINERS and not (after[:1] in JOINERS and after[1:].isalnum())

    def check_phrase(self, start: int, end: int, words: str, phrase: Phrase) -> Iterator[Violation]:
        if phrase.term is None:
            yield self.violation(start, end, "avoided word", "Don't write “{}”.")
        elif phrase.is_variant or phrase.term.is_miswritten(words):
            term = phrase.term.term
            begins_large = words[0].isupper() and term[0].islower() and term[1:] == term[1:].lower()
            fix = term[0].upper() + term[1:] if begins_large else term
            message = f"Write “{with_escaped_braces(fix)}” instead of “{{}}”."
            yield self.violation(start, end, "term" if phrase.is_variant else "capital letters", message, fix)

    def check_headings(self, case: HeadingCase) -> Iterator[Violation]:
        if self.language != "en" if case == "title" else self.language in LANGUAGES_WITH_CAPITAL_NOUNS:
            return
        names = self.names()
        for block in self.blocks:
            title = self.masked[block.start : block.end]
            recased = with_case(title, case, names) if block.is_heading else title
            if recased != title:
                fix = unmasked(recased, self.text[block.start : block.end])
                message = f"Write this heading in {case} case: “{with_escaped_braces(fix)}”."
                yield self.violation(block.start, block.end, "heading case", message, fix)

    def check_sentences(self, max_words: int) -> Iterator[Violation]:
        for start, end in self.sentences():
            count = sum(1 for _ in COUNTED_WORD.finditer(self.masked, start, end))
            if count > max_words:
                message = f"This sentence has {count} words, more than {max_words}: split it."
                yield self.violation(start, end, "sentence length", message)

    def names(self) -> frozenset[str]:
        """Words with a fixed spelling: words of terms, and capitalized words inside sentences."""
        names = {word for term in self.terms for word in LETTERS.findall(term.term)}
        for start, end in self.sentences():
            _, *others = LETTERS.findall(self.masked, start, end) or [""]
            names.update(word for word in others if word[0].isupper())
        return frozenset(names)

    def sentences(self) -> Iterator[tuple[int, int]]:
        for block in self.blocks:
            if not block.is_heading:
                words = self.masked[block.start : block.end].replace(MARKUP_MASK, " ")
                for start, end in sentence_spans(words):
                    yield block.start + start, block.start + end


def phrases_of(terms: Sequence[GlossaryTerm], avoid_words: Sequence[str]) -> Phrases:
    """All phrases; terms take precedence over words that others replace."""
    phrases = Phrases()
    for term in terms:
        phrases.add(term.term, Phrase(term))
    for term in terms:
        for words in term.never_say:
            phrases.add(words, Phrase(term, is_variant=True))
    for words in avoid_words:
        phrases.add(words, Phrase(None))
    return phrases


def unmasked(masked: str, text: str) -> str:
    """The masked text with the original in place of each mask."""
    return "".join(old if new in MASKS else new for new, old in zip(masked, text, strict=True))


def with_escaped_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
