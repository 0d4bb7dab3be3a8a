"""Names that one line of code takes apart, passes or exports together: `{ duration, limit, position }`."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from instep.text.file_kinds import LONG_LINE
from instep.text.patch import Hunk
from instep.writer.diffs.change_set import ReviewedFile

_LIST = re.compile(r"\{\s*((?:[A-Za-z_]\w*\??\s*,\s*){2,30}[A-Za-z_]\w*\??)\s*,?\s*\}")
_NAME = re.compile(r"[A-Za-z_]\w*")
_MAX_LISTS = 200


class ListedNames(NamedTuple):
    """The names of a changed list in their order, and those of them that were there before."""

    names: tuple[str, ...]
    old_names: frozenset[str]


def changed_lists(files: Iterable[ReviewedFile]) -> list[ListedNames]:
    """The lists in braces that a change extends."""
    lists = (listed for file in files for hunk in file.patch.hunks for listed in _in_hunk(hunk))
    return [listed for listed, _ in zip(lists, range(_MAX_LISTS), strict=False)]


def _in_hunk(hunk: Hunk) -> Iterator[ListedNames]:
    for removed, added in hunk.blocks():
        old_words = {name for line in removed for name in _NAME.findall(line.text[:LONG_LINE])}
        for line in added if old_words else ():
            for match in _LIST.finditer(line.text[:LONG_LINE]):
                names = tuple(dict.fromkeys(_NAME.findall(match[1])))
                old_names = old_words.intersection(names)
                if 1 < len(old_names) < len(names):
                    yield ListedNames(names, frozenset(old_names))
