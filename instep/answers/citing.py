"""The text of an answer: Markdown with the number of its source at each sentence, step and row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import comrak

from instep.answers.blocks import Block, Unit
from instep.core.markdown import extensions
from instep.search.schemas import Passage

STOPS = ".!?:;,\u3002\uff01\uff1f\uff1a"
CLOSING_SIGNS = "\"'\u201d\u2019)"
FENCES = re.compile(r"`{3,}")
ACTIVE = re.compile(r"<(?:a|img)\b|<!-- raw HTML omitted -->")


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that an answer rests on, by its number; `excerpt` is what the answer took from it."""

    n: int
    passage: Passage
    excerpt: str


def with_number(text: str, n: int) -> str:
    """The mark stands before the full stop, so that it stays with its sentence."""
    at = len(text.rstrip(CLOSING_SIGNS).rstrip(STOPS))
    return f"{text[:at]} [{n}]{text[at:]}" if at else text


def render_with_citations(blocks: Sequence[Block], n: int) -> Iterator[str]:
    """Each block as Markdown. Code has no room for a mark: that stands at what announces it, or below it."""
    was_cited = False
    for block in blocks:
        if block.kind == "code":
            yield code_of(block.units[0])
            if not was_cited:
                yield f"[{n}]"
        elif block.kind == "prose":
            yield " ".join(with_number(unit.text, n) for unit in block.units)
        elif block.kind == "table":
            yield "\n".join([block.head, *(row_of(unit, n) for unit in block.units)])
        else:
            yield "\n".join(item_of(unit, n) for unit in block.units)
        was_cited = block.kind != "code"


def row_of(unit: Unit, n: int) -> str:
    cells = unit.text.removesuffix("|").rstrip()
    return f"{cells} [{n}]" + (" |" if unit.text.endswith("|") else "")


def item_of(unit: Unit, n: int) -> str:
    if not unit.is_code:
        return unit.prefix + with_number(unit.text, n)
    return "\n".join(unit.prefix + line for line in ["", *code_of(unit).split("\n")])


def code_of(unit: Unit) -> str:
    fence = "`" * max(3, *(len(found) + 1 for found in FENCES.findall(unit.text)), 3)
    return f"{fence}\n{unit.text}\n{fence}"


def has_no_active_markup(markdown: str) -> bool:
    """Whether a page that shows it gets no link, no picture and no markup of others from it."""
    return ACTIVE.search(comrak.render_markdown(markdown, extension_options=extensions())) is None
