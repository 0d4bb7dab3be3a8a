"""The texts with which an index finds the articles to read, if there are more than the writer reads.

Each step of `writing.write` needs certain articles; these texts find them: texts of facts and
removed names (`names`), links alone (`addresses`), the articles of documentation that the change
edits (`pages`), existing articles (`titles`, `slugs`), and the nearest articles (`subject`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile, reviewed_files
from instep.drafting.writer.facts.additions import additions_of
from instep.drafting.writer.facts.became import Became, find_became
from instep.drafting.writer.facts.removed_names import find_removed_names
from instep.drafting.writer.porting.counterparts import name_of, telling_lines
from instep.drafting.writer.porting.link_resolver import linked_names
from instep.drafting.writer.porting.pages import title_of
from instep.drafting.writer.shapes import Change
from instep.drafting.writer.words.prose import heading_of, subject_of
from instep.drafting.writer.words.units import subject_words
from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch_parser import parse_diff

# The heaviest terms for the nearest articles, by the weights of `relevance.ranking`.
_TITLE_WEIGHT, _BODY_WEIGHT, _PATH_WEIGHT = 3.5, 1.3, 2.5
_CONTEXT_WEIGHT, _REMOVED_WEIGHT, _CHANGED_WEIGHT = 4.0, 1.7, 0.5
_MAX_NAMES, _MAX_NAME_CHARACTERS = 1_000, 300
_MAX_ADDRESSES, _MIN_ADDRESS_CHARACTERS = 10, 4
_MAX_PAGES, _MAX_PAGE_LINES = 100, 50
_MAX_TITLES = 300
_SEPARATOR = re.compile(r"[-_]+")


@dataclass(frozen=True, slots=True)
class SubjectPart:
    """A part of a change, its weight, and its texts, each with the weight of its file."""

    weight: float
    texts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """Texts that find articles.

    An article with all words of one of the `names` may get an edit or a place; the first ones count most.
    `addresses` are literal texts that only links may contain.
    `pages` are the old lines of each documentation file. An article may have one of the `titles`, or
    `slugs`.
    """

    names: tuple[str, ...]
    addresses: tuple[str, ...]
    pages: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    slugs: tuple[str, ...]
    subject: tuple[SubjectPart, ...]


def retrieval_query(change: Change) -> RetrievalQuery:
    diff = parse_diff(change.diff)
    change_set = reviewed_files(diff, change.locales)
    names = _distinct(_names(change, change_set.code), _MAX_NAMES)
    addresses = (
        name for name in names if "/" in name and " " not in name and len(name) >= _MIN_ADDRESS_CHARACTERS
    )
    slugs = _distinct(_slugs(change_set), _MAX_TITLES)
    return RetrievalQuery(
        names=names,
        addresses=_distinct(addresses, _MAX_ADDRESSES),
        pages=tuple(islice(filter(None, map(_page_lines, change_set.files)), _MAX_PAGES)),
        titles=_distinct((*_titles(change, change_set), *map(_spaced, slugs)), _MAX_TITLES),
        slugs=slugs,
        subject=tuple(_subject(change, change_set)),
    )


def _distinct(texts: Iterable[str], count: int) -> tuple[str, ...]:
    short = (text for text in texts if text.strip() and len(text) <= _MAX_NAME_CHARACTERS)
    return tuple(islice(dict.fromkeys(short), count))


def _names(change: Change, code: ChangeSet) -> Iterator[str]:
    for pair in find_became(change, code):
        yield from _names_of(pair)
    yield from (row.name for row in find_removed_names(code))
    yield from (name for addition in additions_of(code) for name in addition.siblings)


def _names_of(pair: Became) -> Iterator[str]:
    """The old text and, for a value, a word of its setting, because numbers are everywhere."""
    if not pair.names:
        yield pair.old
    for name in pair.names:
        yield " ".join([pair.old, *subject_words(name)])


def _page_lines(file: ReviewedFile) -> tuple[str, ...]:
    """The most distinctive lines of the old side of documentation, or of a snippet that articles may show."""
    if not file.is_documentation and file.kind != "docs":
        return ()
    lines = sorted(telling_lines(file.patch), key=lambda line: (-len(line), line))
    return tuple(line for line in lines if len(line) <= LONG_LINE)[:_MAX_PAGE_LINES]


def _titles(change: Change, change_set: ChangeSet) -> Iterator[str]:
    yield from (heading_of(change.title), subject_of(change.title))
    for file in change_set.documentation:
        yield _spaced(name_of(file.patch.path))
        yield title_of(file.patch.path, _added_text(file))


def _spaced(name: str) -> str:
    return _SEPARATOR.sub(" ", name)


def _slugs(change_set: ChangeSet) -> Iterator[str]:
    """The ends of URLs that articles may have: documentation files, and pages that these link to."""
    for file in change_set.documentation:
        yield name_of(file.patch.path).lower()
        yield from linked_names(_added_text(file))


def _added_text(file: ReviewedFile) -> str:
    return "\n".join(line.text for line in file.patch.lines() if line.mark == "+")


def _subject(change: Change, change_set: ChangeSet) -> Iterator[SubjectPart]:
    files = change_set.files
    yield SubjectPart(_TITLE_WEIGHT, ((change.title, 1.0),))
    yield SubjectPart(_BODY_WEIGHT, ((change.body or "", 1.0),))
    yield SubjectPart(_PATH_WEIGHT, tuple((file.patch.path, file.weight) for file in files))
    for weight, marks in ((_CONTEXT_WEIGHT, " "), (_REMOVED_WEIGHT, "-"), (_CHANGED_WEIGHT, "+-")):
        yield SubjectPart(weight, tuple(chain.from_iterable(_lines(file, marks) for file in files)))


def _lines(file: ReviewedFile, marks: str) -> Iterator[tuple[str, float]]:
    for line in file.patch.lines():
        if line.mark in marks and len(line.text) <= LONG_LINE:
            yield line.text, file.weight
