"""The lines that a part of a text needs above it to render correctly: a table header, a code fence."""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.platform.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.platform.text.blocks import Block, read_blocks

# Opening lines of a block that the lines below them don't reveal.
OPENING_LINES = {"table": 2, "code": 1}


@dataclass(frozen=True, slots=True)
class Openings:
    """The tables and the code of a text with its lines, which count from 1."""

    lines: Sequence[str] = ()
    blocks: Sequence[Block] = ()

    def above(self, line: int) -> str:
        """The first lines of the block that continues at this line; empty if none does."""
        for block in self.blocks:
            # A row is part of the table that ends above it.
            last = block.last_line + (block.kind == "table")
            if block.first_line < line <= last:
                end = min(block.first_line - 1 + OPENING_LINES[block.kind], line - 1)
                return "".join(f"{opening}\n" for opening in self.lines[block.first_line - 1 : end])
        return ""


def openings_of(text: str) -> Openings:
    """The openings of a text; empty for a text too complex to be parsed in time."""
    try:
        refuse_costly_markdown(text)
    except TooComplex:
        return Openings()
    parsed = read_blocks(text)
    blocks = [
        block
        for block in parsed.blocks
        if block.depth == 0 and (block.kind == "table" or (block.kind == "code" and block.marker))
    ]
    return Openings(parsed.lines, blocks)
