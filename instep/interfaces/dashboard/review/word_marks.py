"""Marks changed words in rendered HTML with `<ins>` and `<del>` that never cross a tag."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from patiencediff import PatienceSequenceMatcher

# The cleaner's output is well-formed: attributes are quoted, and every other `<` is escaped. A number keeps
# its decimal point, and scripts without spaces are compared by character.
PART = re.compile(
    r'(<[^<>"]*(?:"[^"]*"[^<>"]*)*>)'
    r"|&#?\w+;|\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+(?:[.,:'\u2019_-]\w+)*|."
)
TAG_NAME = re.compile(r"</?([a-z0-9]+)")
# A change of these changes how a word is read; other tags only give its position.
INLINE = frozenset(("a", "code", "del", "em", "kbd", "strong", "sub", "sup"))
# Elements that are compared like a word.
ATOMS = frozenset(("br", "hr", "img", "input"))


class Word(NamedTuple):
    """A word, a space or an image; two are equal if they read the same in the same style."""

    text: str
    style: tuple[str, ...]


class WordChange(NamedTuple):
    """A run of words of the old text and its replacement in the new one; the ends are excluded."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class MarkedHtml:
    """The HTML with its marks, whether there are any, and whether parts without marks are folded."""

    html: str
    has_marks: bool
    has_fold: bool = False


class Stream:
    """Rendered HTML as words, with the tags before each."""

    def __init__(self, html: str) -> None:
        self.words: list[Word] = []
        # tags[n] is before word n; the last one is at the end.
        self.tags: list[str] = [""]
        styles: list[str] = []
        is_between_blocks = True
        for part in PART.finditer(html):
            if part[1] is not None and tag_name(part[1]) not in ATOMS:
                self.tags[-1] += part[1]
                follow_style(styles, part[1])
                is_between_blocks = tag_name(part[1]) not in INLINE
            elif is_between_blocks and part[0].isspace():
                self.tags[-1] += part[0]
            else:
                self.words.append(Word(part[0], tuple(styles)))
                self.tags.append("")
                is_between_blocks = False


def tag_name(tag: str) -> str:
    match = TAG_NAME.match(tag)
    return match[1] if match else ""


def follow_style(styles: list[str], tag: str) -> None:
    if tag_name(tag) not in INLINE:
        return
    if not tag.startswith("</"):
        styles.append(tag)
    elif styles:
        styles.pop()


def mark_words(before: str, after: str) -> MarkedHtml:
    """`after` with its new words in `<ins>`, and the words that only `before` has in `<del>`."""
    old, new = Stream(before), Stream(after)
    if not new.words:
        removed = removal(old.words, ())
        return MarkedHtml(removed + after, bool(removed))
    texts = [word.text for word in new.words]
    changes = changes_between(old.words, new.words)
    for first, last, start, end in changes:
        for run_start, run_end in runs_between_tags(new.tags, start, end):
            texts[run_start] = f"<ins>{texts[run_start]}"
            texts[run_end - 1] += "</ins>"
        # Removed words come before the added ones in the same element, or else after the unchanged ones.
        place = start if start < end or start == 0 else start - 1
        removed = removal(old.words[first:last], new.words[place].style)
        texts[place] = removed + texts[place] if place == start else texts[place] + removed
    tagged = (tags + text for tags, text in zip(new.tags, texts, strict=False))
    return MarkedHtml("".join([*tagged, new.tags[-1]]), bool(changes))


def mark_all(html: str, tag: str) -> str:
    """The HTML with all its words in `<ins>` or `<del>`."""
    stream = Stream(html)
    parts: list[str] = []
    for number, word in enumerate(stream.words):
        parts += [stream.tags[number], word.text if word.text.isspace() else f"<{tag}>{word.text}</{tag}>"]
    joined = "".join([*parts, stream.tags[-1]])
    return re.sub(rf"</{tag}>(\s*)<{tag}>", r"\1", joined)


def runs_between_tags(tags: list[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of words from `start` to `end` that no tag divides."""
    cuts = [number for number in range(start + 1, end) if tags[number]]
    bounds = [start, *cuts, end]
    return ((first, last) for first, last in pairwise(bounds) if first < last)


def removal(words: list[Word], style: tuple[str, ...]) -> str:
    """Removed words for a position in this style; code stays code, and spaces alone are dropped."""
    text = "".join(word.text if style == word.style else in_code(word) for word in words)
    return f"<del>{text.replace('</code><code>', '')}</del>" if text.strip() else ""


def in_code(word: Word) -> str:
    is_code = any(tag_name(tag) == "code" for tag in word.style)
    return f"<code>{word.text}</code>" if is_code else word.text


def changes_between(old: list[Word], new: list[Word]) -> list[WordChange]:
    """The changes from one text to the other; a space between two changes belongs to them."""
    changes: list[WordChange] = []
    codes = PatienceSequenceMatcher(None, old, new).get_opcodes()
    for number, (kind, first, last, start, end) in enumerate(codes):
        is_blank = all(word.text.isspace() for word in new[start:end])
        if kind == "equal" and not (is_blank and 0 < number < len(codes) - 1):
            continue
        if changes and changes[-1].old_end == first and changes[-1].new_end == start:
            changes[-1] = WordChange(changes[-1].old_start, last, changes[-1].new_start, end)
        else:
            changes.append(WordChange(first, last, start, end))
    return changes
