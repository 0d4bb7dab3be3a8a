"""Sections of settings files that a change renames while their settings stay: `persistence` to `storage`."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from instep.text.file_kinds import LONG_LINE
from instep.text.patch import Hunk, Line
from instep.writer.diffs.change_set import ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.renames import Rename

_SETTINGS_FILE = re.compile(r"\.(?:ya?ml|toml|json5?|ini|cfg|conf|hcl)$|(?:^|/)\.[\w-]{1,40}rc$")
_DEPENDENCIES_FILE = re.compile(r"(?:^|/)(?:package|composer|deno)\.json$")
# `persistence:`, `"persistence": {`, `[persistence]`, `[server.persistence]`.
_OPENING = re.compile(
    r"""(\s*)(?:["']?([A-Za-z][\w-]*)["']?\s*:\s*\{?|\[(?:[\w-]+\.)*([A-Za-z][\w-]*)\])\s*$"""
)
_KEY = re.compile(r"""(\s*)["']?([A-Za-z][\w-]*)["']?\s*[:=]""")
_MAX_KEYS = 30


class _Section(NamedTuple):
    """The line that opens a section, its name, its indent (-1 for a table in brackets)."""

    line: Line
    name: str
    indent: int


def find_renamed_sections(files: Iterable[ReviewedFile]) -> Iterator[Rename]:
    """The renames of sections that keep settings which the change shows."""
    for file in files:
        path = file.patch.path
        is_settings = _SETTINGS_FILE.search(path) and not _DEPENDENCIES_FILE.search(path)
        if is_settings and file.kind not in {"test", "internal"} and file.patch.status == "modified":
            names = [section.name for hunk in file.patch.hunks for section in _sections(hunk)]
            for hunk in file.patch.hunks:
                for old, new, keys in _renamed(hunk):
                    if names.count(old.name) == names.count(new.name) == 1:
                        source = SourceLine(path, new.line.new, new.line.text, file.weight)
                        yield Rename(old.name, new.name, (source,), None, rest=_followed_by(keys))


def _sections(hunk: Hunk) -> Iterator[_Section]:
    for line in hunk.lines:
        opening = _OPENING.match(line.text) if len(line.text) <= LONG_LINE else None
        if opening:
            yield _Section(line, opening[2] or opening[3], len(opening[1]) if opening[2] else -1)


def _renamed(hunk: Hunk) -> Iterator[tuple[_Section, _Section, list[str]]]:
    """A section that one line opens instead of another, with the settings in it that stay."""
    sections = list(_sections(hunk))
    for old, new in pairwise(sections):
        is_pair = old.line.mark == "-" and new.line.mark == "+" and old.indent == new.indent
        if is_pair and old.line.new == new.line.new and old.name != new.name:
            keys = _keys_in(new, hunk)
            if keys:
                yield old, new, keys


def _keys_in(section: _Section, hunk: Hunk) -> list[str]:
    """The unchanged settings of a section, up to its end or that of the hunk."""
    keys = list[str]()
    for line in hunk.lines[hunk.lines.index(section.line) + 1 :]:
        is_end = _OPENING.match(line.text) if section.indent < 0 else None
        key = _KEY.match(line.text)
        if (is_end and is_end[3]) or (key and len(key[1]) <= section.indent):
            break
        if key and line.mark == " ":
            keys.append(key[2])
    return keys[:_MAX_KEYS]


def _followed_by(keys: Iterable[str]) -> str:
    """What follows the name of a section in an article: one of its settings, after a point or in a line."""
    key = rf"(?:{'|'.join(map(re.escape, dict.fromkeys(keys)))})(?![\w-])"
    line_start = r"[ \t]*\n\s{0,40}(?:[-*]\s)?[`\"']?"
    return rf"\.{key}|[\"']?:[ \t]*\{{?{line_start}{key}|\]{line_start}{key}|[`*]*\ssection\b"
