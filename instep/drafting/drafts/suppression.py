"""What is not proposed again, because a reviewer has dismissed it, and how it may come again."""

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

# Reasons that say that the proposal itself is wrong, and so will be wrong the next time.
SUPPRESSING_REASONS: Collection[DismissalReason] = {"not_needed", "wrong_article", "wrong_text"}


async def list_suppressed(ctx: Ctx, page: PageRequest) -> Page[SuppressedStatement]:
    """List what tasks do not propose again, because a reviewer has dismissed it, newest first."""
    return await suppressed_statements.list_page(ctx, page)


@writes
async def lift_suppressed(ctx: Ctx, suppressed_id: str) -> str:
    """Let tasks propose it again. What was dismissed stays dismissed; reopen it to have it back."""
    if not await suppressed_statements.delete(ctx, suppressed_id):
        raise NotFound("There is no dismissed proposal with this id.")
    return suppressed_id


async def hold_back(
    ctx: Ctx, dismissal: Dismissal, reason: DismissalReason | None, comment: str | None
) -> None:
    """Hold back what a dismissed draft or place says, if the reason says that it is wrong."""
    if reason in SUPPRESSING_REASONS and dismissal.statements:
        await suppressed_statements.insert(ctx, dismissal, reason, comment)


async def lift_for(ctx: Ctx, *, draft_id: str | None = None, place_id: str | None = None) -> None:
    """Let what a draft or a place says come again, because its dismissal is taken back."""
    await suppressed_statements.delete_for(ctx, draft_id, place_id)


async def suppressed_keys(ctx: Ctx) -> dict[str, frozenset[str]]:
    """The keys of what is held back, by the id of the article; "" for new articles."""
    rows = await suppressed_statements.list_keys(ctx)
    return {row.article_id or "": frozenset(row.keys) for row in rows}


async def newest_dismissed(ctx: Ctx) -> list[DismissedStatement]:
    """List the statements that reviewers have dismissed last, with their reasons, for a model to read."""
    return await suppressed_statements.list_newest(ctx, limits.MAX_DISMISSED_STATEMENTS)


async def is_suppressed(ctx: Ctx, article_id: str | None, statements: Sequence[Statement]) -> bool:
    """True if all that a draft says is held back."""
    keys = {statement.key for statement in statements}
    return bool(keys) and await suppressed_statements.count(ctx, article_id, keys) == len(keys)
