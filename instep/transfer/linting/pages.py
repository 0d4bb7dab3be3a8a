"""Reads the Markdown files of a folder: front matter, and the targets of links."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from yaml import MarkedYAMLError, YAMLError

from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.text.front_matter import split_front_matter
from instep.platform.text.yaml_values import UnboundedYaml, load_yaml
from instep.visitors.insights.health.structure import Structure, read_structure

SUFFIXES = (".md", ".mdx", ".markdown")
SKIPPED_FOLDERS = {"node_modules"}
# If the first line is a thematic break, no field follows it.
UNCLOSED = re.compile(r"\A---[ \t]*\n[\w-]+:")
ORDER = re.compile(r"^\d+-")
TEXT_FIELDS = ("title", "description")


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A problem in a file; `line` counts from 1."""

    path: Path
    line: int
    message: str


@dataclass
class MarkdownFile:
    """One file; `text` has empty lines in place of the front matter, so that line numbers are the file's."""

    path: Path
    text: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    findings: list[LintFinding] = field(default_factory=list)

    @property
    def slug(self) -> str:
        """The slug of its article: from the front matter, or from the file name without its number."""
        slug = self.metadata.get("slug")
        return slug if isinstance(slug, str) else ORDER.sub("", self.path.stem)

    @property
    def locale(self) -> str:
        """The language of its front matter, which decides about terms of the style; English by default."""
        locale = self.metadata.get("locale")
        return locale if isinstance(locale, str) else "en"

    @cached_property
    def structure(self) -> Structure:
        return read_structure(self.text)

    def find(self, line: int | None, message: str) -> None:
        self.findings.append(LintFinding(self.path, line or 1, message))


def read_files(path: Path) -> list[MarkdownFile]:
    """The Markdown files below a folder, in the order of their names; raises `InvalidRequest`."""
    paths = sorted(paths_below(path))
    if not paths:
        raise InvalidRequest(f"{path} contains no Markdown files.")
    if len(paths) > limits.MAX_CHECKED_FILES:
        raise InvalidRequest(
            f"{path} contains more than {limits.MAX_CHECKED_FILES} Markdown files: check its folders one"
            " by one."
        )
    return [read_file(path) for path in paths]


def paths_below(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise InvalidRequest(f"The file or folder {folder} does not exist.")
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        yield from (Path(parent, name) for name in names if name.lower().endswith(SUFFIXES))


def read_file(path: Path) -> MarkdownFile:
    file = MarkdownFile(path)
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise InvalidRequest(f"{path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        file.find(1, "The file is not UTF-8: save it as UTF-8.")
        return file
    if len(text) > limits.MAX_CONTENT_CHARACTERS:
        file.find(
            1, f"The text is longer than an article can be ({limits.MAX_CONTENT_CHARACTERS:,} characters)."
        )
        return file
    read_front_matter(file, text)
    return file


def read_front_matter(file: MarkdownFile, text: str) -> None:
    parts = split_front_matter(text)
    if parts.mark != "---":
        file.text = text
        if UNCLOSED.match(text):
            file.find(1, "The front matter is not closed: add a line `---` at its end.")
        return
    file.text = "\n" * parts.head.count("\n") + parts.body
    try:
        metadata = load_yaml(parts.settings, is_typed=True)
    except (YAMLError, UnboundedYaml) as error:
        file.find(line_of(error), f"The front matter is not valid YAML: {problem_of(error)}.")
        return
    if metadata is not None and not isinstance(metadata, dict):
        file.find(2, "The front matter has no fields, such as `title: Exports`.")
        return
    file.metadata = metadata or {}
    check_fields(file, parts.settings.split("\n"))


def check_fields(file: MarkdownFile, lines: list[str]) -> None:
    for name in TEXT_FIELDS:
        value = file.metadata.get(name, "x")
        if not isinstance(value, str) or not value.strip():
            line = next((number for number, line in enumerate(lines, 2) if line.startswith(f"{name}:")), 2)
            file.find(line, f"`{name}` must be a string: put it in quotes, or remove the field.")


def line_of(error: Exception) -> int:
    """The line in the file, in which the front matter begins on line 2."""
    mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
    return mark.line + 2 if mark else 1


def problem_of(error: Exception) -> str:
    problem = error.problem if isinstance(error, MarkedYAMLError) else str(error)
    return problem or "it can't be read"
