"""The lists of an article, keyed by their leading names: rows, items, terms, sections, help lines."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from instep.drafting.writer.articles.headings import sections_of
from instep.drafting.writer.articles.parsed_article import ParsedArticle, TextLine, parse_article
from instep.drafting.writer.articles.restructured import is_underline
from instep.drafting.writer.words.identifiers import key_of, label_of
from instep.platform.text.blocks import Block

_DEFINITION = re.compile(r"(\s*):\s+\S")
# A flag, its value and its text; a command without a text may continue in the next line.
_OPTION = re.compile(
    r"(?P<lead>\s{2,40}(?:-\w(?:,\s{0,2}|\s)\s{0,4})?)(?P<flag>--[a-z][\w-]{0,60}\w)"
    r"(?:[ =\[](?! )[^\s]{1,60}(?: [^\s]{1,40}){0,3}?)?\s{2,80}[^\s-].*(?<!\\)"
)


@dataclass(frozen=True, slots=True)
class ListEntry:
    """An entry of a list: its leading name, and its span in the text, in characters."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryList:
    entries: tuple[ListEntry, ...]

    def entry_of(self, name: str) -> ListEntry | None:
        key = key_of(name)
        return next((entry for entry in self.entries if key_of(entry.label) == key), None)


@dataclass(slots=True)
class _OpenList:
    container: Block
    entries: list[ListEntry]


@lru_cache(maxsize=1_024)
def entry_lists_of(text: str) -> tuple[EntryList, ...]:
    """The lists with at least two entries."""
    article = parse_article(text)
    entry_lists = [
        *_rows_and_items(article),
        *_html_items(article.lines),
        *_terms(article.lines),
        *_sections(text),
        *_options(article.lines),
    ]
    return tuple(entry_list for entry_list in entry_lists if len(entry_list.entries) > 1)


def _rows_and_items(article: ParsedArticle) -> Iterator[EntryList]:
    """Tables without their header rows, and lists of items, each item with its own lines."""
    open_lists: list[_OpenList] = []
    for block in article.blocks:
        while open_lists and block.depth <= open_lists[-1].container.depth:
            yield _entry_list(open_lists.pop())
        if block.kind in ("table", "list"):
            open_lists.append(_OpenList(block, []))
        elif block.kind in ("row", "item") and open_lists:
            name = _first_cell(block.text) if block.kind == "row" else block.text.split("\n", 1)[0]
            lines = article.lines[block.first_line - 1 : block.last_line]
            open_lists[-1].entries.append(_entry(name, _without_tail(lines)))
    yield from map(_entry_list, reversed(open_lists))


def _entry_list(open_list: _OpenList) -> EntryList:
    if open_list.container.kind == "table":
        return EntryList(tuple(open_list.entries[1:]))
    return EntryList(tuple(open_list.entries))


def _first_cell(row: str) -> str:
    return row.strip().strip("|").split("|")[0].strip()


def _entry(text: str, lines: Sequence[TextLine]) -> ListEntry:
    return ListEntry(label_of(text), lines[0].start, lines[-1].end)


def _without_tail(lines: Sequence[TextLine]) -> Sequence[TextLine]:
    """The lines of an entry without the blank lines after it."""
    last = len(lines)
    while last > 1 and not lines[last - 1].text.strip():
        last -= 1
    return lines[:last]


def _html_items(lines: Sequence[TextLine]) -> Iterator[EntryList]:
    """Items of HTML lists in adjacent lines: raw HTML has no blocks."""
    for are_items, run in groupby(lines, key=_is_html_item):
        if are_items:
            yield EntryList(tuple(_entry(line.text.strip(), [line]) for line in run))


def _is_html_item(line: TextLine) -> bool:
    return line.text.lstrip().startswith("<li>") and not line.in_code


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
            yield EntryList(tuple(run))
            run = []
        run.append(entry)
    yield EntryList(tuple(run))


def _is_term(lines: Sequence[TextLine], index: int) -> bool:
    term, below = lines[index], lines[index + 1]
    if term.in_code or not term.text.strip() or term.text[0] in " \t:.|#>-*+" or is_underline(term.text):
        return False
    if _DEFINITION.match(below.text):
        return True
    is_marked = term.text.startswith(("``", "`", "**")) and not term.text.rstrip().endswith((".", "::"))
    return is_marked and below.text[:2] in {"  ", "\t"} and bool(below.text.strip())


def _is_separated(lines: Sequence[TextLine], start: int, end: int) -> bool:
    """True if there are lines other than blank ones between two offsets."""
    first, last = (bisect_left(lines, place, key=lambda line: line.start) for place in (start, end))
    return any(line.text.strip() for line in lines[first:last])


def _options(lines: Sequence[TextLine]) -> Iterator[EntryList]:
    """Adjacent options as a command's help lists them: a continued text is indented as deep as it began."""
    run, depth = list[ListEntry](), 0
    for line in lines:
        option = _OPTION.fullmatch(line.text) if "--" in line.text else None
        if option:
            run.append(ListEntry(option["flag"], line.start, line.end))
            depth = len(option["lead"])
        elif run and len(line.text) - len(line.text.lstrip()) > depth:
            run[-1] = replace(run[-1], end=line.end)
        elif run:
            yield EntryList(tuple(run))
            run = []
    yield EntryList(tuple(run))


def _sections(text: str) -> Iterator[EntryList]:
    """Sections of one level under the same parent."""
    open_levels: dict[int, list[ListEntry]] = {}
    for section in sections_of(text):
        for deeper in [level for level in open_levels if level > section.level]:
            yield EntryList(tuple(open_levels.pop(deeper)))
        open_levels.setdefault(section.level, []).append(
            ListEntry(label_of(section.title), section.start, section.end)
        )
    for entries in open_levels.values():
        yield EntryList(tuple(entries))
