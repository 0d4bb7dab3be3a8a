"""Finds the present and past code of an article's subject, so that a language model can compare them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import islice
from math import log
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

from instep.client.ci.git import Git
from instep.client.drift.code_lines import read_code_files
from instep.client.drift.history import PastCommit, PastHunk, diff_of, parts_around
from instep.client.drift.names import NameFinder, spelling_key
from instep.platform.core import limits
from instep.platform.text.file_kinds import LONG_LINE, kind_of_path

# Lines shown before and after one with names of the article.
_AROUND_LINES, _AROUND_PAST_LINES = 10, 4
_MAX_FILES, _MAX_LINES_OF_NAME = 6, 3
# A name in more files says little about the location of an article's subject.
_MAX_FILES_OF_NAME = 40
# They only repeat names.
_WORKFLOWS = (".github/", ".gitlab/", ".circleci/")

Part = TypeVar("Part", bound=Hashable)


class PartNames(NamedTuple):
    """The titles of an article, as files may be named, and the names that the article or a part states."""

    titles: Sequence[str]
    names: Sequence[str]


@dataclass(slots=True)
class SearchedCode:
    """The files of each name and, for each, the indices of its lines with it; the lines of these files."""

    hits: dict[str, dict[str, list[int]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    texts: dict[str, list[str]] = field(default_factory=dict)
    file_count: int = 0


def code_of_articles(
    git: Git,
    head: str,
    sought: Mapping[Part, PartNames],
    limit: int,
    past: Iterable[PastCommit] = (),
    is_read: Callable[[str], bool] = lambda path: True,
) -> dict[Part, str]:
    """The code of a commit for articles or parts of them, as diffs whose changed lines come from `past`.

    `past` are commits of the history, newest first, which removed names that the code no longer has. The
    search ends after `limit` parts whose names either has, or after `MAX_DRIFT_CHARACTERS`. Tests and
    workflows are left out, and so are files of the commit for which `is_read` is false.
    """
    if limit < 1 or not sought:
        return {}
    code = _find_hits(git, head, {name for row in sought.values() for name in row.names}, is_read)
    removals = _removals(past)
    codes, room = dict[Part, str](), limits.MAX_DRIFT_CHARACTERS
    for part, row in sought.items():
        windows = _as_diff(_best_windows(row, code), code.texts)
        diff = "".join((*windows, *_past_changes(row.names, removals)))
        room -= len(diff)
        if room < 0:
            break
        if diff:
            codes[part] = diff
        if len(codes) == limit:
            break
    return codes


def _find_hits(git: Git, head: str, names: Collection[str], is_read: Callable[[str], bool]) -> SearchedCode:
    finder, code = NameFinder(names), SearchedCode()
    for path, content in read_code_files(git, head):
        if path.startswith(_WORKFLOWS) or kind_of_path(path) == "test" or not is_read(path):
            continue
        code.file_count += 1
        lines = content.splitlines()
        for index, line in enumerate(lines):
            for name in finder.find(line) if len(line) <= LONG_LINE else ():
                code.hits[name][path].append(index)
                code.texts[path] = lines
    return code


def _best_windows(sought: PartNames, code: SearchedCode) -> dict[str, set[int]]:
    """The indices of the lines around the article's names in the files that are the most about them."""
    hits = code.hits
    weights = {
        name: log(1 + code.file_count / len(hits[name]))
        for name in sought.names
        if 0 < len(hits.get(name, ())) <= _MAX_FILES_OF_NAME
    }
    scores = _scores(weights, sought.titles, code)
    chosen, room = dict[str, set[int]](), limits.MAX_ARTICLE_CODE_LINES
    for path in nlargest(_MAX_FILES, scores, key=lambda path: (scores[path], path)):
        # The rarest names first, because there may not be room for all.
        for name in sorted(weights, key=lambda name: -weights[name]):
            for index in hits[name].get(path, ())[:_MAX_LINES_OF_NAME]:
                around = set(range(max(0, index - _AROUND_LINES), index + _AROUND_LINES + 1))
                new = around - chosen.get(path, set())
                if len(new) <= room:
                    room -= len(new)
                    chosen.setdefault(path, set()).update(new)
    return chosen


def _scores(weights: Mapping[str, float], titles: Sequence[str], code: SearchedCode) -> dict[str, float]:
    """The sum of the weights of the names in each file.

    A file that is named as the article counts as if it had two more, the rarest possible.
    """
    scores: dict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        for path in code.hits[name]:
            scores[path] += weight
    keys = {spelling_key(title) for title in titles}
    for path in scores:
        if spelling_key(PurePosixPath(path).stem) in keys:
            scores[path] += 2 * log(1 + code.file_count)
    return scores


def _as_diff(windows: Mapping[str, set[int]], texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for path, indices in windows.items():
        yield f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        lines = texts[path]
        for first, last in _runs(sorted(index for index in indices if index < len(lines))):
            yield f"@@ -{first + 1},{last - first + 1} +{first + 1},{last - first + 1} @@\n"
            yield from (f" {line[:LONG_LINE]}\n" for line in lines[first : last + 1])


def _removals(past: Iterable[PastCommit]) -> dict[str, list[PastHunk]]:
    """The hunks that removed each name, those of its newest commit first, with its date and title."""
    removals: dict[str, list[PastHunk]] = defaultdict(list)
    for commit in past:
        for hunk in commit.hunks:
            if not any(kind_of_path(path) == "test" for path in hunk.head):
                titled = replace(hunk, section=f" {commit.date} {commit.title}")
                for name in hunk.names:
                    removals[name].append(titled)
    return removals


def _past_changes(names: Sequence[str], removals: Mapping[str, Sequence[PastHunk]]) -> Iterator[str]:
    """The lines around those that removed the article's names, as a diff, the rarest names first."""
    marked = dict[int, tuple[PastHunk, set[int]]]()
    for name in sorted(names & removals.keys(), key=lambda name: (len(removals[name]), name)):
        finder = NameFinder([name])
        for hunk in removals[name][:_MAX_LINES_OF_NAME]:
            removed = (
                i for i, line in enumerate(hunk.lines) if line[:1] == "-" and any(finder.find(line[1:]))
            )
            marked.setdefault(id(hunk), (hunk, set()))[1].update(islice(removed, 1))
    room = limits.MAX_ARTICLE_PAST_LINES
    for hunk, lines in marked.values():
        for part in parts_around(hunk, sorted(lines), _AROUND_PAST_LINES):
            if len(part.lines) <= room:
                room -= len(part.lines)
                yield diff_of(part)


def _runs(indices: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last index of each run of neighbors."""
    first = last = -2
    for index in indices:
        if index != last + 1:
            if first >= 0:
                yield first, last
            first = index
        last = index
    if first >= 0:
        yield first, last
