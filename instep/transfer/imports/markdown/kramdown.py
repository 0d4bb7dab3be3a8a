"""Converts kramdown's extensions of Markdown to plain Markdown."""

import re

from instep.transfer.imports.html.callout_kinds import ALERT_KINDS
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.definition_lists import replace_definition_lists
from instep.transfer.imports.markdown.emoji_codes import replace_emoji_codes

_CONTENTS = re.compile(
    r"^[ \t]*+(?:[-*+]|\d++\.)[ \t][^\n]*+\n[ \t]*+\{:[ \t]*+toc\b[^}\n]*+\}[ \t]*$", re.MULTILINE
)
_EXTENSION = re.compile(r"\{:(?::[^{}\n]*|/[^{}\n]*|[\w-]+:[^{}\n]*|[ \t]*toc[^{}\n]*|[ \t]*)\}")
_CLASS_LINE = re.compile(r"[ \t]*\{:[ \t]*\.([\w-]+)[^{}\n]*\}[ \t]*$")
_TITLE_ENDING = "-title"


def plain_kramdown(text: str) -> str:
    """The text without kramdown's own marks; code must be hidden.

    A paragraph with a class such as `{: .note }` is a callout, as in most themes.
    """
    text = _EXTENSION.sub("", _CONTENTS.sub("", text))
    blocks = re.split(r"(\n[ \t]*\n)", text)
    return replace_emoji_codes(replace_definition_lists("".join(_plain_block(block) for block in blocks)))


def _plain_block(block: str) -> str:
    """An alert for a block whose first or last line sets a class that is a kind of callout."""
    lines = block.strip("\n").split("\n")
    for at in (0, len(lines) - 1):
        match = _CLASS_LINE.match(lines[at])
        kind = match[1].removesuffix(_TITLE_ENDING).lower() if match else ""
        rest = lines[:at] + lines[at + 1 :]
        if match and kind in ALERT_KINDS and rest:
            return _callout(kind, [line.removeprefix("> ").removeprefix(">") for line in rest], match[1])
    return block


def _callout(kind: str, lines: list[str], name: str) -> str:
    if name.endswith(_TITLE_ENDING) and len(lines) > 1:
        return alert(kind, lines[0], "\n".join(lines[1:]))
    return alert(kind, "", "\n".join(lines))
