"""The places that the writer has edited for certain, and whether a model leaves them as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from patiencediff import PatienceSequenceMatcher

from instep.text.diff import lines_of
from instep.writer.llm.grounding import facts_of
from instep.writer.words.identifiers import TOKEN

_MOST_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class CertainEdit:
    """A span of the edited text, and what stood there before."""

    start: int
    end: int
    old: str


def certain_edits(before: str, after: str) -> tuple[CertainEdit, ...]:
    """Where `after` differs from `before`, word by word."""
    old, new = lines_of(before), lines_of(after)
    found, ends = list[CertainEdit](), _ends(new)
    for tag, i1, i2, j1, j2 in PatienceSequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            found += _within("".join(old[i1:i2]), "".join(new[j1:j2]), ends[j1])
    return tuple(_without_blanks(place, after) for place in found)


def _without_blanks(place: CertainEdit, text: str) -> CertainEdit:
    new = text[place.start : place.end]
    start = place.start + len(new) - len(new.lstrip())
    return CertainEdit(start, max(start, place.start + len(new.rstrip())), place.old)


def _ends(lines: Sequence[str]) -> list[int]:
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line))
    return ends


def _within(old: str, new: str, offset: int) -> list[CertainEdit]:
    before, after = _tokens(old), _tokens(new)
    if len(before) + len(after) > _MOST_TOKENS:
        return [CertainEdit(offset, offset + len(new), old)]
    ends = _ends(after)
    return [
        CertainEdit(offset + ends[j1], offset + ends[j2], "".join(before[i1:i2]))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _tokens(text: str) -> list[str]:
    """Words and signs, and the blanks between them."""
    found, at = list[str](), 0
    for match in TOKEN.finditer(text):
        found += [text[at : match.start()]] * (match.start() > at) + [match[0]]
        at = match.end()
    return [*found, text[at:]] if at < len(text) else found


def reverts(kept: Sequence[CertainEdit], text: str, start: int, end: int, replace: str) -> bool:
    """Whether a replacement of a span takes back one of the places, or cuts one in two."""
    search = text[start:end]
    for place in kept:
        if place.end <= start or place.start >= end:
            continue
        new = text[place.start : place.end]
        if place.start < start or place.end > end:
            return True
        if place.old.strip():
            if new and replace.count(new) < search.count(new):
                return True
        elif not all(fact in replace for fact in facts_of(new, is_code=False)):
            # What was only added may be put in better words, with all the names and values in it.
            return True
        if place.old.strip() and replace.count(place.old) > search.count(place.old):
            return True
    return False
