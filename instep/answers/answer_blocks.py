"""A passage as blocks of the units that answers consist of: sentences, list items, table rows, code."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import unescape
from itertools import takewhile
from typing import Literal

from instep.answers.inlines import inline_text, sentences_in
from instep.search.index.passages import closes

BlockKind = Literal["prose", "list", "table", "code"]

FENCE = re.compile(r"( *)(`{3,}|~{3,})")
ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +|$)(?:\[[ xX]\] )?(.*)")
QUOTE = re.compile(r"(?: {0,3}> ?)+")
HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
THEMATIC_BREAK = re.compile(r" {0,3}(?:([-*_])(?:\s*+\1){2,}+|=++|--?)\s*+$")
LINK_DEFINITION = re.compile(r" {0,3}\[[^\]]++\]:")
DELIMITER_ROW = re.compile(r"(?=[ |:]*+-)[ |:-]*+$")
ALERT = re.compile(r"\[!\w+\]\s*")
MAX_LABEL_WORDS = 5
# The indent, in blanks, of code below the text of a list item.
CODE_INDENT = 4
# Underscores inside a name are no emphasis.
EMPHASIS = re.compile(r"[*`|\\]+|~~|(?<!\w)_+(?=\w)|(?<=[^\W_])_+(?!\w)")


@dataclass(frozen=True, slots=True)
class AnswerUnit:
    """One sentence, list item, table row or piece of code; `prefix` is the mark of an item or a row."""

    text: str
    prefix: str = ""
    is_code: bool = False

    @property
    def plain(self) -> str:
        return self.text if self.is_code else " ".join(EMPHASIS.sub("", unescape(self.text)).split())


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """A paragraph, a list, a table, or code. `head` is the header and delimiter row of a table."""

    kind: BlockKind
    units: tuple[AnswerUnit, ...]
    head: str = ""

    def announces(self, following: "AnswerBlock") -> bool:
        """Whether this block is incomplete without the following one."""
        if self.kind != "prose":
            return False
        is_introduction = self.units[-1].plain.endswith((":", "\uff1a")) and following.kind != "prose"
        return is_introduction or self.is_label

    @property
    def is_label(self) -> bool:
        """Whether it is a few words without punctuation at the end, like a heading."""
        text = self.units[0].plain
        return len(self.units) == 1 and text[-1:].isalnum() and text.count(" ") < MAX_LABEL_WORDS


# The block that begins at a line, None if an answer can't use it, and the index of the line after it.
ParsedBlock = tuple[AnswerBlock | None, int]
BlockParser = Callable[[list[str], int], ParsedBlock]


def read_blocks(markdown: str) -> list[AnswerBlock]:
    """The blocks of a passage. Headings, pictures, thematic breaks and link definitions are left out."""
    # The two characters are placeholders of `inlines`.
    text = markdown.expandtabs(4).replace("\ue000", "").replace("\ue001", "")
    lines = with_opening_fence(text.split("\n"))
    return [block for block in blocks_in(lines) if block.units]


def with_opening_fence(lines: list[str]) -> list[str]:
    """The lines, with an opening fence if the passage begins inside code and has only the closing one."""
    first, open_fence = None, ""
    for index, line in enumerate(lines):
        match = FENCE.match(line)
        if open_fence:
            open_fence = "" if closes(line.strip(), open_fence) else open_fence
        elif match:
            first, open_fence = index if first is None else first, match[2]
    if not open_fence or first is None or lines[first].strip(" `~") or any(lines[first + 1 : first + 2]):
        return lines
    return ["```", *lines[:first], "```", *lines[first + 1 :]]


def blocks_in(lines: list[str]) -> Iterator[AnswerBlock]:
    index = 0
    while index < len(lines):
        parse = parser_at(lines, index)
        block, index = parse(lines, index)
        if block is not None:
            yield block


def parser_at(lines: list[str], index: int) -> BlockParser:
    line = lines[index]
    if not line.strip() or HEADING.match(line) or THEMATIC_BREAK.match(line) or LINK_DEFINITION.match(line):
        return skip_line
    if FENCE.match(line):
        return parse_fence
    if ITEM.match(line):
        return parse_list
    if line.startswith(" " * CODE_INDENT):
        return parse_indented_code
    if QUOTE.match(line):
        return parse_quote
    if is_table(lines, index):
        return parse_table
    return parse_paragraph


def skip_line(lines: list[str], index: int) -> ParsedBlock:
    return None, index + 1


def parse_fence(lines: list[str], index: int) -> ParsedBlock:
    code, end = fenced_code(lines, index)
    return AnswerBlock("code", (AnswerUnit(code, is_code=True),)), end


def fenced_code(lines: list[str], index: int) -> tuple[str, int]:
    """The code of the fence at a line, without its indent, and the index of the line after the fence."""
    match = FENCE.match(lines[index])
    assert match is not None
    indent, fence = len(match[1]), match[2]
    end = index + 1
    while end < len(lines) and not closes(lines[end].strip(), fence):
        end += 1
    code = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[index + 1 : end]]
    return "\n".join(code), end + 1


def parse_indented_code(lines: list[str], index: int) -> ParsedBlock:
    indent, end = " " * CODE_INDENT, index
    while end < len(lines) and (lines[end].startswith(indent) or not lines[end].strip()):
        end += 1
    code = "\n".join(line[CODE_INDENT:] for line in lines[index:end]).rstrip()
    return AnswerBlock("code", (AnswerUnit(code, is_code=True),)), end


def parse_quote(lines: list[str], index: int) -> ParsedBlock:
    """The block in a quote, without the quote's marks; the sentences of all blocks if there are several."""
    end = index
    while end < len(lines) and QUOTE.match(lines[end]):
        end += 1
    inner_lines = [QUOTE.sub("", line, count=1) for line in lines[index:end]]
    inner_lines[0] = ALERT.sub("", inner_lines[0])
    blocks = list(blocks_in(inner_lines))
    if len(blocks) == 1:
        return blocks[0], end
    units = (unit for block in blocks if block.kind != "table" for unit in block.units)
    return AnswerBlock("prose", tuple(unit for unit in units if not unit.is_code and not unit.prefix)), end


def parse_list(lines: list[str], index: int) -> ParsedBlock:
    """Each item of any depth is a unit, and so is code in an item."""
    units: list[AnswerUnit] = []
    end = index
    while end < len(lines) and (unit_end := parse_item(lines, end, units)) is not None:
        end = unit_end
    units = [unit for unit in units if unit.text.strip()]
    # A list that begins in an earlier passage would be code with its indent.
    indent = min((len(unit.prefix) - len(unit.prefix.lstrip()) for unit in units), default=0)
    return AnswerBlock("list", tuple(replace(unit, prefix=unit.prefix[indent:]) for unit in units)), end


def parse_item(lines: list[str], index: int, units: list[AnswerUnit]) -> int | None:
    """Append the unit at a line, and return the index of the line after it; None where the list ends."""
    line = lines[index]
    if not line.strip():
        return index + 1 if any(may_continue_list(after) for after in lines[index + 1 : index + 2]) else None
    indent = " " * (len(line) - len(line.lstrip()))
    if indent and FENCE.match(line):
        code, end = fenced_code(lines, index)
        units.append(AnswerUnit(code, indent, is_code=True))
        return end
    if is_code_in_item(lines, index, units):
        code_lines = list(takewhile(lambda after: after.startswith(indent), lines[index:]))
        code = "\n".join(after[len(indent) :] for after in code_lines)
        units.append(AnswerUnit(code, indent[CODE_INDENT:], is_code=True))
        return index + len(code_lines)
    return parse_item_text(lines, index, units)


def parse_item_text(lines: list[str], index: int, units: list[AnswerUnit]) -> int | None:
    line = lines[index]
    indent = " " * (len(line) - len(line.lstrip()))
    match = ITEM.match(line)
    if match is None and not indent and (not units or units[-1].is_code):
        return None
    if match is None and ends_paragraph(lines, index):
        return None
    rest = list(takewhile(continues_item, lines[index + 1 :]))
    text = inline_text(" ".join([match[4] if match else line.strip(), *(after.strip() for after in rest)]))
    units.append(AnswerUnit(text, f"{match[1]}{match[2]} " if match else indent))
    return index + 1 + len(rest)


def is_code_in_item(lines: list[str], index: int, units: list[AnswerUnit]) -> bool:
    line = lines[index]
    indent = len(line) - len(line.lstrip())
    is_deep = indent and indent >= text_column(units) + CODE_INDENT
    return bool(is_deep) and not lines[index - 1].strip() and not ITEM.match(line)


def text_column(units: list[AnswerUnit]) -> int:
    """The column in which the text of the last item begins."""
    return next((len(unit.prefix) for unit in reversed(units) if unit.prefix.strip()), 0)


def may_continue_list(line: str) -> bool:
    return ITEM.match(line) is not None or line.startswith("  ")


def continues_item(line: str) -> bool:
    return bool(line.strip()) and not (ITEM.match(line) or FENCE.match(line) or begins_other_block(line))


def begins_other_block(line: str) -> bool:
    return any(form.match(line) for form in (HEADING, QUOTE, THEMATIC_BREAK, LINK_DEFINITION))


def ends_paragraph(lines: list[str], index: int) -> bool:
    return begins_other_block(lines[index]) or is_table(lines, index)


def is_table(lines: list[str], index: int) -> bool:
    below = lines[index + 1] if index + 1 < len(lines) else ""
    return "|" in lines[index] and "|" in below and DELIMITER_ROW.match(below) is not None


def parse_table(lines: list[str], index: int) -> ParsedBlock:
    end = index + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    head = inline_text(lines[index].strip()) + "\n" + lines[index + 1].strip()
    rows = tuple(AnswerUnit(inline_text(row.strip()), "|") for row in lines[index + 2 : end])
    return AnswerBlock("table", rows, head), end


def parse_paragraph(lines: list[str], index: int) -> ParsedBlock:
    end = index + 1
    while end < len(lines) and lines[end].strip() and not interrupts_paragraph(lines, end):
        end += 1
    text = inline_text(" ".join(map(str.strip, lines[index:end])))
    return AnswerBlock("prose", tuple(map(AnswerUnit, sentences_in(text)))), end


def interrupts_paragraph(lines: list[str], index: int) -> bool:
    return bool(FENCE.match(lines[index]) or ITEM.match(lines[index])) or ends_paragraph(lines, index)
