"""The lists of an article: rows of tables, items, terms and sections, by the names that they begin with."""

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
_DEFINITION = re.compile(r"(\s*):\s+\S")
_RULE = re.compile(r"(?=[\s:|-]*?-{3})[\s:|-]*+$")


@dataclass(frozen=True, slots=True)
class ListEntry:
    """An entry of a list: the name that it begins with, and its span in the text, in characters."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryList:
    kind: ListKind
    entries: tuple[ListEntry, ...]

    def entry_of(self, name: str) -> ListEntry | None:
        key = key_of(name)
        return next((entry for entry in self.entries if key_of(entry.label) == key), None)


@lru_cache(maxsize=512)
def entry_lists_of(text: str) -> tuple[EntryList, ...]:
    """The lists with at least two entries."""
    lines = lines_of(text)
    entry_lists = [*_rows(lines), *_items(lines), *_terms(lines), *_sections(text)]
    return tuple(entry_list for entry_list in entry_lists if len(entry_list.entries) > 1)


def _rows(lines: Sequence[TextLine]) -> Iterator[EntryList]:
    index = 0
    while index < len(lines):
        if not _is_row(lines[index]):
            index += 1
            continue
        last = index
        while last < len(lines) and _is_row(lines[last]):
            last += 1
        if last - index > 2 and _RULE.match(lines[index + 1].text):
            yield EntryList(
                "row", tuple(_entry(_first_cell(line.text), [line]) for line in lines[index + 2 : last])
            )
        index = last


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
    """Lists of items with the same indent and marker, each item with the lines that belong to it."""
    lists: dict[int, _OpenList] = {}
    for line in lines:
        match = None if line.in_code else _ITEM.match(line.text)
        if line.text.strip():
            indent = len(line.text) - len(line.text.lstrip())
            marker = _marker(match[2]) if match else ""
            ended = [
                index
                for index, open_list in lists.items()
                if index > indent or (index == indent and open_list.marker != marker)
            ]
            yield from (_item_list(lists.pop(index)) for index in ended)
            if match:
                lists.setdefault(indent, _OpenList(marker, [])).items.append((line.text[match.end() :], []))
        for open_list in lists.values():
            open_list.items[-1][1].append(line)
    yield from map(_item_list, lists.values())


def _marker(marker: str) -> str:
    return "1" if marker[0].isdigit() else marker


def _item_list(open_list: _OpenList) -> EntryList:
    return EntryList("item", tuple(_entry(text, _without_tail(body)) for text, body in open_list.items))


def _without_tail(lines: Sequence[TextLine]) -> Sequence[TextLine]:
    """The lines of an entry without the blank lines after it."""
    last = len(lines)
    while last > 1 and not lines[last - 1].text.strip():
        last -= 1
    return lines[:last]


def _terms(lines: Sequence[TextLine]) -> Iterator[EntryList]:
    """Terms with an indented definition below, as in Markdown (`:   definition`) or reStructuredText."""
    starts = [index for index in range(len(lines) - 1) if _is_term(lines, index)]
    run: list[ListEntry] = []
    for index in starts:
        last = index + 1
        while last < len(lines) and (not lines[last].text.strip() or lines[last].text[:1] in " \t:"):
            last += 1
        entry = _entry(lines[index].text, _without_tail(lines[index:last]))
        if run and _is_separated(lines, run[-1].end, entry.start):
            yield EntryList("term", tuple(run))
            run = []
        run.append(entry)
    yield EntryList("term", tuple(run))


def _is_term(lines: Sequence[TextLine], index: int) -> bool:
    term, below = lines[index], lines[index + 1]
    if term.in_code or not term.text.strip() or term.text[0] in " \t:.|#>-*+" or is_underline(term.text):
        return False
    if _DEFINITION.match(below.text):
        return True
    is_marked = term.text.startswith(("``", "`", "**")) and not term.text.rstrip().endswith((".", "::"))
    return is_marked and below.text[:2] in {"  ", "\t"} and bool(below.text.strip())


def _is_separated(lines: Sequence[TextLine], start: int, end: int) -> bool:
    """Whether there are lines other than blank ones between two offsets."""
    first, last = (bisect_left(lines, place, key=lambda line: line.start) for place in (start, end))
    return any(line.text.strip() for line in lines[first:last])


def _sections(text: str) -> Iterator[EntryList]:
    """Sections of one level under the same parent."""
    headings = headings_of(text)
    open_levels: dict[int, list[ListEntry]] = {}
    for n, heading in enumerate(headings):
        for deeper in [other for other in open_levels if other > heading.level]:
            yield EntryList("section", tuple(open_levels.pop(deeper)))
        end = next((other.start for other in headings[n + 1 :] if other.level <= heading.level), len(text))
        open_levels.setdefault(heading.level, []).append(
            ListEntry(label_of(heading.title), heading.start, end)
        )
    for entries in open_levels.values():
        yield EntryList("section", tuple(entries))
