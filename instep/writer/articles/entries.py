"""What an article lists side by side: rows, items, terms, sections, by the names they open with."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from instep.writer.articles.headings import TextLine, headings_of, is_underline, lines_of
from instep.writer.words.identifiers import key_of, label_of

ListKind = Literal["row", "item", "term", "section"]

_ITEM = re.compile(r"(\s*)([-*+]|\d+[.)]|<li>)\s*(?=\S)")
_MEANING = re.compile(r"(\s*):\s+\S")
_RULE = re.compile(r"(?=[\s:|-]*?-{3})[\s:|-]*+$")


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One of several alike; `label` is its name as it is spelled here, from `start` to `end` of the text."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryList:
    kind: ListKind
    entries: tuple[ListEntry, ...]

    def entry_of(self, name: str) -> ListEntry | None:
        wanted = key_of(name)
        return next((entry for entry in self.entries if key_of(entry.label) == wanted), None)


@lru_cache(maxsize=512)
def entry_lists_of(text: str) -> tuple[EntryList, ...]:
    """Groups of two entries or more."""
    lines = lines_of(text)
    found = [*_rows(lines), *_items(lines), *_terms(lines), *_sections(text)]
    return tuple(group for group in found if len(group.entries) > 1)


def _rows(lines: Sequence[TextLine]) -> Iterator[EntryList]:
    at = 0
    while at < len(lines):
        if not _is_row(lines[at]):
            at += 1
            continue
        last = at
        while last < len(lines) and _is_row(lines[last]):
            last += 1
        if last - at > 2 and _RULE.match(lines[at + 1].text):
            yield EntryList(
                "row", tuple(_entry(_first_cell(line.text), [line]) for line in lines[at + 2 : last])
            )
        at = last


def _is_row(line: TextLine) -> bool:
    return line.text.lstrip().startswith("|") and not line.in_code


def _first_cell(row: str) -> str:
    return row.strip().strip("|").split("|")[0].strip()


def _entry(text: str, lines: Sequence[TextLine]) -> ListEntry:
    return ListEntry(label_of(text), lines[0].start, lines[-1].end)


@dataclass(slots=True)
class _OpenList:
    marker: str
    items: list[tuple[str, list[TextLine]]]


def _items(lines: Sequence[TextLine]) -> Iterator[EntryList]:
    """Items of one indent and marker, with the lines that belong to them, until other text comes."""
    lists: dict[int, _OpenList] = {}
    for line in lines:
        found = None if line.in_code else _ITEM.match(line.text)
        if line.text.strip():
            indent = len(line.text) - len(line.text.lstrip())
            marker = _marker(found[2]) if found else ""
            ended = [
                at for at, one in lists.items() if at > indent or (at == indent and one.marker != marker)
            ]
            yield from (_group(lists.pop(at)) for at in ended)
            if found:
                lists.setdefault(indent, _OpenList(marker, [])).items.append((line.text[found.end() :], []))
        for one in lists.values():
            one.items[-1][1].append(line)
    yield from map(_group, lists.values())


def _marker(sign: str) -> str:
    return "1" if sign[0].isdigit() else sign


def _group(one: _OpenList) -> EntryList:
    return EntryList("item", tuple(_entry(text, _without_tail(own)) for text, own in one.items))


def _without_tail(lines: Sequence[TextLine]) -> Sequence[TextLine]:
    """Blank lines behind an entry part it from what follows."""
    last = len(lines)
    while last > 1 and not lines[last - 1].text.strip():
        last -= 1
    return lines[:last]


def _terms(lines: Sequence[TextLine]) -> Iterator[EntryList]:
    """Terms with an indented meaning below, in Markdown's form (`:   meaning`) and in reStructuredText's."""
    starts = [at for at in range(len(lines) - 1) if _is_term(lines, at)]
    run: list[ListEntry] = []
    for at in starts:
        last = at + 1
        while last < len(lines) and (not lines[last].text.strip() or lines[last].text[:1] in " \t:"):
            last += 1
        entry = _entry(lines[at].text, _without_tail(lines[at:last]))
        if run and _is_parted(lines, run[-1].end, entry.start):
            yield EntryList("term", tuple(run))
            run = []
        run.append(entry)
    yield EntryList("term", tuple(run))


def _is_term(lines: Sequence[TextLine], at: int) -> bool:
    term, below = lines[at], lines[at + 1]
    if term.in_code or not term.text.strip() or term.text[0] in " \t:.|#>-*+" or is_underline(term.text):
        return False
    if _MEANING.match(below.text):
        return True
    is_marked = term.text.startswith(("``", "`", "**")) and not term.text.rstrip().endswith((".", "::"))
    return is_marked and below.text[:2] in {"  ", "\t"} and bool(below.text.strip())


def _is_parted(lines: Sequence[TextLine], start: int, end: int) -> bool:
    """Whether lines other than blank ones stand between two places."""
    first, last = (bisect_left(lines, place, key=lambda line: line.start) for place in (start, end))
    return any(line.text.strip() for line in lines[first:last])


def _sections(text: str) -> Iterator[EntryList]:
    """Sections of one level under the same parent."""
    heads = headings_of(text)
    open_groups: dict[int, list[ListEntry]] = {}
    for n, head in enumerate(heads):
        for deeper in [other for other in open_groups if other > head.level]:
            yield EntryList("section", tuple(open_groups.pop(deeper)))
        end = next((other.start for other in heads[n + 1 :] if other.level <= head.level), len(text))
        open_groups.setdefault(head.level, []).append(ListEntry(label_of(head.title), head.start, end))
    for entries in open_groups.values():
        yield EntryList("section", tuple(entries))
