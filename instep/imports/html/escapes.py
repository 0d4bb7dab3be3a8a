"""Fewer backslashes: the converter escapes whatever might be Markdown, people write what needs it."""

import re
from collections.abc import Iterator

import comrak

from instep.core.markdown import extensions, options, renders_at_once

FENCE = re.compile(r"[ >]*(?:[-*+] |[0-9]+[.)] )*(`{3,})")
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# Code, and escapes that are rarely needed: within a line, or within a word.
CODE_OR_ESCAPE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|(?<=\w)\\_(?=\w)|(?<=.)\\([-+.#=)>!|])", re.DOTALL)


def drop_escapes(markdown: str) -> str:
    """Take out the backslashes that change nothing; each block is rendered with and without them."""
    return "\n".join(block if is_code else plainer(block) for is_code, block in blocks_of(markdown))


def blocks_of(markdown: str) -> Iterator[tuple[bool, str]]:
    """The parts between blank lines, and these; code in fences is one part, and told to be code."""
    lines = list[str]()
    fence = ""
    for line in markdown.split("\n"):
        if not fence and not line.strip(" >"):
            if lines:
                yield False, "\n".join(lines)
            yield True, line
            lines = []
            continue
        lines.append(line)
        match = FENCE.match(line)
        if fence and match and match[1].startswith(fence) and line.strip(" >") == match[1]:
            yield True, "\n".join(lines)
            lines, fence = [], ""
        elif not fence and match:
            fence = match[1]
    if lines:
        yield bool(fence), "\n".join(lines)


def plainer(block: str) -> str:
    if "\\" not in block or not renders_at_once(block):
        return block
    html = rendered(block)
    for candidate in (ESCAPE.sub(r"\1", block), CODE_OR_ESCAPE.sub(unescaped, block)):
        if candidate != block and rendered(candidate) == html:
            return candidate
    return block


def unescaped(match: re.Match[str]) -> str:
    return match[0] if match[1] else match[0].replace("\\", "", 1)


def rendered(block: str) -> str:
    """How the block is shown where it begins at the margin, so that indented text is no code."""
    margin = len(block) - len(block.lstrip(" "))
    text = "\n".join(line.removeprefix(" " * margin) for line in block.split("\n"))
    html: str = comrak.render_markdown(
        text, extension_options=extensions(has_anchors=False), render_options=options()
    )
    return html
