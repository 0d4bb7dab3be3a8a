"""Finds the code that bears on an article, for a language model that compares them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from math import log

from instep.client.ci.git import Git
from instep.client.drift.code_lines import read_code_files
from instep.client.drift.names import NameFinder
from instep.platform.core import limits
from instep.platform.text.file_kinds import LONG_LINE, kind_of_path

# Lines shown before and after one with names of the article.
_AROUND_LINES = 10
_MAX_FILES, _MAX_LINES_OF_NAME = 6, 3
# A name in more files says little about where an article's subject is.
_MAX_FILES_OF_NAME = 40


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
    names: Mapping[str, Sequence[str]],
    limit: int,
    is_read: Callable[[str], bool] = lambda path: True,
) -> dict[str, str]:
    """The code of a commit for articles, by their ids, as diffs in which no line has changed.

    `names` are those that the articles state, by article. The search ends after `limit` articles whose names
    the code has, or after `MAX_DRIFT_CHARACTERS`. Files for which `is_read` is false are left out, and tests.
    """
    if limit < 1 or not names:
        return {}
    code = _find_hits(git, head, {name for row in names.values() for name in row}, is_read)
    codes, room = dict[str, str](), limits.MAX_DRIFT_CHARACTERS
    for article_id, row in names.items():
        diff = "".join(_as_diff(_best_windows(row, code), code.texts))
        room -= len(diff)
        if room < 0:
            break
        if diff:
            codes[article_id] = diff
        if len(codes) == limit:
            break
    return codes


def _find_hits(git: Git, head: str, names: Collection[str], is_read: Callable[[str], bool]) -> SearchedCode:
    finder, code = NameFinder(names), SearchedCode()
    for path, content in read_code_files(git, head):
        if kind_of_path(path) == "test" or not is_read(path):
            continue
        code.file_count += 1
        lines = content.splitlines()
        for index, line in enumerate(lines):
            for name in finder.find(line) if len(line) <= LONG_LINE else ():
                code.hits[name][path].append(index)
                code.texts[path] = lines
    return code


def _best_windows(names: Sequence[str], code: SearchedCode) -> dict[str, set[int]]:
    """The indices of the lines around the article's names in the files with most of the rare ones."""
    hits = code.hits
    weights = {
        name: log(1 + code.file_count / len(hits[name]))
        for name in names
        if 0 < len(hits.get(name, ())) <= _MAX_FILES_OF_NAME
    }
    scores: dict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        for path in hits[name]:
            scores[path] += weight
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


def _as_diff(windows: Mapping[str, set[int]], texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for path, indices in windows.items():
        yield f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
        lines = texts[path]
        for first, last in _runs(sorted(index for index in indices if index < len(lines))):
            yield f"@@ -{first + 1},{last - first + 1} +{first + 1},{last - first + 1} @@\n"
            yield from (f" {line[:LONG_LINE]}\n" for line in lines[first : last + 1])


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
