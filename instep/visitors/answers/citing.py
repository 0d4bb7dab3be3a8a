"""The text of an answer: Markdown in which each sentence, step and row ends with the number of its source."""

import re
from collections.abc import Iterator, Sequence

import comrak

from instep.platform.core.markdown import extensions
from instep.visitors.answers.answer_blocks import AnswerBlock, AnswerUnit

SENTENCE_END = ".!?:;,\u3002\uff01\uff1f\uff1a"
CLOSING_QUOTES = "\"'\u201d\u2019)"
FENCES = re.compile(r"`{3,}")
MIN_FENCE_CHARACTERS = 3
ACTIVE_MARKUP = re.compile(r"<(?:a|img)\b|<!-- raw HTML omitted -->")


def with_citation(text: str, n: int) -> str:
    """The citation is before the full stop, so that it stays with its sentence."""
    end = len(text.rstrip(CLOSING_QUOTES).rstrip(SENTENCE_END))
    return f"{text[:end]} [{n}]{text[end:]}" if end else text


def render_with_citations(blocks: Sequence[AnswerBlock], n: int) -> Iterator[str]:
    """Each block as Markdown. Code is cited in the block before it, or in a line of its own below it."""
    was_cited = False
    for block in blocks:
        if block.kind == "code":
            yield render_code(block.units[0])
            if not was_cited:
                yield f"[{n}]"
        elif block.kind == "prose":
            yield " ".join(with_citation(unit.text, n) for unit in block.units)
        elif block.kind == "table":
            yield "\n".join([block.head, *(render_row(unit, n) for unit in block.units)])
        else:
            items = "\n".join(render_item(unit, n) for unit in block.units)
            yield f"{with_citation(block.head, n)}\n\n{items}" if block.head else items
        was_cited = block.kind != "code"


def render_row(unit: AnswerUnit, n: int) -> str:
    cells = unit.text.removesuffix("|").rstrip()
    return f"{cells} [{n}]" + (" |" if unit.text.endswith("|") else "")


def render_item(unit: AnswerUnit, n: int) -> str:
    if not unit.is_code:
        return unit.prefix + with_citation(unit.text, n)
    return "\n".join(unit.prefix + line for line in ["", *render_code(unit).split("\n")])


def render_code(unit: AnswerUnit) -> str:
    """Code in a fence that is longer than every fence in it."""
    longest = max(map(len, FENCES.findall(unit.text)), default=0)
    fence = "`" * max(MIN_FENCE_CHARACTERS, longest + 1)
    return f"{fence}\n{unit.text}\n{fence}"


def has_no_active_markup(markdown: str) -> bool:
    """True if the rendered page has no link, no picture and no HTML from the text."""
    return ACTIVE_MARKUP.search(comrak.render_markdown(markdown, extension_options=extensions())) is None
