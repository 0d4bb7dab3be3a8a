"""The texts with which an index finds the articles to read, if there are more than the writer reads."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile, reviewed_files
from instep.drafting.writer.facts.became import find_became
from instep.drafting.writer.facts.removed_names import find_removed_names
from instep.drafting.writer.shapes import Change
from instep.platform.core.name_matching import is_distinct
from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch_parser import parse_diff

# The heaviest terms for the nearest articles, by the weights of `relevance.ranking`.
_TITLE_WEIGHT, _BODY_WEIGHT, _PATH_WEIGHT = 3.5, 1.3, 2.5
_CONTEXT_WEIGHT, _REMOVED_WEIGHT, _CHANGED_WEIGHT = 4.0, 1.7, 0.5
_MAX_PAGES, _MAX_TEXTS = 3, 10
_MIN_CHARACTERS, _MAX_CHARACTERS = 4, 300


class SubjectPart(NamedTuple):
    """A part of a change, its weight, and its texts, each with the weight of its file."""

    weight: float
    texts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class RetrievalQuery:
    """Texts that find articles: the nearest to the `subject`, and those with one of the literal `texts`.

    These are old names, addresses, which only links may contain, and lines of documentation.
    """

    texts: tuple[str, ...]
    subject: tuple[SubjectPart, ...]


def retrieval_query(change: Change) -> RetrievalQuery:
    change_set = reviewed_files(parse_diff(change.diff), change.locales)
    texts = chain(
        islice(filter(None, map(_longest_line, change_set.documentation)), _MAX_PAGES),
        _names(change, change_set.code),
    )
    short = (text for text in texts if _MIN_CHARACTERS <= len(text) <= _MAX_CHARACTERS)
    return RetrievalQuery(
        tuple(islice(dict.fromkeys(short), _MAX_TEXTS)), tuple(_subject(change, change_set))
    )


def _longest_line(file: ReviewedFile) -> str:
    """The longest line of a page before the change."""
    return max((line.text.strip() for line in file.patch.lines() if line.mark != "+"), key=len, default="")


def _names(change: Change, code: ChangeSet) -> Iterator[str]:
    """The old names, labels and addresses of a change, then the names of its changed values."""
    pairs = find_became(change, code)
    for pair in pairs:
        if pair.kind == "label" or (pair.kind == "name" and (is_distinct(pair.old) or "/" in pair.old)):
            yield pair.old
    yield from (row.name for row in find_removed_names(code) if "/" in row.name)
    yield from (name for pair in pairs for name in pair.names[:1] if is_distinct(name))


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
