"""The routes to resolve, dismiss and reopen a place, and to assign it or a draft."""

from starlette.responses import Response

from instep.drafting.drafts.assigning import assign_draft
from instep.drafting.places import actions
from instep.drafting.places.schemas import PlaceDismiss
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.review.decisions import decide, leave_to_draft, suffix_of
from instep.interfaces.dashboard.review.place_view import is_place
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from

router = PageRouter("", Role.EDITOR, section="review")


@router.post("places/{draft_id}/resolve")
async def send_resolve(page: BotPage) -> Response:
    """Mark the place as written."""
    place = await actions.get_place(page.ctx, page.param("draft_id"))

    async def act() -> None:
        await actions.resolve_place(page.ctx, place.id)

    return await decide(page, act, f"Resolved the place in “{place.article_title}”.")


@router.post("places/{draft_id}/write", refused=leave_to_draft)
async def send_write(page: BotPage) -> Response:
    """Leave other versions of the product a copy of the article, and open the editor at the place."""
    place = await actions.separate_place(page.ctx, page.param("draft_id"))
    return page.leave(f"articles/{place.article_id}/edit?place={place.id}")


@router.post("places/{draft_id}/dismiss")
async def send_dismiss_place(page: BotPage) -> Response:
    fields = {name: value for name in ("reason", "comment") if (value := page.form.get(name, "").strip())}
    place = await actions.get_place(page.ctx, page.param("draft_id"))

    async def act() -> None:
        await actions.dismiss_place(page.ctx, place.id, body_from(PlaceDismiss, fields))

    return await decide(page, act, f"Dismissed the place in “{place.article_title}”.")


@router.post("places/{draft_id}/reopen", refused=leave_to_draft)
async def send_reopen_place(page: BotPage) -> Response:
    """Undo resolving or dismissing a place; show it again."""
    place = await actions.reopen_place(page.ctx, page.param("draft_id"))
    return page.leave(f"review/{place.id}", f"The place in “{place.article_title}” is open again.")


@router.post("review/{draft_id}/assign")
@router.post("places/{draft_id}/assign")
async def send_assignment(page: BotPage) -> Response:
    """Assign the place or draft; an empty field removes the assignment."""
    item_id = page.param("draft_id")
    assign = actions.assign_place if is_place(item_id) else assign_draft
    item = await assign(page.ctx, item_id, page.form.get("person") or None)
    words = f"Assigned to {item.assignee_name}." if item.assignee_name else "Unassigned."
    return page.leave(f"review/{item_id}{suffix_of(page)}", words)
