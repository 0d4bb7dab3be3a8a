"""Instep's own documentation as files: folders are collections, Markdown files are articles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import frontmatter

HERE = Path(__file__).parent
# A checkout has the texts in `docs/help`; a built package contains a copy.
HELP = next(path for path in (HERE / "help", HERE.parent.parent / "docs" / "help") if path.exists())
ORDER = re.compile(r"^\d+-")


@dataclass(frozen=True, slots=True)
class HelpPage:
    """One file: an article, or the description of a collection."""

    slug: str
    title: str
    description: str | None
    icon: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A folder with its articles, in order."""

    about: HelpPage
    pages: list[HelpPage]


def read_help(folder: Path = HELP) -> Iterator[Section]:
    for section in sorted(path for path in folder.iterdir() if path.is_dir()):
        about = read_page(section / "_collection.md", section.name)
        files = sorted(section.glob("[0-9]*.md"))
        yield Section(about, [read_page(file, file.stem) for file in files])


def read_page(file: Path, name: str) -> HelpPage:
    post = frontmatter.loads(file.read_text())
    metadata: dict[str, Any] = post.metadata
    return HelpPage(
        slug=ORDER.sub("", name),
        title=metadata["title"],
        description=metadata.get("description"),
        icon=metadata.get("icon"),
        text=post.content + "\n",
    )
