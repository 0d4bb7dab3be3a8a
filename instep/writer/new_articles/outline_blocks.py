"""Reads the instructions of a new article as blocks of Markdown: as data, never as commands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instep.text.characters import JOINERS, is_hidden

BlockKind = Literal["text", "code", "heading", "steps", "topics", "points"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]++(.*[^ \t#\n]|)[ \t#]*+$")
_ITEM = re.compile(r" {0,3}([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$")
_CONTINUED = re.compile(r"[ \t]{2,}\S")
# An opening tag or comment would hide what follows it; inside code it is text.
_TAG = re.compile(r"(`{1,3})(?!`)[^`\n]{1,300}\1(?!`)|<(?=[a-zA-Z/!?])(?!https?:|mailto:)")
# The verb that asks the writer to say something is omitted, and what to say remains.
_REQUEST_VERB = re.compile(
    r"(?:please )?"
    r"(?:explain|describe|document|show|cover|mention|say|tell (?:the )?\w+|write(?: an article)?)"
    r" (?:(?:that|about) |(?=how |why |what |where |when |which ))",
    re.IGNORECASE,
)
_ENDS = (".", "!", "?", ":", ";", ",", "。")
_MAX_TOPIC_CHARACTERS, _MAX_TOPICS = 80, 30


@dataclass(frozen=True, slots=True)
class InstructionBlock:
    """A paragraph, a heading, fenced code or a list; `lines` are its lines or the items of the list."""

    kind: BlockKind
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def blocks_of(instructions: str) -> list[InstructionBlock]:
    """The blocks of the instructions, in their order, each of them complete."""
    lines = _cleaned(instructions).split("\n")
    blocks: list[InstructionBlock] = []
    index = 0
    while index < len(lines):
        block, index = _next(lines, index)
        if block:
            blocks.append(block)
    return blocks


def _next(lines: list[str], index: int) -> tuple[InstructionBlock | None, int]:
    line = lines[index]
    if not line.strip():
        return None, index + 1
    if fence := _FENCE.match(line):
        return _code(lines, index, fence[1])
    if heading := _HEADING.match(line):
        return InstructionBlock("heading", (_safe(heading[2]),)) if heading[2] else None, index + 1
    if item := _ITEM.match(line):
        return _list(lines, index, item[1][-1] in ".)")
    return _text(lines, index)


def _code(lines: list[str], index: int, fence: str) -> tuple[InstructionBlock, int]:
    end = index + 1
    while end < len(lines) and not lines[end].strip().startswith(fence):
        end += 1
    return InstructionBlock("code", (*(line.rstrip() for line in lines[index:end]), fence)), end + 1


def _list(lines: list[str], index: int, is_ordered: bool) -> tuple[InstructionBlock, int]:
    items: list[str] = []
    while index < len(lines):
        match = _ITEM.match(lines[index])
        if match and (match[1][-1] in ".)") == is_ordered:
            items.append(_safe(match[2].rstrip()))
        elif items and _CONTINUED.match(lines[index]):
            items[-1] += f"\n{_safe(lines[index].strip())}"
        else:
            break
        index += 1
    are_topics = len(items) <= _MAX_TOPICS and all(map(_is_topic, items))
    kind: BlockKind = "steps" if is_ordered else "topics" if are_topics else "points"
    return InstructionBlock(kind, tuple(items)), index


def _is_topic(item: str) -> bool:
    """Whether an item is a few words that name something, as a heading does."""
    return "\n" not in item and len(item) <= _MAX_TOPIC_CHARACTERS and not item.endswith(_ENDS)


def _text(lines: list[str], index: int) -> tuple[InstructionBlock, int]:
    text_lines: list[str] = []
    while index < len(lines) and lines[index].strip() and (not text_lines or not _begins(lines[index])):
        text_lines.append(_safe(lines[index].rstrip()))
        index += 1
    text_lines[0] = _without_verb(text_lines[0])
    return InstructionBlock("text", tuple(text_lines)), index


def _begins(line: str) -> bool:
    return bool(_FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line))


def _without_verb(line: str) -> str:
    match = _REQUEST_VERB.match(line)
    if not match or match.end() == len(line):
        return line
    return line[match.end()].upper() + line[match.end() + 1 :]


def _safe(line: str) -> str:
    return _TAG.sub(lambda match: match[0] if match[1] else "\\<", line)


def _cleaned(text: str) -> str:
    """The text without hidden characters, and with line feeds only."""
    return "".join(_visible_characters(text.replace("\r\n", "\n").replace("\r", "\n")))


def _visible_characters(text: str) -> Iterator[str]:
    return (char for char in text if char in "\n\t" + JOINERS or not is_hidden(char))
