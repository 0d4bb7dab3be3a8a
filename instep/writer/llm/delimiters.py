"""Data of others in a question to a model: labelled, between lines that none can imitate, and cut to size."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from instep.writer.articles.passages import headings
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.words.terms import terms_of

GAP = "[…]"
_LONGEST_LINE = 500


def delimited(parts: Sequence[tuple[str, str]]) -> str:
    """Each text under its label. The mark around it is made of all texts, so none can hold it."""
    mark = hashlib.sha256("\0".join(text for _, text in parts).encode("utf-8", "replace")).hexdigest()[:16]
    return "\n\n".join(
        f"===== BEGIN {label} {mark} =====\n{text}\n===== END {label} {mark} =====" for label, text in parts
    )


def shown_diff(scope: ChangeSet, room: int) -> str:
    """The files that are read, those that users notice first, as far as there is room (in bytes)."""
    lines, used = list[str](), 0
    for line in _diff_lines(scope):
        used += _size(line)
        if used > room:
            return "\n".join([*lines, GAP])
        lines.append(line)
    return "\n".join(lines)


def _diff_lines(scope: ChangeSet) -> Iterator[str]:
    for scoped in scope.files:
        yield f"--- {scoped.patch.old_path}"
        yield f"+++ {scoped.patch.new_path}"
        for hunk in scoped.patch.hunks:
            yield f"@@ {hunk.section}"
            yield from (line.mark + line.text[:_LONGEST_LINE] for line in hunk.lines)


def excerpt(text: str, wanted: Iterable[str], room: int) -> str:
    """The text, or of a long one the sections that hold most of the wanted terms, in their order."""
    if _size(text) <= room:
        return text
    terms = frozenset(wanted)
    starts = sorted({0, *(start for start, _ in headings(text))})
    sections = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    best = sorted(range(len(sections)), key=lambda at: (-len(terms & terms_of(sections[at]).keys()), at))
    kept, used = set[int](), 0
    for at in best:
        size = _size(sections[at]) + _size(f"{GAP}\n")
        if used + size + _size(GAP) <= room:
            kept.add(at)
            used += size
    shown = "".join(
        sections[at] if at - 1 in kept or at == 0 else f"{GAP}\n{sections[at]}" for at in sorted(kept)
    )
    return shown + ("" if len(sections) - 1 in kept else GAP) if kept else _cut(text, room)


def shortened(text: str, room: int) -> str:
    return text if _size(text) <= room else _cut(text, room - _size(GAP)) + GAP


def _cut(text: str, room: int) -> str:
    return text.encode("utf-8", "replace")[: max(0, room)].decode("utf-8", "ignore")


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace")) + 1
