"""Markup of other site generators, which a help center would show literally."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INDENTED = re.compile(r" {4}|\t")
_CODE_SPAN = re.compile(r"`[^`\n]{1,300}`")
_COMPONENT = re.compile(r"</?([A-Z][\w.]{0,60})")
_MODULE_LINE = re.compile(r"^(?:import|export) \S", re.MULTILINE)
_DIRECTIVES = (
    ("`:::` admonitions", re.compile(r"^ {0,3}:::", re.MULTILINE)),
    ("`!!!` admonitions", re.compile(r"^ {0,3}(?:!!!|\?\?\?\+?) \w", re.MULTILINE)),
    ("template tags", re.compile(r"\{\{[^{}\n]{0,200}\}\}|\{%[^{}\n]{0,200}%\}")),
    ("directives of reStructuredText", re.compile(r"^ {0,3}\.\. [\w-]{1,40}::|:[a-z]{1,20}:`", re.MULTILINE)),
    ("attributes in braces", re.compile(r"\{[:#.][\w#. =\"'_-]{1,80}\}")),
)


def raw_markup_warnings(added: str, before: str) -> Iterator[str]:
    """A warning for each kind of markup that the added text contains and the article does not use yet."""
    new_text, old_text = _without_code(added), _without_code(before)
    components = set(_COMPONENT.findall(new_text)) - set(_COMPONENT.findall(old_text))
    for name in sorted(components):
        yield f"`<{name}>` is a component of another site: write what it shows in Markdown."
    if _MODULE_LINE.search(new_text) and not _MODULE_LINE.search(old_text):
        yield "Lines with `import` or `export` are for another site: remove them."
    for name, pattern in _DIRECTIVES:
        if pattern.search(new_text) and not pattern.search(old_text):
            yield f"It contains {name}, which readers would see as written."


def _without_code(text: str) -> str:
    lines, fence = list[str](), ""
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            fence = "" if opening and opening[1].startswith(fence) else fence
        elif opening:
            fence = opening[1]
        elif not _INDENTED.match(line):
            lines.append(_CODE_SPAN.sub(" ", line))
    return "\n".join(lines)
