"""Reads what has changed in an original since its translation was made."""

from collections.abc import Sequence

from instep.content.articles.actions import get_translated_text
from instep.content.articles.texts import find_article
from instep.drafting.translations import queries
from instep.drafting.translations.schemas import (
    ChangedBlock,
    CoveredLanguage,
    FollowedTexts,
    LanguageCount,
    RootChanges,
)
from instep.drafting.writer.translating.root_changes import RootComparison
from instep.drafting.writer.translating.text_blocks import TextBlock
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.schemas import Ctx


async def read_followed_texts(ctx: Ctx, translation_id: str) -> FollowedTexts:
    """Read a translation, its original, and the version of that it was made from."""
    translation = await find_article(ctx, translation_id)
    if translation.translation_of is None:
        raise NotFound("This article is not a translation.")
    root = await find_article(ctx, translation.translation_of)
    return FollowedTexts(await get_translated_text(ctx, translation), root, translation)


async def compare_with_root(texts: FollowedTexts) -> RootChanges:
    """Compare the blocks of a translation with what has changed in its original."""
    contents = texts.old.content, texts.root.content, texts.translation.content
    try:
        changes = await run_with_timeout(root_changes, *contents, seconds=limits.MAX_DIFF_SECONDS)
    except TimeLimitExceeded:
        changes = RootChanges([ChangedBlock(texts.old.content, texts.root.content, "")], False, 1)
    if texts.old.title != texts.root.title:
        title = ChangedBlock(texts.old.title, texts.root.title, texts.translation.title)
        changes.blocks.insert(0, title)
    return changes


async def list_coverage(ctx: Ctx, root_ids: Sequence[str]) -> dict[str, dict[str, CoveredLanguage]]:
    """List the translations of originals by the original's id and by language."""
    rows = await queries.list_coverage(ctx, root_ids)
    return {id: {row.locale: row for row in rows if row.root_id == id} for id in root_ids}


async def count_coverage(ctx: Ctx, collection_id: str | None) -> list[LanguageCount]:
    """Count the translations of all originals, or of those in a collection, by language."""
    return await queries.count_coverage(ctx, collection_id)


def root_changes(old: str, new: str, translation: str) -> RootChanges:
    """The changed blocks without the title; its time grows as that of rendering the texts."""
    comparison = RootComparison(old, new, translation)
    sides = [(change.old, change.new, change.present) for change in comparison.changes()]
    blocks = [ChangedBlock(*(_markdown(blocks) for blocks in side)) for side in sides]
    return RootChanges(blocks, comparison.is_aligned, comparison.first_line())


def _markdown(blocks: list[TextBlock]) -> str:
    return "".join(block.body + block.tail for block in blocks).strip("\r\n")
