"""Names and addresses that a change replaces on many lines alike, whichever file defines them.

No code defines an address, the name of a package or a module, or a variable of the examples. A change that
writes another in its place everywhere proves the same as a new definition.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.drift.past_changes import CodeToday
from instep.drafting.writer.drift.past_definitions import product_code
from instep.drafting.writer.drift.stated_addresses import ADDRESS_ENDS, SCHEME
from instep.drafting.writer.facts.became import Became, family_of
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.facts.line_alignment import pairs_of
from instep.drafting.writer.words.identifiers import parts_of
from instep.platform.core.name_matching import is_distinct

# A piece of text between white space, quotes and brackets: a name, a path, an address.
_CHUNK = re.compile(r"[\w@][\w@./:~%+#?=&-]*")
_WORD = re.compile(r"\w+")
_VERSION = re.compile(r"(?<!\d)\d+(?:\.\d+)+")
# All repositories of an owner on a code host.
_OWNER = re.compile(r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/[^/]+")
_FIRST = re.compile(r"\w+")
_JOINT = re.compile(r"[.:=]+")
_MAX_DIFFERENCES = 3
_MIN_LINES, _MIN_FILES, _MIN_ADDRESS_LINES = 3, 2, 2
# The lines of a change in which another text replaces the same one, for each line that agrees.
_MAX_RIVALS = 0.1
_SURE: Mapping[str, float] = {
    **dict.fromkeys(("left", "unexplained", "rivals", "shared target", "existing", "new is a word"), 0.0),
    **dict.fromkeys(("clean", "clean name", "many", "described", "exact", "distinct"), 1.0),
    **dict.fromkeys(("lines", "family", "files"), 2.0),
}


@dataclass(frozen=True, slots=True)
class _Swap:
    """A replaced text; `is_part` is true for a part of a longer address, all of which may have moved."""

    old: str
    new: str
    kind: Literal["address", "name"]
    is_part: bool = False


def find_swaps(code: ChangeSet, today: CodeToday) -> Iterator[Became]:
    """The texts of articles that the current code lacks, and that the change replaces alike on all lines."""
    product = {file.patch.path for file in product_code(code).files}
    sources: dict[_Swap, list[SourceLine]] = defaultdict(list)
    for file in code.files:
        for pair in pairs_of(file.patch):
            source = SourceLine(file.patch.path, pair.new.new, pair.new.text, 1.0)
            for swap in set(_swaps_of(pair.old.text, pair.new.text)):
                if swap.old in today.gone_names and not _is_choice(swap, today):
                    sources[swap].append(source)
    lines, families = Counter[str](), defaultdict[tuple[str, str], set[SourceLine]](set)
    for swap, rows in sources.items():
        lines[swap.old] += len(rows)
        families[family_of(swap.old, swap.new)].update(rows)
    for swap, rows in sources.items():
        is_enough = _is_enough(swap, families[family_of(swap.old, swap.new)])
        is_of_product = swap.kind != "name" or any(row.file in product for row in rows)
        if is_enough and is_of_product and lines[swap.old] - len(rows) <= _MAX_RIVALS * len(rows):
            yield Became("name", swap.old, swap.new, tuple(rows), _SURE)


def _is_enough(swap: _Swap, rows: Collection[SourceLine]) -> bool:
    if swap.kind == "address":
        is_alike = "/" in swap.old and not swap.is_part and _is_similar(swap)
        return not _OWNER.fullmatch(swap.old) and len(rows) >= (1 if is_alike else _MIN_ADDRESS_LINES)
    files = {row.file for row in rows}
    return is_distinct(swap.old) and len(rows) >= _MIN_LINES and len(files) >= _MIN_FILES


def _is_similar(swap: _Swap) -> bool:
    """True if both addresses share the host and half of the words after it, as only a moved page does."""
    (host, *before), (other_host, *after) = swap.old.split("/"), swap.new.split("/")
    words, others = (set(_WORD.findall(" ".join(segments))) for segments in (before, after))
    return host == other_host and 2 * len(words & others) >= len(words)


def _swaps_of(old: str, new: str) -> Iterator[_Swap]:
    """The replaced texts of a line whose two versions differ in a few chunks only."""
    if _CHUNK.sub("\0", old) != _CHUNK.sub("\0", new):
        return
    pairs = zip(_CHUNK.findall(old), _CHUNK.findall(new), strict=True)
    differing = [
        (before.rstrip(ADDRESS_ENDS), after.rstrip(ADDRESS_ENDS))
        for before, after in pairs
        if before != after
    ]
    if len(differing) <= _MAX_DIFFERENCES:
        for before, after in differing:
            yield from _narrowed(before, after)


def _is_choice(swap: _Swap, today: CodeToday) -> bool:
    """True if the code only uses another version, place or module, or a name without its prefix."""
    if _VERSION.sub("0", swap.old) == _VERSION.sub("0", swap.new):
        return True
    if swap.kind == "address":
        return swap.old.partition("#")[0] == swap.new.partition("#")[0]
    first, successor = (_FIRST.match(name) for name in (swap.old, swap.new))
    is_path = first is not None and first[0] != swap.old
    is_foreign = (
        is_path and first and not (successor and successor[0] == first[0]) and not today.lacks(first[0])
    )
    words = parts_of(swap.new)
    return bool(is_foreign) or parts_of(swap.old)[-len(words) :] == words


def _narrowed(old: str, new: str) -> Iterator[_Swap]:
    """The parts of a chunk that other lines may share: a path up to its last change and beyond, or a name."""
    is_url = bool(SCHEME.match(old) and SCHEME.match(new))
    before, after = (SCHEME.sub("", text, count=1).lstrip("@").split("/") for text in (old, new))
    if before == after:
        return
    is_part = False
    while is_url or len(before) > 1:
        yield _Swap("/".join(before), "/".join(after), "address" if is_url else "name", is_part)
        is_part = len(before) != len(after)
        if len(before) == 1 or len(after) == 1 or before[-1] != after[-1]:
            return
        before, after = before[:-1], after[:-1]
    olds, news = _JOINT.split(before[0]), _JOINT.split("/".join(after))
    changed = [pair for pair in zip(olds, news, strict=False) if pair[0] != pair[1]]
    if len(olds) == len(news) and len(changed) == 1 and len(olds) > 1:
        yield _Swap(*changed[0], "name")
    yield _Swap(before[0], "/".join(after), "name")
