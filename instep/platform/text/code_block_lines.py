"""Finds the lines of a Markdown text that belong to blocks of code, in one pass over them."""

import re

# The markers of a block's containers, and up to three spaces.
_PREFIX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_CODE_INDENT = 4


def text_start(line: str) -> int:
    """The position of a line's own text, after the markers of lists and quotes."""
    prefix = _PREFIX.match(line)
    return prefix.end() if prefix else 0


class CodeLines:
    """Reads the lines of a text in order."""

    def __init__(self) -> None:
        self.fence = ""
        # The column of the list item's text that the next line may belong to.
        self.item_indent = 0
        self.is_after_blank = True

    def is_code(self, line: str, start: int) -> bool:
        """True if a line, whose own text begins at `start`, is part of a code block."""
        if self.fence:
            stripped = line.strip(" \t>")
            if stripped.startswith(self.fence) and set(stripped) == {self.fence[0]}:
                self.fence = ""
                self.is_after_blank = False
            return True
        if not line.strip():
            self.is_after_blank = True
            return False
        blanks = line[: len(line) - len(line.lstrip(" \t"))]
        indent = len(blanks.expandtabs(_CODE_INDENT))
        if self.is_after_blank and indent >= self.item_indent + _CODE_INDENT:
            return True
        self.is_after_blank = False
        if fence := _FENCE.match(line, start):
            self.fence = fence[1]
            return True
        if item := _ITEM.match(line):
            self.item_indent = item.end()
        elif indent < self.item_indent:
            self.item_indent = 0
        return False
