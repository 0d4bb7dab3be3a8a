"""Earlier versions of a draft: what changed from each to the next, and the way back to one."""

from starlette.responses import Response

from instep.content.articles.revision_schemas import VersionText
from instep.drafting.drafts.pending import find_draft
from instep.drafting.drafts.versions import get_draft_version, list_draft_versions, restore_draft_version
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.marked_changes import mark_between
from instep.interfaces.dashboard.review.decisions import leave_to_draft
from instep.interfaces.dashboard.review.draft_pages import number_in
from instep.platform.core.errors import NotFound
from instep.platform.identity.scopes import Role

router = PageRouter("review/{draft_id}/versions")


@router.get()
async def show_draft_versions(page: BotPage) -> Response:
    """The versions, and the changes from the requested one, or else the newest, to the next."""
    draft = await find_draft(page.ctx, page.param("draft_id"))
    versions = await list_draft_versions(page.ctx, draft.id)
    if not versions:
        raise NotFound("Nobody has changed this draft, so it has no earlier versions.")
    target = number_in(page.query.get("version", "")) or versions[0].number
    version = await get_draft_version(page.ctx, draft.id, target)
    later = [row.number for row in versions if row.number > target]
    after = await get_draft_version(page.ctx, draft.id, later[-1]) if later else draft
    return await page.show(
        "review/versions.html",
        draft=draft,
        versions=versions,
        version=version,
        later=later,
        changes=await mark_between(
            *(VersionText(row.title, row.content, target) for row in (version, after))
        ),
    )


@router.post(role=Role.EDITOR, refused=leave_to_draft)
async def send_restored_version(page: BotPage) -> Response:
    draft_id, number = page.param("draft_id"), number_in(page.form.get("version", ""))
    await restore_draft_version(page.ctx, draft_id, number)
    return page.leave(f"review/{draft_id}", f"The draft has the text of version {number} again.")
