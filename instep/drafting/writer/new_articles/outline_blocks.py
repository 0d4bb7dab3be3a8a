"""Parses the instructions of a new article into Markdown blocks, as data and never as commands."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from instep.platform.text import blocks as text_blocks
from instep.platform.text.blocks import Block
from instep.platform.text.characters import remove_hidden

InstructionKind = Literal["text", "code", "heading", "steps", "topics", "points"]

# An opening tag or comment would hide what follows it; inside code it is text.
_TAG = re.compile(r"(`{1,3})(?!`)[^`\n]{1,300}\1(?!`)|<(?=[a-zA-Z/!?])(?!https?:|mailto:)")
# The verb that asks the writer to say something is dropped; what to say stays.
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

    kind: InstructionKind
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def blocks_of(instructions: str) -> list[InstructionBlock]:
    """The blocks of the instructions, in their order, each of them complete."""
    source = [line.rstrip() for line in _cleaned(instructions).split("\n")]
    # Without tags, all lines with text are in a block or define a link.
    lines = list(map(_safe, source))
    blocks = text_blocks.read_blocks("\n".join(lines)).blocks
    for code in (block for block in blocks if block.kind == "code"):
        lines[code.first_line - 1 : code.last_line] = source[code.first_line - 1 : code.last_line]
    instruction_blocks, end = list[InstructionBlock](), 0
    for block, *inner_blocks in top_level_blocks(blocks):
        gap = lines[end : block.first_line - 1]
        instruction_blocks += [_text(gap), _instruction_block(block, inner_blocks, lines)]
        end = block.last_line
    instruction_blocks.append(_text(lines[end:]))
    return [block for block in instruction_blocks if block.text.strip()]


def top_level_blocks(blocks: Iterable[Block]) -> list[list[Block]]:
    """The top-level blocks, each with the blocks inside it."""
    groups: list[list[Block]] = []
    for block in blocks:
        if block.depth == 0:
            groups.append([])
        groups[-1].append(block)
    return groups


def _instruction_block(block: Block, inner_blocks: Sequence[Block], lines: Sequence[str]) -> InstructionBlock:
    own_lines = lines[block.first_line - 1 : block.last_line]
    if block.kind == "heading":
        return InstructionBlock("heading", (" ".join(block.text.split()),))
    if block.kind == "list":
        return _list([other for other in inner_blocks if other.kind == "item" and other.depth == 1], lines)
    if block.kind == "code" and block.marker:
        closing_fence = (block.marker,) if block.is_open else ()
        return InstructionBlock("code", (own_lines[0].strip(), *own_lines[1:], *closing_fence))
    return InstructionBlock("code", tuple(own_lines)) if block.kind == "code" else _text(own_lines)


def _list(item_blocks: Sequence[Block], lines: Sequence[str]) -> InstructionBlock:
    items = tuple(filter(None, (_item(block, lines) for block in item_blocks)))
    if any(block.marker[:1].isdigit() for block in item_blocks):
        return InstructionBlock("steps", items)
    are_topics = len(items) <= _MAX_TOPICS and all(map(_is_topic, items))
    return InstructionBlock("topics" if are_topics else "points", items)


def _item(block: Block, lines: Sequence[str]) -> str:
    """The lines of an item without its marker and indent."""
    first, *others = lines[block.first_line - 1 : block.last_line]
    content = first.strip().removeprefix(block.marker).strip()
    indent = len(first.rstrip()) - len(content)
    return "\n".join(
        [content, *(line[min(indent, len(line) - len(line.lstrip())) :].rstrip() for line in others)]
    ).strip()


def _is_topic(item: str) -> bool:
    """True if an item is a few words that name something, like a heading."""
    return "\n" not in item and len(item) <= _MAX_TOPIC_CHARACTERS and not item.endswith(_ENDS)


def _text(lines: Sequence[str]) -> InstructionBlock:
    first, *others = "\n".join(lines).strip().split("\n")
    return InstructionBlock("text", (_without_verb(first), *others))


def _without_verb(line: str) -> str:
    match = _REQUEST_VERB.match(line)
    if not match or match.end() == len(line):
        return line
    return line[match.end()].upper() + line[match.end() + 1 :]


def _safe(line: str) -> str:
    return _TAG.sub(lambda match: match[0] if match[1] else "\\<", line)


def _cleaned(text: str) -> str:
    """The text without hidden characters, and with line feeds only."""
    return remove_hidden(text.replace("\r\n", "\n").replace("\r", "\n"))
