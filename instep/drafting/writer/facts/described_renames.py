"""Renames that a change's title or description announces, if its lines confirm them."""

import re
from collections.abc import Iterator, Mapping

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.drafting.writer.facts.changed_texts import OccurrenceCounts, SourceLine
from instep.drafting.writer.shapes import Change
from instep.platform.core.name_matching import is_distinct, mention
from instep.platform.text.file_kinds import LONG_LINE
from instep.platform.text.patch import Line

_QUOTED = r"[\"'`“\u2018]([^\"'`“”\u2019\n]{2,60})[\"'`”\u2019]"
_BARE = r"(?<![@/\w?&.:=-])([@/\w?&.:=-]*\w(?: [A-Z][\w-]*){0,5})"
_SIDE = rf"(?:{_QUOTED}|{_BARE})"
_ARROW = r"\s*(?:->|=>|→|➜|\bbecomes?\b)\s*"
_VERB = r"\b(?i:renam|replac|chang|switch|mov|migrat)\w*\b[^.\n]{0,80}?(?<![\w/-])"
_TO = r"\s+(?:to|with|by|into|as|in favou?r of)\s+"
_RENAMES = (
    re.compile(rf"{_SIDE}{_ARROW}{_SIDE}"),
    re.compile(rf"{_VERB}(?:{_QUOTED}(?:\s+[a-z]+)?|{_BARE}){_TO}{_SIDE}"),
)
_MAX_DESCRIPTION_CHARACTERS = 4_000
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_NUMBER = re.compile(r"[\d.]+")


def find_described_renames(
    change: Change, change_set: ChangeSet
) -> Mapping[tuple[str, str], tuple[SourceLine, ...]]:
    """Pairs in the title or description that the diff replaces almost everywhere, with these lines."""
    pairs = list(dict.fromkeys(_pairs(change)))
    occurrences = OccurrenceCounts((old for old, _ in pairs), [file.patch for file in change_set.files])
    renames: dict[tuple[str, str], tuple[SourceLine, ...]] = {}
    for old, new in pairs:
        remaining = max(occurrences.added[old], occurrences.unchanged[old])
        sources = _replaced_lines(old, new, change_set) if occurrences.removed[old] > 2 * remaining else ()
        fields = _fields_of(old, new)
        if fields and not sources:
            sources = renames[fields] = _replaced_lines(*fields, change_set)
        if len(sources) >= (1 if " " in old or is_distinct(old) else 2):
            renames[old, new] = sources
    return {pair: sources for pair, sources in renames.items() if sources}


def is_described(change: Change, old: str, new: str) -> bool:
    """True if the title or description says that `old` becomes `new`, whatever words these are."""
    text = _text_of(change)
    if old not in text or new not in text:
        return False
    sides = [rf"[\"'`“\u2018]?{re.escape(side)}[\"'`”\u2019]?" for side in (old, new)]
    return any(
        re.search(f"{before}{to.join(sides)}(?!\\w)", text) for before, to in (("", _ARROW), (_VERB, _TO))
    )


def _text_of(change: Change) -> str:
    return f"{change.title}\n{change.body or ''}"[:_MAX_DESCRIPTION_CHARACTERS]


def _pairs(change: Change) -> Iterator[tuple[str, str]]:
    text = _text_of(change)
    for pattern in _RENAMES:
        for match in pattern.finditer(text):
            old, new = match[1] or match[2], match[3] or match[4]
            if old != new and len(old) >= 4 and len(new) >= 3 and not _NUMBER.fullmatch(old):
                yield old, new


def _replaced_lines(old: str, new: str, change_set: ChangeSet) -> tuple[SourceLine, ...]:
    """Added lines that are removed lines with `old` replaced by `new`."""
    pattern, sources = mention(old), list[SourceLine]()
    for file in change_set.files:
        lines = _changed_lines(file)
        expected = {
            pattern.sub(lambda _: new, line.text) for line in lines if line.mark == "-" and old in line.text
        }
        sources += [
            SourceLine(file.patch.path, line.new, line.text, file.weight)
            for line in lines
            if line.mark == "+" and new in line.text and line.text in expected
        ]
    return tuple(sources)


def _fields_of(old: str, new: str) -> tuple[str, str] | None:
    """The fields of two variables with one prefix: `page_size` for `ACME_PAGE_SIZE`."""
    if not (_VARIABLE.fullmatch(old) and _VARIABLE.fullmatch(new)):
        return None
    parts = old.split("_"), new.split("_")
    shared = next((at for at, sides in enumerate(zip(*parts, strict=False)) if len(set(sides)) > 1), 0)
    old_field, new_field = ("_".join(side[shared:]).lower() for side in parts)
    return (old_field, new_field) if shared and old_field and new_field else None


def _changed_lines(file: ReviewedFile) -> list[Line]:
    return [line for line in file.patch.lines() if line.mark != " " and len(line.text) <= LONG_LINE]
