"""The article about limits: the constants of `instep/platform/core/limits` and the comments above them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from instep.platform.core import limits
from scripts.reference.tables import code, table

PAGE = "06-reference/02-limits.md"
BEGINNING = """\
---
title: Limits
description: Every limit that a caller, a reader or an operator can meet, by area.
---
These limits are defined in `instep/platform/core/limits` and can't be changed; limits that an operator can \
change are [settings](/help/instep/articles/settings). An error names the limit and what to do: see \
[Errors](/help/instep/articles/errors). A description also covers the limits below it that have none.
"""
NAME = re.compile(r"([A-Z][A-Z0-9_]*) = ")
UNITS = ("characters", "words", "seconds", "minutes", "hours", "pixels", "levels", "tokens")
DAY_SECONDS = 86_400
MAX_TITLE_CHARACTERS = 70


@dataclass
class Part:
    """One area: its sentence, and for each limit its name and the sentence that stands above it."""

    title: str
    rows: list[tuple[str, str]] = field(default_factory=list)


def limits_page() -> str:
    parts = [part for part in parts_of(source()) if part.rows]
    return "\n".join([BEGINNING, *(text_of(part) for part in parts)])


def source() -> str:
    """The texts of the modules, by their names."""
    paths = sorted(Path(limits.__file__).parent.glob("*.py"))
    return "\n".join(path.read_text() for path in paths if path.name != "__init__.py")


def names_of(text: str) -> list[str]:
    """The constants in the order of the text, each as often as it is assigned."""
    return [match[1] for line in text.splitlines() if (match := NAME.match(line))]


def parts_of(text: str) -> Iterator[Part]:
    """An area begins with a comment after an empty line; its first sentence is its title."""
    part, comment, is_start = Part(""), "", False
    for line in text.splitlines():
        if not line:
            is_start, comment = True, ""
        elif line.startswith("# "):
            comment = f"{comment} {line[2:]}".strip()
            if is_start and comment.endswith("."):
                yield part
                title, meaning = title_and_meaning(comment)
                part, comment, is_start = Part(title), meaning, False
        elif match := NAME.match(line):
            part.rows.append((match[1], comment))
            comment, is_start = "", False
    yield part


def title_and_meaning(comment: str) -> tuple[str, str]:
    """The title of an area, and the rest of a long comment, which is about the first limits."""
    title, colon, rest = comment.partition(": ")
    if not colon or len(comment) <= MAX_TITLE_CHARACTERS:
        return comment.rstrip("."), ""
    return title, f"{rest[:1].upper()}{rest[1:]}"


def text_of(part: Part) -> str:
    rows = [(code(name), shown(name, getattr(limits, name)), comment) for name, comment in part.rows]
    return f"## {part.title}\n\n{table(('limit', 'value', 'meaning'), rows)}\n"


def shown(name: str, value: object) -> str:
    """A value with the unit that its name says."""
    if isinstance(value, tuple):
        return ", ".join(shown(name, single) for single in value)
    if isinstance(value, timedelta):
        return duration(int(value.total_seconds()))
    assert isinstance(value, int | float)
    words = name.lower().split("_")
    if "bytes" in words and "per" not in words:
        return size(int(value))
    if name.endswith("_BYTES_PER_SECOND"):
        return f"{value:,} bytes a second"
    number = int(value) if value == int(value) else value
    unit = next((unit for unit in UNITS if unit == words[-1]), "")
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}".strip()


def duration(seconds: int) -> str:
    """Seconds in the largest unit that leaves no rest."""
    for unit, length in (("day", DAY_SECONDS), ("hour", 3_600), ("minute", 60), ("second", 1)):
        if seconds % length == 0 and seconds >= length:
            count = seconds // length
            return f"{count} {unit}" + ("s" if count > 1 else "")
    return "0 seconds"


def size(count: int) -> str:
    for unit, length in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if count % length == 0:
            return f"{count // length:,} {unit}"
    return f"{count:,} bytes"
