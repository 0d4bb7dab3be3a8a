"""Reads what has changed in an original since its translation was made."""

from instep.content.articles.actions import get_translated_text
from instep.content.articles.texts import find_article
from instep.drafting.translations.schemas import ChangedBlock, FollowedTexts, RootChanges
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


def root_changes(old: str, new: str, translation: str) -> RootChanges:
    """The changed blocks without the title; its time grows as that of rendering the texts."""
    comparison = RootComparison(old, new, translation)
    sides = [(change.old, change.new, change.present) for change in comparison.changes()]
    blocks = [ChangedBlock(*(_markdown(blocks) for blocks in side)) for side in sides]
    return RootChanges(blocks, comparison.is_aligned, comparison.first_line())


def _markdown(blocks: list[TextBlock]) -> str:
    return "".join(block.body + block.tail for block in blocks).strip("\r\n")
