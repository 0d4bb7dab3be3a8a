"""Reworded sentences, examples and messages of the code, which an article may quote in full."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from instep.text.file_kinds import WEIGHTS
from instep.text.patch import FilePatch
from instep.writer.facts.changed_texts import ChangedText, OccurrenceCounts, SourceLine

_WORD = re.compile(r"\w{2,}")
_IMPORT = re.compile(r"\W*(import|from|export|use|using|require|#include|package)\b")
_GAP = re.compile(r"(\s+)")
_STATEMENT = re.compile(r"\w\.\w+[^.]*,|[;{]$|\w\(.*\)$|\s:?=\s")
# A line of a catalogue: `"upload.tooBig": "The file is too big.",`, `too_big: The file is too big.`
_ENTRY = re.compile(
    r"""\s*(?P<quote>["']?)(?P<key>[\w.-]+)(?P=quote)\s*(?:=>|[:=])\s*(?P<mark>["'`]?)(?P<text>.+)"""
)
# What tells a message from others in its line: `"rate_limited"`.
_CODE = re.compile(r"""["'`][\w.:-]{2,}["'`]""")
_DIGITS = re.compile(r"\d[\d.,]*(?<![.,])|\d")
# A word that says what a message is about, and not how much or when.
_TELLING = re.compile(
    r"\b(?!(?:about|after|again|allow|before|bytes|characters|could|every|first|least|minutes?|months?|other|seconds?"
    r"|should|their|there|these|those|times|until|weeks?|where|which|while|within|would|years?|hours?)\b)[A-Za-z]{5,}",
    re.IGNORECASE,
)
_WINDOW_WORDS = (5, 4)
_MAX_NUMBERS = 3
_PUNCTUATION = ".,;:!?()\"'*_ "
_MIN_WORDS = 4
_MIN_SHARED_WORDS = 0.6
_MIN_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Rewording:
    old: str
    new: str
    sources: tuple[SourceLine, ...]
    # Whether it is a part of a message around a number: another sentence may say it of something else.
    is_part: bool = False
    # Whether an article says it in nearly the same words.
    is_near: bool = False


def find_rewordings(texts: Sequence[ChangedText], files: Sequence[FilePatch]) -> list[Rewording]:
    """Reworded lines and literals, longest first, so that a line wins over the literal in it."""
    groups: dict[tuple[str, str], list[SourceLine]] = defaultdict(list)
    for text in texts:
        if text.level in {"literal", "caption", "line"} and _is_quotable(text):
            groups[text.old, text.new].append(text.source)
            if "`" in text.old:
                # A help text marks the name of a value by backticks, which its output leaves out.
                groups[text.old.replace("`", ""), text.new.replace("`", "")].append(text.source)
            if text.old.endswith(".") and text.new.endswith("."):
                # A sentence of an article may go on where the message ends.
                groups[text.old[:-1], text.new[:-1]].append(text.source)
    new_texts: dict[str, set[str]] = defaultdict(set)
    for old, new in groups:
        new_texts[old].add(new)
    occurrences = OccurrenceCounts((old for old, new in groups if not _shares_most_words(old, new)), files)
    rewordings = [
        Rewording(old, new, tuple(sources))
        for (old, new), sources in groups.items()
        if len(new_texts[old]) == 1
        and (len(sources) > 1 or not _is_lone_code(old, sources[0]))
        and not occurrences.added[old] + occurrences.unchanged[old]
    ]
    rewordings += _parts(groups)
    return sorted(rewordings, key=lambda rewording: -len(rewording.old))


def _parts(groups: Mapping[tuple[str, str], Sequence[SourceLine]]) -> Iterator[Rewording]:
    """What articles may repeat of messages in which only numbers change: "meetings end after 40 minutes"."""
    sources_by_part: dict[tuple[str, str], list[SourceLine]] = defaultdict(list)
    for (old, new), sources in groups.items():
        for part in dict.fromkeys(_windows(old.split(), new.split())):
            sources_by_part[part] += sources
    new_parts: dict[str, set[str]] = defaultdict(set)
    for old, new in sources_by_part:
        new_parts[old].add(new)
    for (old, new), sources in sources_by_part.items():
        if len(new_parts[old]) == 1:
            yield Rewording(old, new, tuple(dict.fromkeys(sources)), is_part=True)


def _windows(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The few words around each number that alone differs."""
    differing = [place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]]
    are_numbers = all(_is_same_but_for_number(old[place], new[place]) for place in differing)
    if len(old) != len(new) or not are_numbers or len(differing) > _MAX_NUMBERS:
        return
    for place in differing:
        for size in _WINDOW_WORDS:
            for start in range(max(0, place - size + 1), min(place, len(old) - size) + 1):
                before, after = (" ".join(words[start : start + size]) for words in (old, new))
                if _TELLING.search(before):
                    yield before.strip(_PUNCTUATION), after.strip(_PUNCTUATION)


def _is_same_but_for_number(old: str, new: str) -> bool:
    return bool(_DIGITS.search(old)) and _DIGITS.sub("0", old) == _DIGITS.sub("0", new)


def _is_lone_code(text: str, source: SourceLine) -> bool:
    """Whether a text is one whole line of code, which another program may have with another meaning."""
    line = source.text.strip()
    return source.weight <= WEIGHTS["code"] and bool(_STATEMENT.search(text)) and line[:1].isalpha()


def wrapped_like(text: str, new: str) -> str:
    """The new text with the line breaks of the old one in the article."""
    if "\n" not in text or not new.strip():
        return new
    parts, words = _GAP.split(text), new.split()
    old, between, gaps = parts[::2], [*parts[1::2], " "], dict[int, str]()
    for _, a, b, c, d in SequenceMatcher(None, old, words, autojunk=False).get_opcodes():
        gaps.update(zip(range(d - 1, c - 1, -1), reversed(between[a:b]), strict=False))
    return "".join(word + gaps.get(at, " ") for at, word in enumerate(words[:-1])) + words[-1]


def _is_quotable(text: ChangedText) -> bool:
    return (
        text.source.weight >= _MIN_WEIGHT
        and " " in text.old
        and len(set(_WORD.findall(text.old))) >= _MIN_WORDS
        and not _IMPORT.match(text.old)
        and _says_something_else(text.old, text.new)
        and (_shares_most_words(text.old, text.new) or _is_message(text))
    )


def _is_message(text: ChangedText) -> bool:
    """Whether all that changed of a line is its text, whose key in a catalogue or code is the same."""
    if text.level == "line" or text.source.weight < WEIGHTS["code"]:
        return False
    rest = text.old_line.replace(text.old, "")
    if _CODE.search(rest) and rest == text.source.text.replace(text.new, ""):
        return True
    before, after = _entry(text.old_line), _entry(text.source.text)
    return before is not None and after is not None and before[0] == after[0] and before[1] == text.old


def _entry(line: str) -> tuple[str, str] | None:
    """The key and the text of a line of a catalogue."""
    entry = _ENTRY.fullmatch(line.rstrip(" \t,;"))
    return (entry["key"], entry["text"].removesuffix(entry["mark"]).rstrip()) if entry else None


def _says_something_else(old: str, new: str) -> bool:
    """A text that only grows, gets shorter or changes its case remains as true as before."""
    return old not in new and new.rstrip(".") not in old and old.casefold() != new.casefold()


def _shares_most_words(old: str, new: str) -> bool:
    before, after = Counter(_WORD.findall(old)), Counter(_WORD.findall(new))
    shared = (before & after).total()
    return 2 * shared >= _MIN_SHARED_WORDS * (before.total() + after.total())
