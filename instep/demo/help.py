"""Instep's own documentation as files: folders are collections, Markdown files are articles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from instep.platform.text.front_matter import split_front_matter
from instep.platform.text.yaml_values import load_yaml

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
    parts = split_front_matter(file.read_text())
    metadata: dict[str, str] = load_yaml(parts.settings)
    return HelpPage(
        slug=ORDER.sub("", name),
        title=metadata["title"],
        description=metadata.get("description"),
        icon=metadata.get("icon"),
        text=f"{parts.body.strip()}\n",
    )
