"""Reads a Markdown file as its settings and its text."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from instep.platform.text.front_matter import split_front_matter
from instep.platform.text.yaml_values import NULL
from instep.transfer.imports.markdown.fields import (
    Fields,
    Value,
    read_json,
    read_toml_fields,
    read_yaml_fields,
)
from instep.transfer.imports.tree.schemas import Losses

_BYTE_ORDER_MARKS = re.compile(r"^\ufeff+", re.MULTILINE)
# Settings that are plain text, and characters with which YAML begins other types of values.
_WORDS = frozenset(("title", "description", "sidebar_label"))
_NO_TEXT = re.compile(r"[\[{&]|!(?!!)")
_QUOTED = re.compile(r"\A([\"'])(.*)\1\Z")
_TOML_KEY = re.compile(r"^([\w-]+)[ \t]*=", re.MULTILINE)
_KEY = re.compile(r"([\w-]+)[ \t]*:(?:[ \t]+(.*))?$")


class PageLosses:
    """Records losses of a page and finds their lines in the file, however much the text was changed before.

    If the same words are recorded several times, they refer to successive occurrences in the file.
    """

    def __init__(self, path: str, source: str, losses: Losses) -> None:
        self.path, self.source, self.losses = path, source, losses
        self._ends: defaultdict[str, int] = defaultdict(int)

    def add(self, what: str, words: str = "") -> None:
        """Record the loss `what` at the next occurrence of `words`, the beginning of a passage."""
        self.losses.add(self.path, what, self._line_of(words))

    def add_refusal(self, path: str, words: str) -> None:
        """Record that the text of a file is not included because of the limits of a page."""
        what = "files include each other too deeply, or the page's included texts are too large"
        self.add(f"file {path}, because {what}", words)

    def _line_of(self, words: str) -> int | None:
        # Hidden code begins at a NUL.
        beginning = words.strip().partition("\n")[0].partition("\x00")[0].strip()
        if not beginning:
            return None
        start = self.source.find(beginning, self._ends[beginning])
        if start < 0:
            start = self.source.find(beginning)
        self._ends[beginning] = start + len(beginning)
        return None if start < 0 else self.source.count("\n", 0, start) + 1


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A Markdown file: `body` is the text after the front matter, with `\\n` line ends.

    `losses` finds lines in the whole file.
    """

    path: str
    fields: Fields
    body: str
    losses: PageLosses


def read_page(path: str, content: bytes, losses: Losses) -> SourcePage:
    """Read a Markdown file as far as possible; invalid UTF-8 and front matter are recorded as losses."""
    text = decode_text(path, content, losses)
    page_losses = PageLosses(path, text, losses)
    fields, body = _split_front_matter(text, page_losses)
    return SourcePage(path, fields, body, page_losses)


def decode_text(path: str, content: bytes, losses: Losses) -> str:
    """The text of a file with `\\n` line ends and NUL replaced, as in CommonMark (0.31.2, section 2.3)."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        losses.add(path, "text that is not UTF-8")
        text = content.decode("utf-8-sig", errors="replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    return _BYTE_ORDER_MARKS.sub("", text)


def _split_front_matter(text: str, losses: PageLosses) -> tuple[Fields, str]:
    start = text.lstrip("\n")
    parts = split_front_matter(start)
    if parts.mark == "---":
        fields = _read_yaml(parts.settings, losses)
        return (Fields(), text) if fields is None else (fields, parts.body)
    if parts.mark == "+++":
        try:
            return read_toml_fields(parts.settings), parts.body
        except ValueError as error:
            losses.add(f"front matter that is not valid TOML ({error}), read line by line", parts.mark)
            return read_line_fields(_TOML_KEY.sub(r"\1: ", parts.settings)), parts.body
    return _split_json(start) or (Fields(), text)


def _read_yaml(text: str, losses: PageLosses) -> Fields | None:
    """The settings; None if the text is not front matter but lies between two thematic breaks."""
    pairs = {match[1]: match[2] or "" for _, match in _lines_of_keys(text)}
    try:
        fields = read_yaml_fields(text)
    except ValueError as error:
        if not pairs:
            return None
        losses.add(f"front matter that is not valid YAML ({error}), read line by line", "---")
        return read_line_fields(text)
    # A title such as [x] or !bang would need quotes: without them, YAML does not read it as a string.
    no_texts = {key for key in _WORDS & pairs.keys() if _NO_TEXT.match(pairs[key])}
    return Fields({**fields.values, **{key: pairs[key].strip() for key in no_texts}})


def read_line_fields(text: str) -> Fields:
    """The settings in lines of a name and a value; what continues below its line is a list without items."""
    values: dict[str, Value] = {}
    for rest, match in _lines_of_keys(text):
        value = _QUOTED.sub(r"\2", (match[2] or "").strip())
        is_continued = not value and rest.startswith((" ", "\t", "-"))
        values[match[1]] = [] if is_continued else NULL.sub("", value)
    return Fields(values)


def _lines_of_keys(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The lines that begin with a key, each with the line below."""
    lines = text.split("\n")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if match := _KEY.match(line):
            yield below, match


def _split_json(text: str) -> tuple[Fields, str] | None:
    if not text.startswith("{"):
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(text)
        value = read_json(text[:end])
    except (ValueError, RecursionError):
        return None
    return (Fields(value), text[end:].lstrip("\n")) if isinstance(value, dict) and value else None
