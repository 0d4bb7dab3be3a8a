"""The audit: who did what, when, and by which channel."""

from starlette.responses import Response

from instep.accounts.people.actions import list_audit
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.audited_names import find_names
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core import limits
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import whole_number

router = PageRouter("settings/audit", Role.OWNER)


@router.get()
async def show_audit(page: BotPage) -> Response:
    before = page.query.get("before", "")
    actor, action = page.query.get("actor", "").strip(), page.query.get("action", "").strip()
    rows = await list_audit(
        page.ctx.tx,
        page.ctx.workspace_id,
        limits.AUDIT_PAGE_ROWS + 1,
        whole_number(before, 18),
        actor or None,
        action or None,
    )
    entries = rows[: limits.AUDIT_PAGE_ROWS]
    resources = {entry.resource for entry in entries if entry.resource}
    return await show_settings(
        page,
        "audit",
        entries=entries,
        things=await find_names(page.ctx.tx, page.ctx.workspace_id, resources),
        actor=actor,
        action=action,
        older=entries[-1].id if len(rows) > len(entries) else None,
        is_first=not before,
    )
