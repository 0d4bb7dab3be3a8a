"""Reads the instructions of a new article as blocks of Markdown: data to set in order, never commands."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["text", "code", "heading", "steps", "topics", "points"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]++(.*[^ \t#\n]|)[ \t#]*+$")
_ITEM = re.compile(r" {0,3}([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$")
_CONTINUED = re.compile(r"[ \t]{2,}\S")
# An opening tag, comment or the like would swallow what follows; inside code it is only shown.
_TAG = re.compile(r"(`{1,3})(?!`)[^`\n]{1,300}\1(?!`)|<(?=[a-zA-Z/!?])(?!https?:|mailto:)")
# What tells the writer to say something is left out, what it is to say stays.
_TELLING = re.compile(
    r"(?:please )?"
    r"(?:explain|describe|document|show|cover|mention|say|tell (?:the )?\w+|write(?: an article)?)"
    r" (?:(?:that|about) |(?=how |why |what |where |when |which ))",
    re.IGNORECASE,
)
_ENDS = (".", "!", "?", ":", ";", ",", "。")
_LONGEST_TOPIC, _MOST_TOPICS = 80, 30
_UNSEEN = frozenset(("Cc", "Cf", "Co", "Cs"))


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
    lines = _seen(instructions).split("\n")
    found: list[InstructionBlock] = []
    at = 0
    while at < len(lines):
        block, at = _next(lines, at)
        if block:
            found.append(block)
    return found


def _next(lines: list[str], at: int) -> tuple[InstructionBlock | None, int]:
    line = lines[at]
    if not line.strip():
        return None, at + 1
    if fence := _FENCE.match(line):
        return _code(lines, at, fence[1])
    if heading := _HEADING.match(line):
        return InstructionBlock("heading", (_safe(heading[2]),)) if heading[2] else None, at + 1
    if item := _ITEM.match(line):
        return _list(lines, at, item[1][-1] in ".)")
    return _text(lines, at)


def _code(lines: list[str], at: int, fence: str) -> tuple[InstructionBlock, int]:
    end = at + 1
    while end < len(lines) and not lines[end].strip().startswith(fence):
        end += 1
    return InstructionBlock("code", (*(line.rstrip() for line in lines[at:end]), fence)), end + 1


def _list(lines: list[str], at: int, is_ordered: bool) -> tuple[InstructionBlock, int]:
    items: list[str] = []
    while at < len(lines):
        found = _ITEM.match(lines[at])
        if found and (found[1][-1] in ".)") == is_ordered:
            items.append(_safe(found[2].rstrip()))
        elif items and _CONTINUED.match(lines[at]):
            items[-1] += f"\n{_safe(lines[at].strip())}"
        else:
            break
        at += 1
    are_topics = len(items) <= _MOST_TOPICS and all(map(_is_topic, items))
    kind: BlockKind = "steps" if is_ordered else "topics" if are_topics else "points"
    return InstructionBlock(kind, tuple(items)), at


def _is_topic(item: str) -> bool:
    """A few words that name something, as a heading does."""
    return "\n" not in item and len(item) <= _LONGEST_TOPIC and not item.endswith(_ENDS)


def _text(lines: list[str], at: int) -> tuple[InstructionBlock, int]:
    kept: list[str] = []
    while at < len(lines) and lines[at].strip() and (not kept or not _begins(lines[at])):
        kept.append(_safe(lines[at].rstrip()))
        at += 1
    kept[0] = _told(kept[0])
    return InstructionBlock("text", tuple(kept)), at


def _begins(line: str) -> bool:
    return bool(_FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line))


def _told(line: str) -> str:
    found = _TELLING.match(line)
    if not found or found.end() == len(line):
        return line
    return line[found.end()].upper() + line[found.end() + 1 :]


def _safe(line: str) -> str:
    return _TAG.sub(lambda found: found[0] if found[1] else "\\<", line)


def _seen(text: str) -> str:
    """Without signs that nobody sees, and with line feeds alone."""
    return "".join(_visible(text.replace("\r\n", "\n").replace("\r", "\n")))


def _visible(text: str) -> Iterator[str]:
    return (sign for sign in text if sign in "\n\t\u200c\u200d" or unicodedata.category(sign) not in _UNSEEN)
