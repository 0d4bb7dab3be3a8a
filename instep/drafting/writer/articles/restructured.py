"""Rewrites titles of reStructuredText as titles of Markdown, line by line; the rest needs no rewriting."""

import re

from instep.drafting.writer.words.prose import is_restructured

_UNDERLINE = re.compile(r"([=\-~#*^\"'`+])\1{2,}\s*$")
# Comments and code are indented; in Markdown they would be titles.
_INDENTED_SIGN = re.compile(r"(?m)^ {1,3}#")
_MAX_LEVEL = 6
# Maximum number of characters by which an underline may be shorter than its title.
_MAX_MISSING_CHARACTERS = 3


def with_markdown_titles(text: str) -> str:
    """The same number of lines; each title and its underline become `## title` and a blank line.

    A Markdown text is not changed. Each new kind of underline is one level deeper, down to 6.
    """
    if not is_restructured(text):
        return text
    lines, levels = _INDENTED_SIGN.sub(r"\\#", text).split("\n"), dict[str, int]()
    for index in range(1, len(lines)):
        title, below = lines[index - 1].rstrip(), lines[index].rstrip()
        has_overline = index > 1 and lines[index - 2].rstrip() == below
        if _is_title(title.strip() if has_overline else title, below):
            level = levels.setdefault(below[0], len(levels) + 1)
            lines[index - 1 : index + 1] = f"{'#' * min(level, _MAX_LEVEL)} {title.strip()}", ""
            if has_overline:
                lines[index - 2] = ""
    return "\n".join(lines)


def _is_title(title: str, below: str) -> bool:
    return (
        is_underline(below)
        and bool(title[:1].strip())
        and len(below) >= len(title) - _MAX_MISSING_CHARACTERS
        and not is_underline(title)
        and not title.startswith(("|", "- "))
    )


def is_underline(text: str) -> bool:
    return bool(_UNDERLINE.match(text))
