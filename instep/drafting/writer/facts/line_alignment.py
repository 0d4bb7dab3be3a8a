"""Pairs each removed line with the added line that replaces it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from instep.drafting.writer.words.identifiers import TOKEN
from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import FilePatch, Line

_MAX_CELLS = 2_500
_MIN_SIMILARITY = 0.4
# The weight of letters relative to tokens: they decide between lines that share equally many tokens.
_TIE_SHARE = 0.001
_MAX_ARGUMENTS = 8
_MAX_ANNOTATIONS = 8
_COMMENT = re.compile(r"\s*(?:#|//|/?\*)")
# `#[arg(`, `@DefaultValue(`, `[DefaultValue(`.
_ANNOTATION = re.compile(r"\s*(?:#\[|@[A-Za-z]|\[[A-Z])")
_FLAG = re.compile(r"\s*[\"']--[a-z][\w-]+[\"'],\s*")
_SETTING = re.compile(r"""\s*["']?([A-Za-z][\w-]{3,60})["']?\s*[:=]\s*["'\d]""")
# A line of prose in a comment or a long string, and the lower-case start of one that continues a sentence.
_PROSE = re.compile(r"[\s*#/]*(?P<text>[A-Za-z][^<>{}=;|]*)")
_CONTINUATION = re.compile(r"[\s*#/]*[a-z](?![\w.-]*\s*:)[^<>{}=;|]*$")
_MIN_WRAPPED_CHARACTERS, _MIN_WRAPPED_WORDS = 40, 6


@dataclass(frozen=True, slots=True)
class LinePair:
    """Two versions of a line, and the line before the new one, or the flag whose argument it is.

    `annotated` is what the new line annotates: the first line below that is not an annotation itself.
    """

    old: Line
    new: Line
    before: str = ""
    annotated: str = ""


def pairs_of(file: FilePatch) -> Iterator[LinePair]:
    """Line pairs of every block of a file, in order, then moved settings."""
    for hunk in file.hunks:
        texts = [line.text for line in hunk.lines if line.mark != "-"]
        first = next((line.new for line in hunk.lines if line.mark != "-"), 0)
        for removed, added in hunk.blocks():
            is_rewrapped = len(removed) != len(added)
            old_lines, new_lines = (_readable(side, is_rewrapped=is_rewrapped) for side in (removed, added))
            for old, new in _paired(old_lines, new_lines):
                at = new.new - first
                yield LinePair(old, new, _line_before(texts[:at]), _annotated_line(texts[at:]))
    yield from _moved_settings(file)


def _line_before(texts: Sequence[str]) -> str:
    """The last line or, for further arguments of a call, the flag that the call defines."""
    for text in reversed(texts[-_MAX_ARGUMENTS:]):
        if _FLAG.fullmatch(text):
            return text
        if not text.rstrip().endswith(","):
            break
    return texts[-1] if texts else ""


def _annotated_line(texts: Sequence[str]) -> str:
    """The line below annotations and comments, if the first text is an annotation."""
    if not texts or not _ANNOTATION.match(texts[0]):
        return ""
    below = texts[1:_MAX_ANNOTATIONS]
    return next((text for text in below if not (_ANNOTATION.match(text) or _COMMENT.match(text))), "")


def _moved_settings(file: FilePatch) -> Iterator[LinePair]:
    """Settings that were removed in one position of a file and added in another with a different value."""
    removed, added = _settings(file, "-"), _settings(file, "+")
    for key, old in removed.items():
        new = added.get(key)
        if old and new and old.text.strip() != new.text.strip() and not _are_close(old, new):
            yield LinePair(old, new)


def _settings(file: FilePatch, mark: str) -> dict[str, Line | None]:
    """Lines `key = value` by key; None for a key that occurs twice."""
    lines_by_key: dict[str, Line | None] = {}
    for line in file.lines():
        setting = _SETTING.match(line.text) if line.mark == mark and len(line.text) <= LONG_LINE else None
        if setting and ("_" in setting[1] or "-" in setting[1]):
            lines_by_key[setting[1]] = None if setting[1] in lines_by_key else line
    return lines_by_key


def _are_close(old: Line, new: Line) -> bool:
    """True if both lines are in one block, whose lines are already paired."""
    return old.new == new.new or old.old == new.old


def _readable(lines: Sequence[Line], *, is_rewrapped: bool) -> list[Line]:
    """The lines that are not too long, without wrapped prose if it may be wrapped in other places now."""
    continued = {
        index + step
        for index, (line, following) in enumerate(pairwise(lines))
        if is_rewrapped and _continues(line.text, following.text)
        for step in (0, 1)
    }
    return [
        line for index, line in enumerate(lines) if len(line.text) <= LONG_LINE and index not in continued
    ]


def _continues(before: str, text: str) -> bool:
    """True if the second line continues a sentence of prose of the first one."""
    prose = _PROSE.fullmatch(before) if len(before) <= LONG_LINE else None
    return (
        prose is not None
        and len(prose["text"]) >= _MIN_WRAPPED_CHARACTERS
        and len(prose["text"].split()) >= _MIN_WRAPPED_WORDS
        and not prose["text"].rstrip().endswith((".", "!", "?", ":"))
        and _CONTINUATION.match(text) is not None
    )


def _paired(removed: list[Line], added: list[Line]) -> Iterator[tuple[Line, Line]]:
    if not removed or not added:
        return
    if len(removed) == len(added) == 1:
        yield removed[0], added[0]
    elif len(removed) * len(added) <= _MAX_CELLS:
        yield from _aligned(removed, added)
    elif len(removed) == len(added):
        yield from (
            (old, new)
            for old, new in zip(removed, added, strict=True)
            if line_similarity(old.text, new.text) >= _MIN_SIMILARITY
        )


def line_similarity(old: str, new: str) -> float:
    """The share of common tokens, 0 to 1; 0 if the lengths differ too much."""
    return _similarity(Counter(TOKEN.findall(old)), Counter(TOKEN.findall(new)))


def _similarity(old: "Counter[str]", new: "Counter[str]") -> float:
    total = old.total() + new.total()
    if 2 * min(old.total(), new.total()) < _MIN_SIMILARITY * total:
        return 0.0
    shared = sum(min(old[token], new[token]) for token in old.keys() & new.keys())
    return 2 * shared / total if total else 0.0


def _aligned(removed: list[Line], added: list[Line]) -> Iterator[tuple[Line, Line]]:
    """The monotonic pairing with the greatest total similarity, by dynamic programming."""
    olds = [Counter(TOKEN.findall(line.text)) for line in removed]
    news = [Counter(TOKEN.findall(line.text)) for line in added]
    similarities = [
        [
            _similarity(old, new) + _TIE_SHARE * _affix_share(removed[i].text, added[j].text)
            for j, new in enumerate(news)
        ]
        for i, old in enumerate(olds)
    ]
    best = [[0.0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    for i in range(len(olds) - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for j in range(len(news) - 1, -1, -1):
            matched = similarities[i][j] + below[j + 1] if similarities[i][j] >= _MIN_SIMILARITY else 0.0
            row[j] = max(matched, below[j], row[j + 1])
    i = j = 0
    while i < len(olds) and j < len(news):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            yield removed[i], added[j]
            i, j = i + 1, j + 1


def shared_length(left: Sequence[str], right: Sequence[str]) -> int:
    """The number of tokens or characters in the common prefix."""
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    return sum(1 for _ in shared)


def _affix_share(old: str, new: str) -> float:
    """The share of characters in the common prefix and suffix: `Canceled` is nearer to `Cancelled`."""
    shared = shared_length(old, new) + shared_length(old[::-1], new[::-1])
    return min(1.0, shared / max(len(old), len(new), 1))
