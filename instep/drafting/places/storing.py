"""Stores the places that a task has found, and matches them with those of earlier tasks of its change."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from instep.drafting.drafts.assignment import choose_assignee
from instep.drafting.drafts.digest import schedule_digest
from instep.drafting.drafts.proposals import Statement
from instep.drafting.drafts.suppression import is_suppressed
from instep.drafting.drafts.withdrawal import NO_LONGER
from instep.drafting.places import queries
from instep.drafting.places.actions import get_place
from instep.drafting.places.schemas import NewPlace, Place, PlaceSource, place_out
from instep.notifications.webhooks.emit import emit
from instep.platform.identity.schemas import Ctx

# A place lists about this many other changes that ask for its text.
_MAX_LINES_OF_OTHERS = 20


async def store_places(
    ctx: Ctx,
    task_id: str,
    source: PlaceSource,
    new_places: Sequence[NewPlace],
    withdrawable: Collection[str],
) -> bool:
    """Put the places that a task has found into the queue; return True if any of them is open.

    A place is not created if one for the same text is open, and not reopened if people have settled it for
    the same change. Open places of the change in `withdrawable` articles that the task did not find again
    are dismissed.
    """
    await ctx.tx.advisory_lock(f"places {ctx.bot.id} {source.url or source.title}")
    earlier = await queries.list_earlier(ctx, task_id, source, [new.key for new in new_places])
    of_change = [place for place in earlier if place.is_of(source)]
    pairs = list(_pair(new_places, earlier, [] if source.kind == "drift" else of_change))
    waits = False
    for new, place in pairs:
        if place is None and not await is_suppressed(ctx, new.article_id, [Statement(new.key, new.summary)]):
            await _add(ctx, new, source, task_id)
            waits = True
        elif place is not None and place.status == "open":
            others = place.evidence_of_others(source)[:_MAX_LINES_OF_OTHERS]
            renewed = replace(new, evidence=(*new.evidence, *others))
            await queries.renew(ctx, place.id, renewed, source, task_id)
            waits = True
    present = {place.id for _, place in pairs if place is not None}
    for place in of_change:
        is_withdrawn = place.id not in present and place.article_id in withdrawable
        if place.status == "open" and is_withdrawn and not place.other_sources:
            await queries.settle(ctx, place.id, "dismissed", comment=NO_LONGER)
    return waits


async def store_only_place(
    ctx: Ctx, article_id: str, task_id: str, source: PlaceSource, new: NewPlace | None
) -> None:
    """Put the only place that changes of this kind have in an article into the queue, or renew it.

    If there is no new one, the open place is dismissed.
    """
    open_id = await queries.find_open_of_kind(ctx, article_id, source.kind)
    if new is not None and open_id is None:
        await _add(ctx, new, source, task_id)
    elif new is not None and open_id is not None:
        await queries.renew(ctx, open_id, new, source, task_id)
    elif open_id is not None:
        await queries.settle(ctx, open_id, "dismissed", comment=NO_LONGER)


async def dismiss_reverted_places(
    ctx: Ctx, title: str, url_patterns: Sequence[str], version_id: str | None
) -> None:
    """Dismiss the open places of a change that a later change, which is for this product version, reverts."""
    comment = f"The later change “Revert {title}” reverts this."
    await queries.dismiss_of_change(ctx, title, url_patterns, comment, version_id)


async def dismiss_abandoned_places(ctx: Ctx, source_url: str) -> None:
    """Dismiss the open places of a change that was closed without being merged."""
    pattern = re.sub(r"([\\%_])", r"\\\1", source_url)
    await queries.dismiss_of_change(ctx, "", [pattern], "Its change was closed without being merged.")


async def _add(ctx: Ctx, new: NewPlace, source: PlaceSource, task_id: str) -> None:
    assignee_id = await choose_assignee(ctx, new.article_id, task_id)
    place_id = await queries.insert(ctx, new, source, task_id, assignee_id)
    await emit(ctx, "place.created", place_out(await get_place(ctx, place_id)))
    await schedule_digest(ctx)


def _pair(
    new_places: Sequence[NewPlace], earlier: Sequence[Place], of_change: Sequence[Place]
) -> Iterator[tuple[NewPlace, Place | None]]:
    """Pair each new place with its earlier one, each used once.

    That is one for the same text, or else one of the same change in the same section, whose heading is known.
    Findings of a drift check in one section are about different statements.
    """
    by_words = {(place.article_id, place.key): place for place in earlier}
    same = [by_words.pop((new.article_id, new.key), None) for new in new_places]
    rest = [place for place in of_change if place.heading is not None and place not in same]
    for new, place in zip(new_places, same, strict=True):
        if place is None:
            section = (new.article_id, new.heading)
            place = next((other for other in rest if (other.article_id, other.heading) == section), None)
            rest = [other for other in rest if other is not place]
        yield new, place
