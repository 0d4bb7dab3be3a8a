"""Suppresses statements that a reviewer has dismissed, and lifts the suppression."""

from collections.abc import Collection, Sequence

from instep.drafting.drafts import suppressed_statements
from instep.drafting.drafts.proposals import Statement
from instep.drafting.drafts.schemas import DismissalReason
from instep.drafting.drafts.suppressed_schemas import Dismissal, DismissedStatement, SuppressedStatement
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

# Reasons that mean that the proposal itself is wrong, and so will be wrong again.
SUPPRESSING_REASONS: Collection[DismissalReason] = {"not_needed", "wrong_article", "wrong_text"}


async def list_suppressed(ctx: Ctx, page: PageRequest) -> Page[SuppressedStatement]:
    """List what tasks do not propose again, because a reviewer has dismissed it, newest first."""
    return await suppressed_statements.list_page(ctx, page)


@writes
async def lift_suppressed(ctx: Ctx, suppressed_id: str) -> str:
    """Let tasks propose it again. The dismissed draft stays dismissed; reopen it to get it back."""
    if not await suppressed_statements.delete(ctx, suppressed_id):
        raise NotFound("No dismissed proposal has this id.")
    return suppressed_id


async def hold_back(
    ctx: Ctx, dismissal: Dismissal, reason: DismissalReason | None, comment: str | None
) -> None:
    """Suppress the statements of a dismissed draft or place, if the reason means that they are wrong."""
    if reason in SUPPRESSING_REASONS and dismissal.statements:
        await suppressed_statements.insert(ctx, dismissal, reason, comment)


async def lift_for(ctx: Ctx, *, draft_id: str | None = None, place_id: str | None = None) -> None:
    """Lift the suppression of a draft's or place's statements, because its dismissal is undone."""
    await suppressed_statements.delete_for(ctx, draft_id, place_id)


async def suppressed_keys(ctx: Ctx) -> dict[str, frozenset[str]]:
    """The suppressed keys, by the article's id; "" for new articles."""
    rows = await suppressed_statements.list_keys(ctx)
    return {row.article_id or "": frozenset(row.keys) for row in rows}


async def drafted_keys(
    ctx: Ctx, bundle: str | None, source_url: str | None, version_id: str | None
) -> dict[str, frozenset[str]]:
    """The keys of statements in pending drafts of drift and a bundle, for a product version or None for all.

    Drafts of the change with this source URL are left out. Maps the id of an article, or "" for new articles,
    to keys.
    """
    rows = await suppressed_statements.list_drafted_keys(ctx, bundle, source_url, version_id)
    return {row.article_id or "": frozenset(row.keys) for row in rows}


async def newest_dismissed(ctx: Ctx) -> list[DismissedStatement]:
    """List the most recently dismissed statements with their reasons, for a model to read."""
    return await suppressed_statements.list_newest(ctx, limits.MAX_DISMISSED_STATEMENTS)


async def is_suppressed(ctx: Ctx, article_id: str | None, statements: Sequence[Statement]) -> bool:
    """True if everything that a draft states is suppressed."""
    keys = {statement.key for statement in statements}
    return bool(keys) and await suppressed_statements.count(ctx, article_id, keys) == len(keys)
