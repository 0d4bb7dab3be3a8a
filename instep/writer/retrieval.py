"""What a change looks for among more articles than the writer reads: the texts by which an index finds them.

Each step of `writing.write` meets articles in its own way, and here is what it would miss: texts of facts and
removed names (`names`), links alone (`addresses`, `fragments`), the articles of documentation that the change
edits (`pages`), articles that exist already (`titles`, `slugs`), and the nearest articles (`subject`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from instep.text.file_kinds import LONG_LINE
from instep.text.patch_parser import parse_diff
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile, reviewed_files
from instep.writer.editing.heading_links import fragments_of
from instep.writer.editing.value_binding import LIMIT_WORDS
from instep.writer.facts.collect import Fact, Facts, collect_facts
from instep.writer.facts.moved_files import find_moved_files
from instep.writer.facts.removals import removed_definitions
from instep.writer.facts.values import Value
from instep.writer.new_articles.pages import possible_pages
from instep.writer.porting.counterparts import name_of, telling_lines
from instep.writer.porting.link_resolver import linked_names
from instep.writer.porting.pages import title_of
from instep.writer.shapes import Change
from instep.writer.words.prose import heading_of, subject_of
from instep.writer.words.units import words_and_unit

# What counts most for the nearest articles, as the weights of `relevance.ranking` have it.
_TITLE_WEIGHT, _BODY_WEIGHT, _PATH_WEIGHT = 3.5, 1.3, 2.5
_CONTEXT_WEIGHT, _REMOVED_WEIGHT, _CHANGED_WEIGHT = 4.0, 1.7, 0.5
_MAX_NAMES, _MAX_NAME_CHARACTERS = 1_000, 300
_MAX_ADDRESSES, _MAX_FRAGMENTS, _MIN_ADDRESS_CHARACTERS = 10, 10, 4
_MAX_PAGES, _MAX_PAGE_LINES = 100, 50
_MAX_TITLES = 300
_SEPARATOR = re.compile(r"[-_]+")


@dataclass(frozen=True, slots=True)
class SubjectPart:
    """A part of a change, how much it counts, and its texts, each with the weight of its file."""

    weight: float
    texts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """Texts that articles are found by.

    An article with all words of one of the `names` may get an edit or be told of; the first ones are trusted
    most. `addresses` are literal texts that may stand in links alone, `fragments` ends of such links.
    `pages` are the old lines of each file of documentation. An article may have one of the `titles`, or
    `slugs`.
    """

    names: tuple[str, ...]
    addresses: tuple[str, ...]
    fragments: tuple[str, ...]
    pages: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    slugs: tuple[str, ...]
    subject: tuple[SubjectPart, ...]


def retrieval_query(change: Change) -> RetrievalQuery:
    diff = parse_diff(change.diff)
    change_set = reviewed_files(diff)
    facts = collect_facts(change, change_set.code)
    moved_paths = (rename.old for rename in find_moved_files(diff))
    names = _distinct(chain(_names(facts, change_set.code), moved_paths), _MAX_NAMES)
    addresses = (
        name for name in names if "/" in name and " " not in name and len(name) >= _MIN_ADDRESS_CHARACTERS
    )
    slugs = _distinct(_slugs(change_set), _MAX_TITLES)
    return RetrievalQuery(
        names=names,
        addresses=_distinct(addresses, _MAX_ADDRESSES),
        fragments=_distinct(_fragments(facts), _MAX_FRAGMENTS),
        pages=tuple(islice(filter(None, map(_page_lines, change_set.files)), _MAX_PAGES)),
        titles=_distinct((*_titles(change, change_set), *map(_spaced, slugs)), _MAX_TITLES),
        slugs=slugs,
        subject=tuple(_subject(change, change_set)),
    )


def _distinct(texts: Iterable[str], count: int) -> tuple[str, ...]:
    short = (text for text in texts if text.strip() and len(text) <= _MAX_NAME_CHARACTERS)
    return tuple(islice(dict.fromkeys(short), count))


def _names(facts: Facts, code: ChangeSet) -> Iterator[str]:
    for fact in facts.certain:
        yield from _names_of(fact)
    yield from (rename.old for rename in facts.doubtful_renames)
    yield from (name for name, _ in removed_definitions(code))
    yield from (removed.name for removed in facts.removed_names)
    yield from (name for fact in facts.values for name in fact.names)


def _names_of(fact: Fact) -> Iterator[str]:
    """The old text; of a value also a word of what it belongs to, because numbers stand everywhere."""
    if not isinstance(fact, Value):
        yield fact.old
        return
    for name in fact.names:
        words = words_and_unit(name)[0]
        if fact.is_version:
            yield from (f"{fact.old} {word}" for word in words)
        else:
            telling_words = [word for word in words if word not in LIMIT_WORDS] or words
            yield " ".join([fact.old, *telling_words])


def _fragments(facts: Facts) -> Iterator[str]:
    """Parts of the fragments of headings that the facts may reword."""
    for fact in facts.certain:
        if not isinstance(fact, Value):
            yield from (text for text in fragments_of(fact.old) if len(text) >= _MIN_ADDRESS_CHARACTERS)


def _page_lines(file: ReviewedFile) -> tuple[str, ...]:
    """The lines that say most of the old side of documentation, or of a snippet that articles may show."""
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
    """What addresses of articles may end in: the files of documentation, what these link to, other pages."""
    for file in change_set.documentation:
        yield name_of(file.patch.path).lower()
        yield from linked_names(_added_text(file))
    for file in change_set.code.files:
        for line in file.patch.lines():
            if file.kind != "test" and len(line.text) <= LONG_LINE:
                yield from possible_pages(line.text)


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
