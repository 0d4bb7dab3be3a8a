"""Texts of the code that an article repeats nearly word for word: what changes in them changes there, too."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from instep.core.name_matching import mention
from instep.writer.articles.passages import is_in_code_block, is_in_url
from instep.writer.editing.apply import add_edit
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.facts.rewordings import Rewording
from instep.writer.facts.written_names import flags_defined_in
from instep.writer.relevance.selection import DraftCandidate
from instep.writer.words.prose import is_prose, is_safe

_TOKEN = re.compile(r"\S+")
_MARKS = re.compile(r"[`*]")
_POINTS = ".,;:"
_FLAG = re.compile(r"[\"'](--[a-z][\w-]+)[\"']")
_NUMBERED = re.compile(r"\d+[.)]\s")
_ITEM = re.compile(r"\n[ \t]*(?:[-*+#>]|\d+[.)])[ \t]")
# The words of the code's text that have to stand around each change of it, at most and at least.
_CONTEXT_WORDS, _MIN_CONTEXT_WORDS = 3, 3
_MIN_WORDS, _MAX_WORDS = 6, 120
_MIN_SHARED_WORDS = 0.7
_SLACK_WORDS = 6
_MAX_PLACES = 200
_MAX_NAME_CHARACTERS = 80
_MARK_CHARACTERS = 3
_MAX_WORD_CHARACTERS = 200


class _Word(NamedTuple):
    """A word without its marks and capitals, and its span with them."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Change:
    """Words `old[start:end]` of a text that become `new[new_start:new_end]`."""

    start: int
    end: int
    new_start: int
    new_end: int


def add_near_quotes(
    edits: EditsByArticle, rewordings: Sequence[Rewording], candidates: Sequence[DraftCandidate]
) -> None:
    """Edits what sure candidates say in nearly the words of a text that the change rewords."""
    for candidate in candidates:
        text = candidate.article.text
        # The text itself comes before the line of code that holds it.
        for rewording in rewordings[::-1] if candidate.is_concerned else ():
            is_sentence = is_prose(rewording.old) and not _NUMBERED.match(rewording.old)
            if rewording.is_part or not is_sentence or rewording.old in text:
                continue
            for passage_edits in _edits(rewording, text):
                article_edits = edits.get(candidate.article.id, [])
                if not any(_touch(edit, other) for edit in passage_edits for other in article_edits):
                    for edit in passage_edits:
                        add_edit(article_edits, edit)
                    edits[candidate.article.id] = article_edits


def _touch(edit: Edit, other: Edit) -> bool:
    """Whether two edits are at one place, or at both ends of a mark."""
    return edit.start <= other.end + _MARK_CHARACTERS and other.start <= edit.end + _MARK_CHARACTERS


def _edits(rewording: Rewording, text: str) -> Iterator[Sequence[Edit]]:
    """The edits of each passage that has the context of each change, and most other words of the old text."""
    old, new = _words(rewording.old), _words(rewording.new)
    if not _MIN_WORDS <= len(old) <= _MAX_WORDS or len(new) > _MAX_WORDS or "\\" in rewording.new:
        return
    comparison = _Comparison(rewording, old, new)
    if any(change.end == 0 for change in comparison.changes):
        # What comes before the first word would be put into the heading or the sentence above.
        return
    passages = [
        passage
        for start in _starts(comparison, text)
        for passage in [_Passage(_words(text), start, len(old))]
        if not _is_code(passage.window, text) and _names_option(rewording, passage.window, text)
    ]
    most = max((comparison.count_shared(passage) for passage in passages), default=0)
    for passage in passages if most >= _MIN_SHARED_WORDS * len(old) else ():
        spans = list(_spans(comparison, passage))
        # The text of another option may differ in a few words.
        if len(spans) == len(comparison.changes) and comparison.count_shared(passage) == most:
            fact = replace(rewording, is_near=True)
            replacements = (
                _replacement(change, span, comparison, text)
                for change, span in zip(comparison.changes, spans, strict=True)
            )
            passage_edits = [Edit(*replacement, fact) for replacement in replacements]
            if all(_is_whole(edit, text) for edit in passage_edits):
                yield passage_edits


class _Passage:
    """The words of an article around the place where the old text begins, and the index of that place."""

    def __init__(self, words: Sequence[_Word], start: int, length: int) -> None:
        low = max(0, start - _SLACK_WORDS)
        self.window = words[low : start + length + _SLACK_WORDS]
        self.keys = [word.key for word in self.window]
        self.start = start - low


def _names_option(rewording: Rewording, window: Sequence[_Word], text: str) -> bool:
    """Whether a passage names the option whose help the code rewords, if it is that of one."""
    lines = [source.text for source in rewording.sources]
    flags = {flag for line in lines for flag in (*flags_defined_in(line), *_FLAG.findall(line))}
    passage = text[max(0, window[0].start - _MAX_NAME_CHARACTERS) : window[-1].end]
    return not flags or any(mention(flag).search(passage) for flag in flags)


class _Comparison:
    """The words of both texts of a rewording, and what changes between them."""

    def __init__(self, rewording: Rewording, old: Sequence[_Word], new: Sequence[_Word]) -> None:
        self.rewording, self.old, self.new = rewording, old, new
        self.keys = [word.key for word in old]
        matcher = SequenceMatcher(None, self.keys, [word.key for word in new], autojunk=False)
        self.changes = [_Change(*span) for tag, *span in matcher.get_opcodes() if tag != "equal"]

    def old_text(self, index: int) -> str:
        return self.rewording.old[self.old[index].start : self.old[index].end]

    def new_text(self, start: int, end: int) -> str:
        return self.rewording.new[self.new[start].start : self.new[end - 1].end] if end > start else ""

    def pattern(self, change: _Change) -> tuple[list[str], int]:
        """The words around and in a change, and how many of them are before it."""
        first = max(0, change.start - _CONTEXT_WORDS)
        return self.keys[first : change.end + _CONTEXT_WORDS], change.start - first

    def count_shared(self, passage: _Passage) -> int:
        """How many words of the old text a passage has, in their order."""
        matcher = SequenceMatcher(None, self.keys, passage.keys, autojunk=False)
        return sum(block.size for block in matcher.get_matching_blocks())


def _replacement(
    change: _Change, span: Sequence[_Word], comparison: _Comparison, text: str
) -> tuple[int, int, str]:
    """The span of an article that a change replaces, and its new text in the marks of the old one."""
    new = comparison.new_text(change.new_start, change.new_end)
    if change.start == change.end:
        before = comparison.new_text(change.new_start - 1, change.new_start) if change.new_start else ""
        mark = before[-1:] if before[-1:] in _POINTS and text[span[0].end - 1] not in _POINTS else ""
        return span[0].end, span[0].end, f"{mark} {new}"
    if new:
        start, end = _core(text, span[0].start, span[-1].end)
        core = _core(new, 0, len(new))
        return start, end, new[core[0] : core[1]]
    after = _TOKEN.search(text, span[-1].end)
    start, end = span[0].start, after.start() if after else span[-1].end
    is_capital = (
        after is not None
        and change.end < len(comparison.old)
        and comparison.old_text(change.end)[:1].islower()
        and comparison.new_text(change.new_end, change.new_end + 1)[:1].isupper()
    )
    return (start, end + 1, text[end].upper()) if is_capital else (start, end, "")


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the marks around its first and last letter."""
    places = [place for place in range(start, end) if text[place].isalnum() or text[place] == "_"]
    return (places[0], places[-1] + 1) if places else (start, end)


def _is_whole(edit: Edit, text: str) -> bool:
    """Whether an edit brings in no markup, and takes out no half of a pair of marks and no end of a cell."""
    old = text[edit.start : edit.end]
    if "|" in old or "\n\n" in old or _ITEM.search(old):
        return False
    pairs = ((old.count("("), old.count(")")), (old.count("["), old.count("]")))
    has_halves = any(opened != closed for opened, closed in pairs) or any(old.count(m) % 2 for m in '`*"')
    return is_safe(old, edit.new) and not has_halves


def _is_code(window: Sequence[_Word], text: str) -> bool:
    places = (window[0].start, window[-1].start)
    return any(is_in_code_block(text, place) or is_in_url(text, place) for place in places)


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[_Word, ...]:
    words = (
        _Word(_key(_MARKS.sub("", match[0][:_MAX_WORD_CHARACTERS])), match.start(), match.end())
        for match in _TOKEN.finditer(text)
    )
    return tuple(word for word in words if word.key)


def _key(bare: str) -> str:
    """A word without the marks around it, but with the hyphens before a flag; empty without a letter."""
    start, end = _core(bare, 0, len(bare))
    hyphens = len(bare[:start]) - len(bare[:start].rstrip("-"))
    return bare[start - hyphens : end].casefold() if any(map(str.isalnum, bare)) else ""


@lru_cache(maxsize=64)
def _places(text: str) -> Mapping[str, Sequence[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for index, word in enumerate(_words(text)):
        places[word.key].append(index)
    return places


def _starts(comparison: _Comparison, text: str) -> Iterator[int]:
    """Where the old text begins, by each place of the context of its first change."""
    words = _words(text)
    for change in comparison.changes[:1]:
        pattern, before = comparison.pattern(change)
        for place in _places(text).get(pattern[0], ())[:_MAX_PLACES]:
            if [word.key for word in words[place : place + len(pattern)]] == pattern:
                yield place + before - change.start


def _spans(comparison: _Comparison, passage: _Passage) -> Iterator[Sequence[_Word]]:
    """The words of a passage that each change replaces; the one word before an insertion.

    Of several places with the context of a change the nearest to where it is expected is meant.
    """
    drift = passage.start
    for change in comparison.changes:
        pattern, before = comparison.pattern(change)
        size, expected = len(pattern), drift + change.start - before
        places = range(len(passage.keys) - size + 1)
        matches = [place for place in places if passage.keys[place : place + size] == pattern]
        if not matches or size - (change.end - change.start) < _MIN_CONTEXT_WORDS:
            return
        start = min(matches, key=lambda place: abs(place - expected))
        drift, first = drift + start - expected, start + before
        yield passage.window[first : first + change.end - change.start] or passage.window[first - 1 : first]
