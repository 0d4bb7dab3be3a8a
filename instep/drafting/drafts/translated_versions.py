"""The versions of an original that a change of its translation is about: before and after it."""

import re
from collections.abc import Iterable

from instep.content.articles.texts import follow_version
from instep.drafting.drafts import change_queries
from instep.drafting.drafts.proposals import Statement
from instep.drafting.drafts.schemas import Draft
from instep.platform.identity.schemas import Ctx

_KEY = re.compile(r"translation of (\d+) to (\d+)")


def statement_of_versions(before: int, after: int, summary: str) -> Statement:
    return Statement(f"translation of {before} to {after}", summary)


async def note_versions(ctx: Ctx, article_id: str, keys: Iterable[str], *, is_undone: bool = False) -> None:
    """Remember the version that a translation now has, if one of these statements is about versions.

    A later version of the original still makes it outdated. An undone change returns to the version before.
    """
    for key in keys:
        if match := _KEY.fullmatch(key):
            await follow_version(ctx, article_id, int(match[1 if is_undone else 2]))


async def follow_same_change(ctx: Ctx, draft: Draft, before: int, after: int) -> None:
    """Mark translations as up to date if their draft of the same change was applied before the original's."""
    for translation_id in await change_queries.list_translations_with_change(ctx, draft, before):
        await follow_version(ctx, translation_id, after)
