"""A page as one file: YAML front matter between two lines `---`, then the Markdown, byte for byte.

Changing a value changes only its lines; everything else stays as its author wrote it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import yaml

from instep.platform.core import limits
from instep.platform.text.diff import split_lines
from instep.platform.text.front_matter import split_front_matter
from instep.platform.text.yaml_values import UnboundedYaml, load_yaml

# YAML does not read values that begin like this as strings.
TITLE_WITHOUT_QUOTES = re.compile(r"title[ \t]*:[ \t]+[\[{&!]")
# A line that continues a value: indented, an item of a list, or an empty line inside a block.
CONTINUATION = re.compile(r"[ \t]|-[ \t\r\n]|\r?\n?\Z")
# Characters that a plain YAML string can't begin with. A parser would read a title such as `{<<: [*a, *a]}`
# as a mapping, which can expand without bound.
INDICATORS = frozenset(",[]{}#&*!|>'\"%@`")
# Fields that decide who reads a page, and where: a value that is ignored could make it public.
SINGLE_VALUES = frozenset(("visibility", "status", "collection", "since", "until"))
# Longer values are quoted, so no parser has to check whether they need quotes.
MAX_PLAIN_CHARACTERS = 1_000


class UnreadableFrontMatter(ValueError):
    """The front matter is not a YAML mapping; the message describes the problem in one clause."""


class UnboundedFrontMatter(UnreadableFrontMatter):
    """The front matter exceeds a limit that hand-written pages never reach."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """The parts of a file, which joined are the file: `head` includes both lines `---`, and may be empty."""

    head: str
    body: str

    @property
    def text(self) -> str:
        return self.head + self.body


def split_page(text: str) -> PageFile:
    """The front matter and the Markdown of a file; a file without front matter has an empty head."""
    parts = split_front_matter(text)
    is_long = len(parts.head) > limits.MAX_FRONT_MATTER_CHARACTERS
    if parts.mark != "---" or (is_long and not parts.begins_with_key):
        return PageFile("", text)
    return PageFile(parts.head, parts.body)


def read_values(page: PageFile) -> dict[str, str]:
    """The values of the front matter that are a single string, number or date; empty values are left out.

    Raises `UnreadableFrontMatter`.
    """
    if len(page.head) > limits.MAX_FRONT_MATTER_CHARACTERS:
        raise UnboundedFrontMatter(f"it has more than {limits.MAX_FRONT_MATTER_CHARACTERS:,} characters")
    lines = split_lines(page.head)[1:-1]
    try:
        values = load_yaml("".join(lines))
    except UnboundedYaml as error:
        raise UnboundedFrontMatter(str(error)) from None
    except yaml.YAMLError as error:
        raise UnreadableFrontMatter(problem_of(error)) from None
    if not values:
        return {}
    if not isinstance(values, dict):
        raise UnreadableFrontMatter("it has no fields, such as `title: Install`")
    has_title = isinstance(values.get("title"), str) and values["title"] != ""
    if not has_title and any(TITLE_WITHOUT_QUOTES.match(line) for line in lines):
        raise UnreadableFrontMatter("its `title` is not a YAML string: put it in quotes")
    refuse_ignored_values(values, has_title=has_title)
    return {key: value for key, value in values.items() if isinstance(value, str) and value}


def refuse_ignored_values(values: Mapping[str, object], *, has_title: bool) -> None:
    for key, value in values.items():
        is_visibility = key.lower() == "visibility"
        if is_visibility and key != "visibility":
            raise UnreadableFrontMatter(f"write `{key}` as `visibility`")
        if not isinstance(value, str) and (is_visibility or (has_title and key in SINGLE_VALUES)):
            raise UnreadableFrontMatter(f"its `{key}` must be a single value")


def read_heads(heads: Sequence[str]) -> list[dict[str, str] | UnreadableFrontMatter]:
    """The values of each front matter, or a description of its problem."""
    return [values_or_problem(PageFile(head, "")) for head in heads]


def values_or_problem(page: PageFile) -> dict[str, str] | UnreadableFrontMatter:
    try:
        return read_values(page)
    except UnreadableFrontMatter as problem:
        return problem


def new_page(values: Mapping[str, str | None], body: str) -> PageFile:
    """A file with these values in this order, without those that are None."""
    lines = [f"{key}: {scalar(value)}\n" for key, value in values.items() if value is not None]
    return PageFile("".join(("---\n", *lines, "---\n")), body)


def with_value(page: PageFile, key: str, value: str | None) -> PageFile:
    """The file with a new value in place of the old one's lines; None removes the lines.

    A value that was missing is added at the end. It ends its line as the first line of the front matter ends.
    """
    if not page.head:
        return new_page({key: value}, page.body)
    lines = split_lines(page.head)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    first, last = lines_of(lines, key)
    new_lines = [f"{key}: {scalar(value)}{end}"] if value is not None else []
    return replace(page, head="".join((*lines[:first], *new_lines, *lines[last:])))


def lines_of(lines: list[str], key: str) -> tuple[int, int]:
    """The first and the last line of a value; if there is none, both are the position to insert it."""
    pattern = re.compile(rf"""(?:{re.escape(key)}|"{re.escape(key)}"|'{re.escape(key)}')[ \t]*:(?:\s|\Z)""")
    first = next((number for number, line in enumerate(lines) if pattern.match(line)), None)
    if first is None:
        return len(lines) - 1, len(lines) - 1
    last = first + 1
    while last < len(lines) - 1 and CONTINUATION.match(lines[last]):
        last += 1
    while not lines[last - 1].strip() and last > first + 1:
        last -= 1
    return first, last


def scalar(value: str) -> str:
    """A string as YAML on one line: plain if YAML reads it back unchanged, otherwise in double quotes."""
    if is_plain(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in escaped) + '"'


def is_plain(value: str) -> bool:
    if not value.isprintable() or value != value.strip() or len(value) > MAX_PLAIN_CHARACTERS:
        return False
    if value[:1] in INDICATORS:
        return False
    try:
        # Other parsers read words such as `yes` and `12` as other types than strings.
        return bool(yaml.load(f"key: {value}", Loader=yaml.CSafeLoader) == {"key": value})
    except (yaml.YAMLError, ValueError):
        return False


def problem_of(error: Exception) -> str:
    """The parser's error message on one line, without its formatting."""
    problem = getattr(error, "problem", None)
    mark = getattr(error, "problem_mark", None)
    place = f" in line {mark.line + 2}" if mark is not None else ""
    return f"{problem or 'it is not valid YAML'}{place}"
