"""The spans that the writer has edited for certain, and whether a model leaves them as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from patiencediff import PatienceSequenceMatcher

from instep.llm.facts import stated_facts
from instep.text.diff import split_lines
from instep.writer.words.identifiers import TOKEN

# The word diff of a hunk takes quadratic time; a larger hunk counts as one edit.
_MAX_HUNK_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class CertainEdit:
    """A span of the edited text, and the text that it has replaced."""

    start: int
    end: int
    old: str


def certain_edits(before: str, after: str) -> tuple[CertainEdit, ...]:
    """The spans in which `after` differs from `before`, word by word."""
    old, new = split_lines(before), split_lines(after)
    edits, offsets = list[CertainEdit](), _offsets(new)
    for tag, i1, i2, j1, j2 in PatienceSequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            edits += _word_edits("".join(old[i1:i2]), "".join(new[j1:j2]), offsets[j1])
    return tuple(_stripped(edit, after) for edit in edits)


def _stripped(edit: CertainEdit, text: str) -> CertainEdit:
    new = text[edit.start : edit.end]
    start = edit.start + len(new) - len(new.lstrip())
    return CertainEdit(start, max(start, edit.start + len(new.rstrip())), edit.old)


def _offsets(parts: Sequence[str]) -> list[int]:
    """Where each part begins in the joined text, and where the last one ends."""
    offsets = [0]
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    return offsets


def _word_edits(old: str, new: str, start: int) -> list[CertainEdit]:
    before, after = _tokens(old), _tokens(new)
    if len(before) + len(after) > _MAX_HUNK_TOKENS:
        return [CertainEdit(start, start + len(new), old)]
    offsets = _offsets(after)
    return [
        CertainEdit(start + offsets[j1], start + offsets[j2], "".join(before[i1:i2]))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _tokens(text: str) -> list[str]:
    """Words, punctuation, and the white space between them."""
    tokens, end = list[str](), 0
    for match in TOKEN.finditer(text):
        tokens += [text[end : match.start()]] * (match.start() > end) + [match[0]]
        end = match.end()
    return [*tokens, text[end:]] if end < len(text) else tokens


def reverts(certain: Sequence[CertainEdit], text: str, start: int, end: int, replacement: str) -> bool:
    """Whether replacing a span of the text takes back a certain edit, or cuts one in two."""
    return any(
        _is_reverted(edit, text, start, end, replacement)
        for edit in certain
        if edit.end > start and edit.start < end
    )


def _is_reverted(edit: CertainEdit, text: str, start: int, end: int, replacement: str) -> bool:
    if edit.start < start or edit.end > end:
        return True
    new, search = text[edit.start : edit.end], text[start:end]
    if not edit.old.strip():
        # An addition may be reworded if all of its names and values stay.
        return not all(fact in replacement for fact in stated_facts(new, is_code=False))
    if new and replacement.count(new) < search.count(new):
        return True
    return replacement.count(edit.old) > search.count(edit.old)
