"""Which names and numbers a model may write: those that the change, what it was shown, or an article has."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from instep.core.name_matching import is_distinct
from instep.llm.facts import LIST_NUMBER
from instep.writer.llm.findings import Fault
from instep.writer.words.identifiers import parts_of

# A name with its dots, slashes and dashes; a number with its unit.
_NAME = re.compile(r"(?<!\w)--?[A-Za-z][\w-]*+|[\w$]++(?:[-./:@]++[\w$]++)*+")
_NUMBER = re.compile(r"(?<![\w.,-])\d++(?:[.,]\d++)*+(?!\w*[._-]\w)")
_SEGMENT = re.compile(r"[./:@=]+")
_TARGET = re.compile(
    r"\]\([^()\s]*+\)|\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`]++|(?:href|src)=\"[^\"]*+\"|<[^<>\s]++>`__?"
)
_PLACEHOLDER = re.compile(
    r"\b(?:your|my|example|sample|foo|bar|baz|placeholder|xxx+)(?-i:(?![a-z]))"
    r"|(?<![\w-])[A-Fa-f0-9-]{8,}(?![\w-])",
    re.IGNORECASE,
)
# A gap for the reader to fill: `<your key>`, `{account-name}`.
_GAP = re.compile(r"<[a-z][\w .-]{0,60}>|\{[a-z]+(?:[ -][a-z]+)+\}")
# A count of things in a list or of steps is small.
_MAX_COUNT = 12
_FACTORS = (7, 10, 24, 60, 100, 365, 1_000, 1_024, 3_600, 60_000, 86_400)


@dataclass(frozen=True, slots=True)
class NamesOfText:
    """The names of a text by their keys, the words that they are made of, and its numbers."""

    keys: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]


@lru_cache(maxsize=1_024)
def names_of_text(text: str) -> NamesOfText:
    keys, words = set[str](), set[str]()
    for name in set(_NAME.findall(text)):
        for part in _forms(name):
            keys.add(_key(part))
        words.update(map(_singular, parts_of(name)))
    return NamesOfText(frozenset(keys), frozenset(words), frozenset(_numbers(text)))


def _forms(name: str) -> Iterator[str]:
    yield name
    segments = _SEGMENT.split(name)
    yield from segments
    for segment in segments:
        yield from re.split(r"[-\s]", segment)


@lru_cache(maxsize=100_000)
def _key(name: str) -> str:
    return "".join(parts_of(name)) or name


def _singular(word: str) -> str:
    return re.sub(r"(?<=\w\w\w)(?:es|s|ing|ed|e)$", "", word)


def _numbers(text: str) -> Iterator[str]:
    return (number.replace(",", "") for number in re.findall(r"\d++(?:[.,]\d++)*+", text))


class KnownNames:
    """The names and numbers of some texts, read when they are asked for."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts

    @cached_property
    def _tokens(self) -> list[NamesOfText]:
        return [names_of_text(text) for text in self._texts]

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset().union(*(tokens.keys for tokens in self._tokens))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset().union(*(tokens.words for tokens in self._tokens))

    @cached_property
    def numbers(self) -> frozenset[str]:
        return frozenset().union(*(tokens.numbers for tokens in self._tokens))

    def has(self, name: str) -> bool:
        return _key(name) in self.keys or all(
            _key(segment) in self.keys or segment.isdigit() for segment in _SEGMENT.split(name) if segment
        )

    def has_words_of(self, name: str) -> bool:
        return all(_singular(part) in self.words or part.isdigit() for part in parts_of(name))

    def has_number(self, number: str) -> bool:
        number = number.replace(",", "")
        return number in self.numbers or number.rstrip("0").rstrip(".") in self.numbers


class KnownFacts:
    def __init__(self, closest: Iterable[str], others: Iterable[str]) -> None:
        self._near, self._far = KnownNames(closest), KnownNames(others)

    def faults(self, new: str, old: str, article: KnownNames, is_code: bool) -> Iterator[Fault]:
        """Faults of the names and numbers in `new`, which replaces `old`."""
        replaced = names_of_text(old)
        prose = _GAP.sub(" ", _TARGET.sub(" ", new))
        for name in dict.fromkeys(_names(prose, is_code)):
            if _key(name) not in replaced.keys and (fault := self._fault_of_name(name, article, is_code)):
                yield fault
        for number in dict.fromkeys(_NUMBER.findall(LIST_NUMBER.sub("", prose))):
            if number.replace(",", "") not in replaced.numbers and (fault := self._fault_of_number(number)):
                yield fault

    def _fault_of_name(self, name: str, article: KnownNames, in_block: bool) -> Fault | None:
        if self._near.has(name) or article.has(name) or _PLACEHOLDER.search(name):
            return None
        if self._far.has(name):
            return Fault(f"it names `{name[:60]}`, which only other articles name", False)
        if self._near.has_words_of(name) or self._far.has_words_of(name):
            return Fault(f"it names `{name[:60]}`, and nothing that it was made from spells it so", False)
        refuses = is_option(name) if in_block else is_distinct(name)
        return Fault(f"it names `{name[:60]}`, which neither the change nor an article does", refuses)

    def _fault_of_number(self, number: str) -> Fault | None:
        if self._near.has_number(number) or (number.isdigit() and int(number) <= _MAX_COUNT):
            return None
        return Fault(f"it gives the number {number[:40]}, which the change does not", False)


# Examples in blocks of code bring their own names; options and variables of the product are none of these.
_OPTION = re.compile(r"--[a-z][\w-]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+")


def is_option(name: str) -> bool:
    return _OPTION.fullmatch(name) is not None


_CODE_SPAN = re.compile(r"(?<!`)(`++)([^`\n]++)\1")


def _names(text: str, is_code: bool) -> Iterator[str]:
    """All names in code; in prose those that are spelled as no word is."""
    if is_code:
        yield from (name for name in _NAME.findall(text) if not name.isdigit() and len(name) > 1)
        return
    for code in _CODE_SPAN.findall(text):
        yield from _names(code[1], True)
    yield from (name for name in _NAME.findall(_CODE_SPAN.sub(" ", text)) if is_distinct(name))
