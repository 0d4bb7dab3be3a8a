"""The names and numbers that a model may write: those in the change, in its prompts, or in an article."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from instep.drafting.writer.llm.located_edit import Fault
from instep.drafting.writer.words.identifiers import parts_of
from instep.platform.core import limits
from instep.platform.core.name_matching import is_distinct
from instep.platform.llm.facts import LIST_NUMBER

# A name with its dots, slashes and dashes; a number with its unit.
_NAME = re.compile(r"(?<!\w)--?[A-Za-z][\w-]*+|[\w$]++(?:[-./:@]++[\w$]++)*+")
_NUMBER = re.compile(r"(?<![\w.,-])\d++(?:[.,]\d++)*+(?!\w*[._-]\w)")
_DIGITS = re.compile(r"\d++(?:[.,]\d++)*+")
_ENDING = re.compile(r"(?<=\w\w\w)(?:es|s|ing|ed|e)$")
_SEGMENT = re.compile(r"[./:@=]+")
_TARGET = re.compile(
    r"\]\([^()\s]*+\)|\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`]++|(?:href|src)=\"[^\"]*+\"|<[^<>\s]++>`__?"
    r"|(?m:^)\.\. _[^:\n]++:"
)
_PLACEHOLDER = re.compile(
    r"\b(?:your|my|example|sample|foo|bar|baz|placeholder|xxx+)(?-i:(?![a-z]))"
    r"|(?<![\w-])[A-Fa-f0-9-]{8,}(?![\w-])",
    re.IGNORECASE,
)
# A placeholder for the reader to fill in: `<your key>`, `{account-name}`.
_GAP = re.compile(r"<[a-z][\w .-]{0,60}>|\{[a-z]+(?:[ -][a-z]+)+\}")
# Counts of list items or steps are small.
_MAX_COUNT = 12
_MAX_LISTED = 5
_FENCE = re.compile(r"(?m)^[ \t>]*+(?:`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(?<!`)(`++)([^`\n]++)\1")
# Names that an example defines for itself.
_DEFINITION = re.compile(
    r"\b(?:def|class|function|const|let|var|func|fn|interface|type|for)[ \t]++([\w$]++)"
    r"|(?m:^)[ \t]*+([A-Za-z_$][\w$]*+)[ \t]*+:?=(?!=)"
)
# Options and variables of the product, anywhere.
_OPTION = re.compile(r"--[a-z][\w-]++|[A-Z][A-Z0-9]*+_[A-Z0-9_]++")


@lru_cache(maxsize=limits.MAX_WRITER_ARTICLES)
def _spellings(text: str) -> frozenset[str]:
    """The distinct names and numbers of a text, in their spelling."""
    return frozenset(_NAME.findall(text)).union(_DIGITS.findall(text))


@lru_cache(maxsize=200_000)
def _keys(name: str) -> tuple[str, ...]:
    """The keys of a name, of the segments of its path, and of their parts between hyphens."""
    forms = [name]
    if not name.isalnum():
        segments = _SEGMENT.split(name)
        forms += [*segments, *(part for segment in segments for part in segment.split("-"))]
    return tuple(dict.fromkeys(_key(form) for form in forms if form))


def _key(name: str) -> str:
    """One spelling for `page_size`, `pageSize` and `--page-size`."""
    return "".join(parts_of(name)) or name


@lru_cache(maxsize=200_000)
def _word_stems(name: str) -> tuple[str, ...]:
    return tuple(_ENDING.sub("", part) for part in parts_of(name) if not part.isdigit())


class KnownNames:
    """The names and numbers of some texts, extracted on demand."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset().union(*map(_spellings, self._texts))

    @cached_property
    def _name_keys(self) -> frozenset[str]:
        return frozenset(key for name in self._names for key in _keys(name))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(stem for name in self._names for stem in _word_stems(name))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(name.replace(",", "") for name in self._names if name[0].isdigit())

    def has(self, name: str) -> bool:
        return _key(name) in self._name_keys or all(
            _key(segment) in self._name_keys or segment.isdigit()
            for segment in _SEGMENT.split(name)
            if segment
        )

    def has_words_of(self, name: str) -> bool:
        return self._stems.issuperset(_word_stems(name))

    def has_number(self, number: str) -> bool:
        return number.replace(",", "") in self._numbers


class KnownFacts:
    """`change` has the texts of the change and all that the model was shown, `articles` the articles."""

    def __init__(self, change: Sequence[str], articles: Sequence[str]) -> None:
        self._change, self._articles = KnownNames(change), KnownNames(articles)

    def faults(
        self, new: str, old: str, article: KnownNames, is_markdown: bool, in_code: bool
    ) -> Iterator[Fault]:
        """Faults of the names and numbers in `new`, which replaces `old` in an article."""
        replaced, names = KnownNames([old]), dict[tuple[str, bool], list[str]]()
        numbers = dict[str, None]()
        for text, is_code in _parts(new, is_markdown, in_code):
            text = _GAP.sub(" ", _TARGET.sub(" ", text))
            numbers.update(dict.fromkeys(_NUMBER.findall(LIST_NUMBER.sub("", text))))
            for name, is_exact in _names(text, is_code):
                is_sample = is_code and not _OPTION.fullmatch(name)
                is_old = replaced.has(name)
                fault = None if is_old else self._fault_of_name(name, article, is_exact, is_sample)
                if fault and name not in names.setdefault(fault, []):
                    names[fault].append(name)
        yield from (
            Fault(f"it names {_listed(fault_names)}, {fault}", refuses)
            for (fault, refuses), fault_names in names.items()
        )
        unknown = [number for number in numbers if self._is_unknown(number, replaced)]
        if unknown:
            yield Fault(f"it gives the number {_listed(unknown)}, which the change does not", False)

    def _fault_of_name(
        self, name: str, article: KnownNames, is_exact: bool, is_sample: bool
    ) -> tuple[str, bool] | None:
        """The fault of a name, and whether it refuses the edit; samples may join known words to a name."""
        if self._change.has(name) or article.has(name) or _PLACEHOLDER.search(name):
            return None
        is_name = not is_sample and (is_distinct(name) or name.startswith("-"))
        if self._articles.has(name):
            return ("which only other articles name", False) if is_name else None
        if self._change.has_words_of(name) or self._articles.has_words_of(name):
            return ("and nothing that it was made from spells it so", False) if is_name else None
        if is_sample and not is_distinct(name):
            return None
        refuses = _OPTION.fullmatch(name) or (is_exact and any(map(is_distinct, _SEGMENT.split(name))))
        return "which neither the change nor an article does", bool(refuses)

    def _is_unknown(self, number: str, replaced: KnownNames) -> bool:
        if replaced.has_number(number) or self._change.has_number(number):
            return False
        return not number.isdigit() or int(number) > _MAX_COUNT


def _parts(text: str, is_markdown: bool, in_code: bool) -> Iterator[tuple[str, bool]]:
    """The parts of a text between Markdown fences, each with whether it is code."""
    end = 0
    for fence in _FENCE.finditer(text) if is_markdown else ():
        yield text[end : fence.start()], in_code
        in_code, end = not in_code, text.find("\n", fence.end()) + 1 or len(text)
    yield text[end:], in_code


def _names(text: str, is_code: bool) -> Iterator[tuple[str, bool]]:
    """Names: all those in code, and those in prose with the spelling of a name.

    Each comes with whether it must match exactly, like inline code. Code blocks, which may be indented,
    define names of their own, and prose mentions other products.
    """
    if is_code:
        defined = {name for names in _DEFINITION.findall(text) for name in names}
        for name in _NAME.findall(text):
            if len(name) > 1 and not name.isdigit() and (name not in defined or _OPTION.fullmatch(name)):
                yield name, False
        return
    for line in text.splitlines():
        is_indented = line.startswith((" " * 4, "\t"))
        for _, code in _CODE_SPAN.findall(line):
            yield from ((name, not is_indented) for name, _ in _names(code, True))
        for name in _NAME.findall(_CODE_SPAN.sub(" ", line)):
            if is_distinct(name):
                yield name, not is_indented and not name.isalpha()


def _listed(names: Sequence[str]) -> str:
    shown_names = ", ".join(f"`{name[:60]}`" for name in names[:_MAX_LISTED])
    return f"{shown_names} and others" if len(names) > _MAX_LISTED else shown_names
