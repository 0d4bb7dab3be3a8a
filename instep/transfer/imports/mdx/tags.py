"""A component or an HTML tag during its conversion to Markdown."""

import re
from dataclasses import dataclass, field

from instep.transfer.imports.mdx.page_layout import MarkdownPiece, on_one_line

_IDENTITY = re.compile(r"[\w:.%-]+")


@dataclass(slots=True)
class Tag:
    """A tag whose content is Markdown already: `inner` begins at the first column.

    `values` are its attributes as texts, those that only a program knows left out; `labels` are the texts of
    an attribute that is a list, `tables` its objects as rows. `parent` is the tag around it.
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
    # How many items it has so far, what its summary is, and the rows of a table.
    count: int = 0
    summary: str = ""
    rows: list[list[str]] = field(default_factory=list)

    def value(self, *names: str) -> str:
        """The first of these attributes that has a text."""
        return next((text for name in names if (text := self.values.get(name, "").strip())), "")

    def has(self, name: str) -> bool:
        return self.values.get(name, "false") not in ("false", "")

    def parent_of(self, *names: str) -> "Tag | None":
        """The nearest tag around it that has one of these names."""
        parent = self.parent
        while parent is not None and parent.name not in names:
            parent = parent.parent
        return parent


def bold_label(text: str) -> str:
    """A label; what is bold in it already stays as it is."""
    text = on_one_line(text)
    return f"**{text.replace('**', '')}**" if text else ""


def place(identity: str) -> str:
    """The id of a place that links lead to, as `take_heading_ids` reads it."""
    return f"{{#{identity}}}" if _IDENTITY.fullmatch(identity) else ""


def block(text: str) -> MarkdownPiece:
    return MarkdownPiece(text, "block")


def item(text: str) -> MarkdownPiece:
    return MarkdownPiece(text, "item")
