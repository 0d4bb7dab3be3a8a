"""The prompt that asks a language model for the translation of blocks, and the form of its reply."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from instep.platform.core import limits
from instep.platform.llm.guard import DATA_RULE, delimit, reply_schema
from instep.platform.llm.protocol import Prompt, estimate_tokens

_PROMPT = f"""
You translate blocks of an article in a product's help center from the language {{source}} to the \
language {{target}} (codes of RFC 5646), as a careful technical translator of the company would: \
complete, natural, and with the words that the product uses.

{DATA_RULE}

- Translate each block as a whole. Add nothing, leave nothing out, and explain nothing.
- Copy code, addresses of links, HTML, template marks, numbers and the names of \
products exactly. Keep the Markdown of the block: emphasis, links, the cells of a table row.
- If a block comes with its earlier text and the translation of that, change in the translation only what \
the new text changes. Every other word stays as it is.
- The article may come with text in {{target}}: use its terms, its tone and its form of address.{{terms}}

Answer with JSON alone: {{{{"blocks": [{{{{"number": 1, "text": "…"}}}}]}}}}, with each block once.
""".strip()


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """A block to translate by its number, and if it replaces one: its earlier text, and that translated."""

    number: int
    text: str
    earlier: str = ""
    present: str = ""
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class TranslationRequest:
    """Blocks of an article in `source`, a locale, to translate into `target`.

    `context` is text of the article in that language, if there is any, or else in its own. `kept_terms` are
    never translated.
    """

    source: str
    target: str
    title: str
    context: str
    blocks: tuple[SourceBlock, ...]
    kept_terms: tuple[str, ...] = ()


class TranslatedBlock(BaseModel):
    number: int
    text: str


class TranslationReply(BaseModel):
    blocks: list[TranslatedBlock]


def prompt_of(request: TranslationRequest, blocks: Sequence[SourceBlock]) -> Prompt:
    parts = [("title", request.title), ("text of the article", request.context)]
    for block in blocks:
        parts.append((f"block {block.number}", block.text))
        if block.present:
            parts.append((f"block {block.number}, earlier text", block.earlier))
            parts.append((f"block {block.number}, translation of the earlier text", block.present))
    terms = ", ".join(f"“{term}”" for term in request.kept_terms if any(term in row.text for row in blocks))
    system = _PROMPT.format(
        source=request.source,
        target=request.target,
        terms=f"\n- Never translate these terms: {terms}." if terms else "",
    )
    return Prompt(system, delimit(parts), reply_schema(TranslationReply), limits.MAX_COMPLETION_TOKENS)


def grouped_blocks(blocks: Sequence[SourceBlock]) -> list[list[SourceBlock]]:
    """The blocks in groups, each of which fits into one prompt and its completion."""
    groups, size = list[list[SourceBlock]](), limits.MAX_TRANSLATED_TOKENS
    for block in blocks:
        tokens = estimate_tokens(block.text)
        if size + tokens > limits.MAX_TRANSLATED_TOKENS:
            groups.append([])
            size = 0
        groups[-1].append(block)
        size += tokens
    return groups
