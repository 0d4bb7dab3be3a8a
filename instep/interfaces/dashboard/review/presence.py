"""The people who have a draft open: "Ada is on this"."""

from starlette.responses import Response

from instep.drafting.drafts.pending import find_draft
from instep.drafting.drafts.viewing import list_viewers, note_viewer
from instep.interfaces.dashboard.ages import age_in_words
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter

router = PageRouter("review/{draft_id}/presence")


@router.post(open_while_paused=True)
async def send_presence(page: BotPage) -> Response:
    """Record that this person has the draft open; show the others who do, and the draft's status."""
    draft = await find_draft(page.ctx, page.param("draft_id"))
    settled = ""
    if draft.status != "pending":
        when = f" {age_in_words(draft.settled_at, page.ctx.now)}" if draft.settled_at else ""
        settled = f"{draft.settled_by_name or 'Someone'} {draft.status} this draft{when}."
    await note_viewer(page.ctx, draft.id)
    viewers = await list_viewers(page.ctx, [draft.id])
    return page.show_part("review/presence.html", others=viewers.get(draft.id, []), settled=settled)
