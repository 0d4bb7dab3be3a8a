"""A passage as blocks of the units that answers consist of: sentences, list items, table rows, code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from itertools import groupby, takewhile
from typing import Literal

from instep.platform.text.blocks import Block, ParsedMarkdown, read_blocks
from instep.visitors.answers.inlines import inline_text, sentences_in, without_tags

AnswerBlockKind = Literal["prose", "list", "table", "code"]

ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]) ")
BLANK_LINES = re.compile(r"\n[ \t]*\n")
# The mark of a kind of alert that the renderer doesn't know.
ALERT = re.compile(r"\A\[!\w+\]\s*")
ALERT_LINE = re.compile(r"[ \t]*>[> \t]*\[!\w+\](.*)")
MAX_LABEL_WORDS = 5
# A longer paragraph does not count as a heading, even if it is bold or a question.
MAX_HEADING_WORDS = 20
BOLD = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)+)\1[:\uff1a]?")
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
SENTENCE_ENDS = (".", "!", "\u3002", "\uff01")
# A collapsible part of a page; its summary looks like a heading.
SUMMARY = re.compile(r"<summary\b[^<>]*>(.*?)</summary\s*>", re.DOTALL | re.IGNORECASE)
# Underscores inside a name are no emphasis.
EMPHASIS = re.compile(r"[*`|\\]+|~~|(?<!\w)_+(?=\w)|(?<=[^\W_])_+(?!\w)")


CELL_END = re.compile(r"(?<!\\)\|")
# The opening fence of code from which pages draw a picture: its source is no answer.
DIAGRAM = re.compile(r"[ \t>]*(?:```|~~~)[`~]*[ \t]*(?:mermaid|plantuml|puml|graphviz|dot|d2)\b")


@dataclass(frozen=True, slots=True)
class AnswerUnit:
    """One sentence, list item, table row or piece of code; `prefix` is the mark of an item or a row."""

    text: str
    prefix: str = ""
    is_code: bool = False

    @property
    def plain(self) -> str:
        return self.text if self.is_code else without_emphasis(self.text)

    @property
    def readable(self) -> str:
        """Its words as part of a text: code and rows are lines of it, with · between cells."""
        if self.is_code:
            return f"\n{self.text}\n"
        if self.prefix == "|":
            return f"\n{' · '.join(map(without_emphasis, cells_of(self.text)))}\n"
        return f"{self.plain} "


def cells_of(row: str) -> list[str]:
    """The texts of the cells of a row."""
    return [text.strip() for text in CELL_END.split(row.strip().strip("|"))]


@lru_cache(maxsize=2_048)
def without_emphasis(text: str) -> str:
    """The words of a text alone, which are asked for many times while one answer is made."""
    return " ".join(EMPHASIS.sub("", unescape(text)).split())


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """A paragraph, a list, a table, or code.

    `head` is the header and delimiter row of a table, or the line above an incomplete list of steps.
    `is_heading`: a paragraph that serves as the heading of the blocks up to the next one. `is_alert`: a
    paragraph of a quote that is marked as a warning, a note or similar.
    """

    kind: AnswerBlockKind
    units: tuple[AnswerUnit, ...]
    head: str = ""
    is_heading: bool = False
    is_alert: bool = False

    def announces(self, following: "AnswerBlock") -> bool:
        """True if this block is incomplete without the following one."""
        if self.kind != "prose" or following.is_heading:
            return False
        is_introduction = self.units[-1].plain.endswith((":", "\uff1a")) and following.kind != "prose"
        return is_introduction or self.is_heading or self.is_label

    @property
    def is_label(self) -> bool:
        """True if it is a few words without punctuation at the end, like a heading."""
        text = self.units[0].plain
        return (
            self.kind == "prose"
            and len(self.units) == 1
            and text[-1:].isalnum()
            and text.count(" ") < MAX_LABEL_WORDS
        )

    @property
    def is_question(self) -> bool:
        """True if it is or begins with a question that its author answers, as in an FAQ."""
        return (self.is_heading or self.is_bold) and self.units[0].plain.endswith(QUESTION_MARKS)

    @property
    def is_bold(self) -> bool:
        """True if its first sentence is bold."""
        return self.kind == "prose" and BOLD.fullmatch(self.units[0].text) is not None


@lru_cache(maxsize=64)
def read_answer_blocks(markdown: str) -> tuple[AnswerBlock, ...]:
    """The blocks of a passage, without headings, pictures, thematic breaks, footnotes and link definitions.

    Its time grows as the renderer's does, so the text must not be longer than a passage.
    """
    # The two characters are placeholders of `inlines`.
    text = without_first_indent(markdown.replace("\ue000", "").replace("\ue001", ""))
    parsed = read_blocks(text)
    if fence := missing_fence(parsed):
        parsed = read_blocks(f"{fence}\n{text}")
    added_blocks = [*html_paragraphs(parsed), *alert_titles(parsed)]
    blocks = sorted([*parsed.blocks, *added_blocks], key=lambda block: block.first_line)
    return tuple(block for block in AnswerBlockBuilder(parsed).build(blocks) if block.units)


def without_first_indent(text: str) -> str:
    """A passage that begins inside of an item without the item's indent, which would make it code.

    Another item or a fence of code at this indent shows that it does.
    """
    lines = text.split("\n")
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip(" "))]
    in_item = list(takewhile(lambda line: line.startswith(indent) or not line.strip(), lines))
    fences = (f"{indent}```", f"{indent}~~~")
    if ITEM.match(lines[0], len(indent)) or any(line.startswith(fences) for line in in_item):
        return "\n".join([*(line.removeprefix(indent) for line in in_item), *lines[len(in_item) :]])
    return text


def missing_fence(parsed: ParsedMarkdown) -> str:
    """The fence that a passage lacks if it begins inside of code and has only the closing one."""
    fences = parsed.fences()
    if not fences or not fences[-1].is_open:
        return ""
    line = fences[0].first_line
    is_bare = parsed.lines[line - 1].strip() == fences[0].marker
    return fences[0].marker if is_bare and not any(parsed.lines[line : line + 1]) else ""


def html_paragraphs(parsed: ParsedMarkdown) -> Iterator[Block]:
    """The words between tags that the author wrote: the lines from a tag on that are in no block."""
    block_lines = {line for block in parsed.blocks for line in range(block.first_line, block.last_line + 1)}
    numbers = range(1, len(parsed.lines) + 1)
    for is_block, group in groupby(numbers, key=block_lines.__contains__):
        lines = list(group)
        text = "\n".join(parsed.lines[lines[0] - 1 : lines[-1]])
        if not is_block and text.lstrip().startswith("<"):
            for paragraph in BLANK_LINES.split(without_tags(SUMMARY.sub(bold_summary, text))):
                yield Block("paragraph", lines[0], lines[-1], text=paragraph)


def alert_titles(parsed: ParsedMarkdown) -> Iterator[Block]:
    """The text after an alert's mark on the same line, which the page shows as the title of the alert."""
    paragraph_lines = {block.first_line for block in parsed.blocks if block.kind == "paragraph"}
    for block in parsed.blocks:
        line = block.first_line
        if block.kind == "quote" and line not in paragraph_lines:
            match = ALERT_LINE.match(parsed.lines[line - 1])
            if match and match[1].strip():
                yield Block("paragraph", line, line, text=match[1].strip(), depth=block.depth + 1)


def bold_summary(match: re.Match[str]) -> str:
    """A summary as a paragraph of its own."""
    text = " ".join(without_tags(match[1]).split())
    return f"\n\n**{text}**\n\n" if text else ""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An item that the present block is in; its text begins in `column`, from 0."""

    block: Block
    column: int


class AnswerBlockBuilder:
    """Turns blocks of a passage into blocks of an answer: lists become flat, quotes become their content."""

    def __init__(self, parsed: ParsedMarkdown) -> None:
        self.lines = parsed.lines
        self.rows = parsed.rows()
        self.alert_lines = frozenset(lines_of_alerts(parsed.lines))
        # The units of the list that began last, if it may continue.
        self.list_units: list[AnswerUnit] = []
        # The outermost first.
        self.items: list[OpenItem] = []
        self.footnote_end = 0

    def build(self, blocks: list[Block]) -> Iterator[AnswerBlock]:
        for previous, block in zip([None, *blocks], blocks, strict=False):
            while self.items and self.items[-1].block.depth >= block.depth:
                self.items.pop()
            if block.kind == "footnote":
                self.footnote_end = block.last_line
            elif self.is_part_of_answers(previous, block):
                yield from self.add(block)
        yield from self.end_list()

    def is_part_of_answers(self, previous: Block | None, block: Block) -> bool:
        is_diagram = block.kind == "code" and DIAGRAM.match(self.lines[block.first_line - 1])
        return not (block.first_line <= self.footnote_end or is_text_of_item(previous, block) or is_diagram)

    def add(self, block: Block) -> Iterator[AnswerBlock]:
        if block.kind == "item":
            column = self.items[-1].column if self.items else 0
            self.list_units.append(AnswerUnit(joined(block), f"{' ' * column}{block.marker} "))
            self.items.append(OpenItem(block, column + len(block.marker) + 1))
        elif block.kind in ("paragraph", "code") and self.is_in_list(block):
            self.list_units.append(AnswerUnit(joined(block), self.indent(), block.kind == "code"))
        elif block.kind in ("paragraph", "code", "table"):
            yield from self.end_list()
            yield self.outside_of_lists(block)

    def is_in_list(self, block: Block) -> bool:
        """True if a block belongs to an item, which most authors show by any indent.

        The renderer ends the list at a smaller indent than that of the item's text.
        """
        is_indented = self.lines[block.first_line - 1].startswith(" ")
        return bool(self.items or (self.list_units and is_indented))

    def indent(self) -> str:
        """The blanks before a block below the last open item, or else below the last outer one."""
        if self.items:
            return " " * self.items[-1].column
        outer = (unit.prefix for unit in reversed(self.list_units) if unit.prefix[:1].strip())
        return " " * len(next(outer, ""))

    def end_list(self) -> Iterator[AnswerBlock]:
        units = [unit for unit in self.list_units if unit.text.strip()]
        # The rest of a list around a table would be code with its indent.
        indent = min((len(unit.prefix) - len(unit.prefix.lstrip()) for unit in units), default=0)
        yield AnswerBlock("list", tuple(replace(unit, prefix=unit.prefix[indent:]) for unit in units))
        self.list_units = []

    def outside_of_lists(self, block: Block) -> AnswerBlock:
        if block.kind == "paragraph":
            text = joined(block)
            units = tuple(map(AnswerUnit, sentences_in(text)))
            if stands_for_heading(text, len(units)):
                return AnswerBlock("prose", (AnswerUnit(text),), is_heading=True)
            return AnswerBlock("prose", units, is_alert=block.first_line in self.alert_lines)
        if block.kind == "code":
            return AnswerBlock("code", (AnswerUnit(block.text, is_code=True),) if block.text.strip() else ())
        head, *rows = [row for row in self.rows if block.first_line <= row.first_line <= block.last_line]
        delimiter_row = self.lines[head.first_line].strip(" \t>")
        units = tuple(AnswerUnit(joined(row), "|") for row in rows)
        return AnswerBlock("table", units, f"{joined(head)}\n{delimiter_row}")


def lines_of_alerts(lines: Sequence[str]) -> Iterator[int]:
    """The numbers, from 1, of the lines of quotes from the mark of an alert on, such as `[!WARNING]`."""
    is_alert = False
    for number, line in enumerate(lines, 1):
        is_quote = line.lstrip().startswith(">")
        is_alert = is_quote and (is_alert or ALERT_LINE.match(line) is not None)
        if is_alert:
            yield number


def is_text_of_item(previous: Block | None, block: Block) -> bool:
    """True if a block is the first paragraph of an item, which is the item's own text."""
    return (
        previous is not None
        and previous.kind == "item"
        and previous.text != ""
        and block.kind == "paragraph"
        and block.depth > previous.depth
    )


def stands_for_heading(text: str, sentences: int) -> bool:
    """True if a paragraph is bold as a whole, or one short question; a bold statement stresses itself."""
    if text.count(" ") >= MAX_HEADING_WORDS:
        return False
    if bold := BOLD.fullmatch(text):
        return not bold[2].endswith(SENTENCE_ENDS)
    return sentences == 1 and text.endswith(QUESTION_MARKS)


def joined(block: Block) -> str:
    """The text of a block, in one line unless it is code."""
    return block.text if block.kind == "code" else inline_text(ALERT.sub("", block.text))
