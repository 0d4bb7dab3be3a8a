"""A passage as the parts that an answer is put together from: sentences, steps, rows, code; no links."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import unescape
from itertools import takewhile
from typing import Literal

from instep.answers.inlines import inline, sentences_in
from instep.search.index.passages import closes

Kind = Literal["prose", "list", "table", "code"]

FENCE = re.compile(r"( *)(`{3,}|~{3,})")
ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +|$)(?:\[[ xX]\] )?(.*)")
QUOTE = re.compile(r"(?: {0,3}> ?)+")
HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
RULE = re.compile(r" {0,3}(?:([-*_])(?:\s*+\1){2,}+|=++|--?)\s*+$")
DEFINITION = re.compile(r" {0,3}\[[^\]]++\]:")
DELIMITERS = re.compile(r"(?=[ |:]*+-)[ |:-]*+$")
ALERT = re.compile(r"\[!\w+\]\s*")
LABEL_WORDS = 5
# How far code is set in below the text of an item.
DEEP = 4
# Not the underscores inside of a name.
MARKUP = re.compile(r"[*`|\\]+|~~|(?<!\w)_+(?=\w)|(?<=[^\W_])_+(?!\w)")


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence, list item, table row or piece of code; `prefix` is what makes it an item or a row."""

    text: str
    prefix: str = ""
    is_code: bool = False

    @property
    def plain(self) -> str:
        return self.text if self.is_code else " ".join(MARKUP.sub("", unescape(self.text)).split())


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a table, or code. `head` are the lines that a table begins with."""

    kind: Kind
    units: tuple[Unit, ...]
    head: str = ""

    def announces(self, following: "Block") -> bool:
        """Whether it says little without what follows it."""
        if self.kind != "prose":
            return False
        is_lead = self.units[-1].plain.endswith((":", "\uff1a")) and following.kind != "prose"
        return is_lead or self.is_label

    @property
    def is_label(self) -> bool:
        """A few words without an end, as stand over a part of a text."""
        text = self.units[0].plain
        return len(self.units) == 1 and text[-1:].isalnum() and text.count(" ") < LABEL_WORDS


# What stands at a line, if it is kept, and where what follows begins.
Read = tuple[Block | None, int]
Reader = Callable[[list[str], int], Read]


def read_blocks(markdown: str) -> list[Block]:
    """The parts of a passage; what is no text, such as pictures and rules, is left out."""
    lines = with_whole_code(markdown.expandtabs(4).replace("\ue000", "").replace("\ue001", "").split("\n"))
    return [block for block in blocks_in(lines) if block.units]


def with_whole_code(lines: list[str]) -> list[str]:
    """The lines of a passage that begins inside of code, with the fence that stands in the one before."""
    first, opened = None, ""
    for at, line in enumerate(lines):
        found = FENCE.match(line)
        if opened:
            opened = "" if closes(line.strip(), opened) else opened
        elif found:
            first, opened = at if first is None else first, found[2]
    if not opened or first is None or lines[first].strip(" `~") or any(lines[first + 1 : first + 2]):
        return lines
    return ["```", *lines[:first], "```", *lines[first + 1 :]]


def blocks_in(lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        read = reader_of(lines, at)
        block, at = read(lines, at)
        if block is not None:
            yield block


def reader_of(lines: list[str], at: int) -> Reader:
    line = lines[at]
    if not line.strip() or HEADING.match(line) or RULE.match(line) or DEFINITION.match(line):
        return skip
    if FENCE.match(line):
        return read_fence
    if ITEM.match(line):
        return read_list
    if line.startswith("    "):
        return read_indented
    if QUOTE.match(line):
        return read_quote
    if is_table(lines, at):
        return read_table
    return read_paragraph


def skip(lines: list[str], at: int) -> Read:
    return None, at + 1


def read_fence(lines: list[str], at: int) -> Read:
    code, end = fenced(lines, at)
    return Block("code", (Unit(code, is_code=True),)), end


def fenced(lines: list[str], at: int) -> tuple[str, int]:
    """The code of a fence, at the margin, and where it ends."""
    opened = FENCE.match(lines[at])
    assert opened is not None
    indent, fence = len(opened[1]), opened[2]
    end = at + 1
    while end < len(lines) and not closes(lines[end].strip(), fence):
        end += 1
    inside = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[at + 1 : end]]
    return "\n".join(inside), end + 1


def read_indented(lines: list[str], at: int) -> Read:
    end = at
    while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
        end += 1
    code = "\n".join(line[4:] for line in lines[at:end]).rstrip()
    return Block("code", (Unit(code, is_code=True),)), end


def read_quote(lines: list[str], at: int) -> Read:
    """What is set apart says the same: the first part of it, as if it stood in the open."""
    end = at
    while end < len(lines) and QUOTE.match(lines[end]):
        end += 1
    inside = [QUOTE.sub("", line, count=1) for line in lines[at:end]]
    inside[0] = ALERT.sub("", inside[0])
    found = list(blocks_in(inside))
    units = tuple(unit for block in found if block.kind != "table" for unit in block.units)
    if len(found) == 1:
        return found[0], end
    return (Block("prose", tuple(unit for unit in units if not unit.is_code and not unit.prefix)), end)


def read_list(lines: list[str], at: int) -> Read:
    """Each item, of whatever depth, is a unit; code in an item is one too."""
    units: list[Unit] = []
    end = at
    while end < len(lines) and (unit_end := item_at(lines, end, units)) is not None:
        end = unit_end
    kept = [unit for unit in units if unit.text.strip()]
    # One whose beginning is in another passage would be code at its place.
    outer = min((len(unit.prefix) - len(unit.prefix.lstrip()) for unit in kept), default=0)
    return Block("list", tuple(replace(unit, prefix=unit.prefix[outer:]) for unit in kept)), end


def item_at(lines: list[str], at: int, units: list[Unit]) -> int | None:
    """Add what stands here to the units of a list; None where the list is over."""
    line = lines[at]
    if not line.strip():
        return at + 1 if any(is_of_list(after) for after in lines[at + 1 : at + 2]) else None
    indent = " " * (len(line) - len(line.lstrip()))
    if indent and FENCE.match(line):
        code, end = fenced(lines, at)
        units.append(Unit(code, indent, is_code=True))
        return end
    if len(indent) >= inner_of(units) + DEEP and not lines[at - 1].strip() and not ITEM.match(line):
        deep = list(takewhile(lambda after: after.startswith(indent), lines[at:]))
        units.append(Unit("\n".join(after[len(indent) :] for after in deep), indent[DEEP:], is_code=True))
        return at + len(deep)
    found = ITEM.match(line)
    if found is None and not indent and (not units or units[-1].is_code):
        return None
    if found is None and ends_paragraph(lines, at):
        return None
    rest = list(takewhile(is_continued, lines[at + 1 :]))
    text = inline(" ".join([found[4] if found else line.strip(), *(after.strip() for after in rest)]))
    units.append(Unit(text, f"{found[1]}{found[2]} " if found else indent))
    return at + 1 + len(rest)


def inner_of(units: list[Unit]) -> int:
    """Where the text of the last item begins."""
    return next((len(unit.prefix) for unit in reversed(units) if unit.prefix.strip()), 0)


def is_of_list(line: str) -> bool:
    return ITEM.match(line) is not None or line.startswith("  ")


def is_continued(line: str) -> bool:
    """Whether a line goes on with the item above it."""
    return bool(line.strip()) and not (ITEM.match(line) or FENCE.match(line) or begins_other(line))


def begins_other(line: str) -> bool:
    return any(form.match(line) for form in (HEADING, QUOTE, RULE, DEFINITION))


def ends_paragraph(lines: list[str], at: int) -> bool:
    return begins_other(lines[at]) or is_table(lines, at)


def is_table(lines: list[str], at: int) -> bool:
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return "|" in lines[at] and "|" in below and DELIMITERS.match(below) is not None


def read_table(lines: list[str], at: int) -> Read:
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    head = inline(lines[at].strip()) + "\n" + lines[at + 1].strip()
    return Block("table", tuple(Unit(inline(row.strip()), "|") for row in lines[at + 2 : end]), head), end


def read_paragraph(lines: list[str], at: int) -> Read:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not interrupts(lines, end):
        end += 1
    return Block(
        "prose", tuple(map(Unit, sentences_in(inline(" ".join(map(str.strip, lines[at:end])))))), ""
    ), end


def interrupts(lines: list[str], at: int) -> bool:
    return bool(FENCE.match(lines[at]) or ITEM.match(lines[at])) or ends_paragraph(lines, at)
