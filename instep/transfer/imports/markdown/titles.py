"""Finds the title of a page: from its front matter, its first heading, or its file's name."""

import re

from instep.platform.text.blocks import Block, read_blocks
from instep.transfer.imports.markdown.attribute_lists import remove_attribute_lists
from instep.transfer.imports.markdown.callouts import plain_title
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.tree.file_names import title_of_name

# Front matter in the order of Docusaurus, Mintlify, Jekyll and Hugo.
_LABELS = ("sidebar_label", "sidebarTitle", "nav_title", "linkTitle", "linktitle")
_FOLDER_PAGES = frozenset(("index", "_index", "readme", "home"))
_ID = re.compile(r"(?<![ \t])[ \t]*+(?:\{:?[^{}\n]*\}|\[#[\w.-]+\])[ \t]*$")
_NOT_A_WORD = re.compile(r"[\W_]+")


def take_title(title: str, body: str, path: str, other: str = "") -> tuple[str, str]:
    """The title of a page, and its text without the heading that repeats it.

    `title` is the title in the front matter, or empty. Without one, the title is the first heading if that
    has level 1, which is then removed; otherwise `other`, its title elsewhere in the source, or the name of
    the file or of its folder.
    """
    heading = _first_heading(body)
    if heading is None:
        return plain_title(title) or other or _title_of_path(path), body
    words = plain_title(_ID.sub("", remove_attribute_lists(heading.text)))
    if not title and words:
        return words, _without(body, heading)
    if _is_same(title, words):
        return plain_title(title), _without(body, heading)
    return plain_title(title) or other or _title_of_path(path), body


def navigation_label(fields: Fields) -> str:
    """The name of a page in the navigation, in its front matter; empty if there is none."""
    return fields.text(*_LABELS) or fields.fields("sidebar").text("label")


def _first_heading(body: str) -> Block | None:
    """The first heading if it has level 1."""
    heading = next((block for block in read_blocks(body).blocks if block.kind == "heading"), None)
    return heading if heading and heading.level == 1 and heading.depth == 0 else None


def _without(body: str, heading: Block) -> str:
    lines = body.split("\n")
    above, below = lines[: heading.first_line - 1], lines[heading.last_line :]
    if not any(line.strip() for line in above):
        return "\n".join(below).lstrip("\n")
    return "\n".join(above).rstrip("\n") + "\n\n" + "\n".join(below).lstrip("\n")


def _is_same(title: str, words: str) -> bool:
    return _NOT_A_WORD.sub("", plain_title(title)).casefold() == _NOT_A_WORD.sub("", words).casefold()


def _title_of_path(path: str) -> str:
    folder, _, _ = path.rpartition("/")
    title = title_of_name(path)
    return title_of_name(folder) if title.lower() in _FOLDER_PAGES and folder else title
