"""The columns of a text with parts: its source, and what readers see."""

from collections.abc import Sequence
from typing import Any

from instep.content.files.picture_sizes import HTML_VERSION, render_with_sizes
from instep.content.parts import queries
from instep.content.parts.expansion import Expansion, PartProblem, expand, has_references, references_in
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx


def readers_text(table: str) -> str:
    """The SQL of the text that readers see: of an article, or a changelog entry; `table` is its alias."""
    return f"coalesce({table}.expanded_markdown, {table}.content_markdown)"


async def text_columns(ctx: Ctx, text: str, locale: str) -> dict[str, Any]:
    """The columns of an article or a changelog entry with this text in a language.

    Raises `PartProblem` for a reference without a text.
    """
    expansion = await expand_text(ctx, text, locale, lock=True)
    return {
        "content_markdown": text,
        "content_html": await render_with_sizes(ctx, expansion.text),
        "html_version": HTML_VERSION,
        "expanded_markdown": expansion.text if expansion.text != text else None,
        "parts": expansion.references,
    }


async def expand_text(ctx: Ctx, text: str, locale: str, *, lock: bool = False) -> Expansion:
    """The text as readers of a language see it; raises `PartProblem`."""
    if not has_references(text):
        return Expansion(text, [])
    texts: dict[str, str] = {}
    missing = references_in(text)
    for _ in range(limits.MAX_PART_LEVELS + 1):
        if not missing:
            break
        rows = {row.reference: row.text for row in await queries.texts_of(ctx, missing, locale, lock=lock)}
        texts |= rows
        missing = missing_in(list(rows.values()), texts)
    return expand(text, texts)


async def list_references(ctx: Ctx) -> frozenset[str]:
    """The references to all parts and variables of the help center."""
    return frozenset(await queries.list_references(ctx))


def missing_in(texts: Sequence[str], texts_by_name: dict[str, str]) -> list[str]:
    return sorted({reference for text in texts for reference in references_in(text)} - texts_by_name.keys())


async def preview_text(ctx: Ctx, text: str, locale: str) -> str:
    """The text with its parts, or the text itself if one can't be shown: for what is not stored yet."""
    try:
        return (await expand_text(ctx, text, locale)).text
    except PartProblem:
        return text
