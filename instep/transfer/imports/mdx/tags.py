"""A component or an HTML tag during its conversion to Markdown."""

import re
from dataclasses import dataclass, field

from instep.transfer.imports.mdx.page_layout import MarkdownPiece, on_one_line

_IDENTITY = re.compile(r"[\w:.%-]+")


@dataclass(slots=True)
class Tag:
    """A tag whose content is already converted: `inner` is dedented Markdown.

    `values` are its attributes as texts, except computed ones; `labels` are the texts of attributes that are
    lists, `tables` their objects as rows. `parent` is the tag around it.
    """

    name: str
    values: dict[str, str]
    source: str
    parent: "Tag | None" = None
    labels: dict[str, list[str]] = field(default_factory=dict)
    tables: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    inner: str = ""
    # The Markdown before it on its line.
    line: str = ""
    # The number of its items so far, its summary, and its rows if it is a table.
    count: int = 0
    summary: str = ""
    rows: list[list[str]] = field(default_factory=list)

    def value(self, *names: str) -> str:
        """The value of the first of these attributes that has one."""
        return next((text for name in names if (text := self.values.get(name, "").strip())), "")

    def has(self, name: str) -> bool:
        return self.values.get(name, "false") not in ("false", "")

    def parent_of(self, *names: str) -> "Tag | None":
        """The nearest tag around it with one of these names."""
        parent = self.parent
        while parent is not None and parent.name not in names:
            parent = parent.parent
        return parent


def bold_label(text: str) -> str:
    """A bold label; bold marks inside it are removed."""
    text = on_one_line(text)
    return f"**{text.replace('**', '')}**" if text else ""


def place(identity: str) -> str:
    """The id of an anchor, as `take_heading_ids` reads it."""
    return f"{{#{identity}}}" if _IDENTITY.fullmatch(identity) else ""


def block(text: str) -> MarkdownPiece:
    return MarkdownPiece(text, "block")


def item(text: str) -> MarkdownPiece:
    return MarkdownPiece(text, "item")
