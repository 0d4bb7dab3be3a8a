"""Removes needless backslashes of the converter, and escapes text that a parser would read as a tag."""

import re
from collections.abc import Iterator

import comrak

from instep.platform.core.markdown import extensions, options, renders_at_once
from instep.platform.text.code_spans import code_spans

FENCE = re.compile(r"[ >]*(?:[-*+] |[0-9]+[.)] )*(`{3,})")
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# Escapes that are rarely needed: inside a word, or inside a line.
RARE_ESCAPE = re.compile(r"(?<=\w)\\(?=_\w)|(?<=.)\\(?=[-+.#=)>!|])")
# A lowercase tag with only words after its name.
_BARE_TAG = re.compile(r"(?<!\\)<([a-z][a-z0-9-]*)((?:[ \t\n]+[^\s<>=\"'/{}`]+)+)[ \t\n]*>")
# Attributes without a value in HTML and in site generators.
_BARE_ATTRIBUTES = frozenset(
    (
        *("allowfullscreen", "async", "autofocus", "autoplay", "checked", "compact", "controls", "default"),
        *("defer", "disabled", "download", "formnovalidate", "hidden", "inert", "ismap", "itemscope", "loop"),
        *("markdown", "multiple", "muted", "nomodule", "noshade", "novalidate", "nowrap", "open", "readonly"),
        *("playsinline", "required", "reversed", "scoped", "seamless", "selected", "setup"),
        *("webkitallowfullscreen", "alt", "title", "class", "id", "value", "name", "inline", "block"),
        "border",
    )
)


def drop_escapes(markdown: str) -> str:
    """Remove the backslashes that change nothing; each block is rendered with and without them."""
    return "\n".join(block if is_code else plainer(block) for is_code, block in blocks_of(markdown))


def blocks_of(markdown: str) -> Iterator[tuple[bool, str]]:
    """Blank lines and the parts between them, each with a flag for code; fenced code is one part."""
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
    for candidate in (ESCAPE.sub(r"\1", block), without_rare_escapes(block)):
        if candidate != block and rendered(candidate) == html:
            return candidate
    return block


def without_rare_escapes(block: str) -> str:
    parts = list[str]()
    position = 0
    for start, end in code_spans(block):
        parts += [RARE_ESCAPE.sub("", block[position:start]), block[start:end]]
        position = end
    return "".join([*parts, RARE_ESCAPE.sub("", block[position:])])


def rendered(block: str) -> str:
    """The rendered block, starting at the first column so that indented text is not code."""
    margin = len(block) - len(block.lstrip(" "))
    text = "\n".join(line.removeprefix(" " * margin) for line in block.split("\n"))
    html: str = comrak.render_markdown(
        text, extension_options=extensions(has_anchors=False), render_options=options()
    )
    return html


def shown_comparisons(text: str, bracket: str) -> str:
    """The text with such brackets replaced by `bracket`."""

    def escape(tag: re.Match[str]) -> str:
        is_tag = all(is_attribute(word) for word in tag[2].split())
        return tag[0] if is_tag else bracket + tag[0][1:]

    return _BARE_TAG.sub(escape, text)


def is_attribute(word: str) -> bool:
    return word.lower() in _BARE_ATTRIBUTES or "-" in word or word.startswith((":", "@", "#", "*", "["))
