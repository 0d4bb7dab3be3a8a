"""The operations of places: read, resolve, dismiss, reopen, assign."""

from instep.content.articles.splitting import isolate, read_reach
from instep.content.articles.texts import find_article
from instep.content.product_versions.actions import lock_existing_versions
from instep.drafting.drafts.assigning import require_member
from instep.drafting.drafts.proposals import Statement
from instep.drafting.drafts.suppressed_schemas import Dismissal
from instep.drafting.drafts.suppression import hold_back, lift_for
from instep.drafting.drafts.translated_versions import note_versions
from instep.drafting.places import queries
from instep.drafting.places.schemas import Place, PlaceDismiss, PlaceStatus, place_out
from instep.notifications.inbox.actions import notify
from instep.notifications.inbox.schemas import NoticeSubject
from instep.notifications.webhooks.emit import emit
from instep.platform.core.errors import InvalidState, NotFound
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import proposes, writes
from instep.platform.identity.schemas import Ctx

NO_REASON = PlaceDismiss()


async def list_places(
    ctx: Ctx, status: PlaceStatus, article_ref: str | None, task_id: str | None, page: PageRequest
) -> Page[Place]:
    """List places where an article needs text that a code change does not provide, newest first.

    Places of deleted articles are hidden until their article is restored.
    """
    article_id = (await find_article(ctx, article_ref)).id if article_ref is not None else None
    return await queries.list_page(ctx, status, article_id, task_id, page)


async def get_place(ctx: Ctx, place_id: str) -> Place:
    """Get a place, open or settled: the section, the reason, and the lines of code."""
    place = await queries.find(ctx, place_id)
    if place is None:
        raise NotFound.of("place")
    return place


async def list_task_places(ctx: Ctx, task_id: str) -> list[Place]:
    """List the places that a task has found, open and settled, in the order of their articles."""
    return await queries.list_of_task(ctx, task_id)


@proposes
async def resolve_place(ctx: Ctx, place_id: str) -> Place:
    """Mark a place as written: the article now has the text, or already had it. It leaves the queue."""
    place = await settle_written_place(ctx, place_id)
    if place is None:
        raise await _not_open(ctx, place_id)
    await note_versions(ctx, place.article_id, [place.key])
    return place


async def settle_written_place(ctx: Ctx, place_id: str) -> Place | None:
    """Resolve a place whose article has the text; None if it is not open."""
    before = await get_place(ctx, place_id)
    if not await queries.settle(ctx, place_id, "resolved"):
        return None
    await ctx.stamp_at_commit()
    after = await get_place(ctx, place_id)
    await emit(ctx, "place.resolved", place_out(after), place_out(before))
    return after


@proposes
async def dismiss_place(ctx: Ctx, place_id: str, request: PlaceDismiss = NO_REASON) -> Place:
    """Mark a place as not needed. It leaves the queue.

    After the reasons `not_needed`, `wrong_article` and `wrong_text` no later task proposes the same for the
    article again.
    """
    place = await get_place(ctx, place_id)
    sent = request.model_dump()
    reason, comment = sent.get("reason"), sent.get("comment")
    if not await queries.settle(ctx, place_id, "dismissed", reason, comment):
        raise await _not_open(ctx, place_id)
    await ctx.stamp_at_commit()
    statement = Statement(place.statement["key"], place.statement["summary"])
    await hold_back(ctx, Dismissal(place.article_id, [statement], place_id=place_id), reason, comment)
    return await get_place(ctx, place_id)


@proposes
async def reopen_place(ctx: Ctx, place_id: str) -> Place:
    """Undo resolving or dismissing a place: it is open again, and may be proposed again."""
    place = await get_place(ctx, place_id)
    try:
        await find_article(ctx, place.article_id)
    except NotFound:
        raise InvalidState("The article of this place is deleted: restore it first.") from None
    if not await queries.reopen(ctx, place_id):
        raise InvalidState("The place is already open.")
    await lift_for(ctx, place_id=place_id)
    if place.status == "resolved":
        await note_versions(ctx, place.article_id, [place.key], is_undone=True)
    await ctx.stamp_at_commit()
    return await get_place(ctx, place_id)


@writes
async def separate_place(ctx: Ctx, place_id: str) -> Place:
    """Split the article of an open place, so that the other versions of the product keep their text.

    The place moves to the article with the versions that its change reaches.
    """
    await lock_existing_versions(ctx)
    place = await get_place(ctx, place_id)
    if place.status != "open":
        raise await _not_open(ctx, place_id)
    if place.version_id is not None:
        article = await find_article(ctx, place.article_id)
        await isolate(ctx, article, await read_reach(ctx, article, place.version_id))
    await ctx.stamp_at_commit()
    return await get_place(ctx, place_id)


@proposes
async def assign_place(ctx: Ctx, place_id: str, person_id: str | None) -> Place:
    """Assign a place to a person; None removes the assignment."""
    place = await get_place(ctx, place_id)
    await require_member(ctx, person_id)
    await queries.assign(ctx, place_id, person_id)
    await notify(ctx, [person_id], "assigned", NoticeSubject(place.id, place.article_title))
    return await get_place(ctx, place_id)


async def _not_open(ctx: Ctx, place_id: str) -> InvalidState:
    place = await get_place(ctx, place_id)
    when = f" on {place.settled_at:%Y-%m-%d at %H:%M} UTC" if place.settled_at else ""
    return InvalidState(f"The place was already {place.status} by {place.settled_by_name}{when}.")
