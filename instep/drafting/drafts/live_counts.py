"""Line counts of edits whose articles have changed since: those of applying them to the current text."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from instep.drafting.drafts import queries
from instep.drafting.drafts.hunks import SIDES
from instep.drafting.drafts.merging import merged_content
from instep.drafting.drafts.schemas import Draft, DraftTexts
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import compare

Row = TypeVar("Row", bound=Draft)


async def with_live_counts(ctx: Ctx, rows: Sequence[Row]) -> list[Row]:
    """Recount only drafts that are cheap to compare; a list must not wait for the others."""
    conflict_ids = [row.id for row in rows if row.conflict]
    if not conflict_ids:
        return list(rows)
    texts = await queries.find_mergeable(ctx, conflict_ids)
    return [await _recount(row, texts[row.id]) if row.id in texts else row for row in rows]


async def _recount(row: Row, texts: DraftTexts) -> Row:
    merged = await merged_content(texts)
    diff = await compare(texts.compared_with, texts.content if merged is None else merged, SIDES)
    return replace(row, additions=diff.additions, deletions=diff.deletions)
