"""Violations of the style in the new lines of a draft, and the edit that fixes them."""

from collections.abc import Sequence

from starlette.responses import Response

from instep.content.style.actions import find_style
from instep.content.style.style_checks import Violation, fix_style
from instep.content.style.text_checks import find_violations
from instep.drafting.drafts.actions import update_draft
from instep.drafting.drafts.pending import lock_draft
from instep.drafting.drafts.schemas import DraftTexts, DraftUpdate
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.review import queries
from instep.interfaces.dashboard.review.filters import QueueFilter
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.scopes import Role
from instep.platform.text.moved_lines import moved_lines
from instep.platform.web.errors import body_from

router = PageRouter("review/{draft_id}/style", Role.EDITOR)


async def new_violations(ctx: Ctx, draft: DraftTexts) -> Sequence[Violation]:
    """The violations in the lines that a pending draft adds or changes."""
    style = await find_style(ctx)
    if draft.status != "pending" or not style.has_checks:
        return ()
    locale = await queries.find_locale(ctx, draft.article_id) or ctx.bot.locale
    violations = await find_violations(draft.content, style, locale)
    if draft.type != "edit" or not violations:
        return violations
    added_lines = frozenset((await moved_lines(draft.compared_with, draft.content)).added)
    return [row for row in violations if not added_lines.isdisjoint(row.lines)]


@router.post()
async def send_style_fixes(page: BotPage) -> Response:
    """Edit the draft: replace what has a certain fix; nothing goes live."""
    draft_id = page.param("draft_id")
    here = f"review/{draft_id}{QueueFilter.of(page.query).suffix()}"
    draft = await lock_draft(page.ctx, draft_id)
    if page.form.get("seen") != draft.text_digest:
        return page.leave(here, "Nothing was changed: the draft has changed since you opened it.")
    fixed = fix_style(draft.content, await new_violations(page.ctx, draft))
    try:
        async with page.ctx.tx.transaction():
            await update_draft(page.ctx, draft_id, body_from(DraftUpdate, {"contentMarkdown": fixed}))
    except AppError as refusal:
        return page.leave(here, refusal.message)
    return page.leave(here, "Fixed the style in the draft. Nothing is live yet.")
