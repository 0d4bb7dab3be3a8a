"""The SQL of places."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from psycopg.types.json import Jsonb

from instep.content.articles.live import VERSION_SLUGS
from instep.drafting.places.schemas import NewPlace, Place, PlaceSource, PlaceSourceKind, PlaceStatus
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

PLACE = f"""
    p.id, p.bot_id, p.article_id, a.title as article_title, p.task_id, p.status, p.heading, p.line, p.reason,
    p.evidence, p.statement, p.source_kind, p.source_title, p.source_url, p.assignee_id,
    m.email as assignee_name, p.settled_by_name, p.settled_at, p.dismissal_reason, p.dismissal_comment,
    p.created_at, p.updated_at, {VERSION_SLUGS}, t.version_id,
    (select v.slug from product_versions v where v.workspace_id = %(workspace)s and v.id = t.version_id)
        as version
"""
JOIN = """
    join articles a on a.workspace_id = %(workspace)s and a.id = p.article_id
    left join people m on m.id = p.assignee_id
    left join tasks t on t.workspace_id = %(workspace)s and t.id = p.task_id
"""
FROM = f"from places p {JOIN} where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s"
ORDER = Order(("p.created_at", "p.id"), descending=True)
# A change is identified by its URL; one without a URL by its title.
OF_SOURCE = """
    case when %(url)s::text is null then p.source_url is null and p.source_title = %(title)s
        else p.source_url = %(url)s end
"""


async def list_page(
    ctx: Ctx, status: PlaceStatus, article_id: str | None, task_id: str | None, request: PageRequest
) -> Page[Place]:
    page = request.page(ORDER, "places", ctx.bot.id, status, article_id, task_id)
    return await page.read(
        ctx,
        Place,
        f"""
        select {PLACE} {FROM} and p.status = %(status)s and a.deleted_at is null
          and {"p.article_id = %(article)s" if article_id else "true"}
          and {"p.task_id = %(task)s" if task_id else "true"}
          and {page.condition} {page.tail}
        """,
        status=status,
        article=article_id,
        task=task_id,
    )


async def list_of_task(ctx: Ctx, task_id: str) -> list[Place]:
    return await ctx.all(
        Place,
        f"select {PLACE} {FROM} and p.task_id = %(task)s order by a.title, p.article_id, p.line, p.id",
        task=task_id,
    )


async def find(ctx: Ctx, place_id: str) -> Place | None:
    return await ctx.first(Place, f"select {PLACE} {FROM} and p.id = %(id)s", id=place_id)


async def list_earlier(ctx: Ctx, task_id: str, source: PlaceSource, keys: Collection[str]) -> list[Place]:
    """A change's places, and those that wait for the same text, locked in a fixed order.

    Places for other product versions than the task's wait for other texts.
    """
    return await ctx.all(
        Place,
        f"""
        with current as (select version_id from tasks where workspace_id = %(workspace)s and id = %(task)s)
        select {PLACE} {FROM}
          and ({OF_SOURCE} or p.status = 'open' and p.statement ->> 'key' = any(%(keys)s))
          and (p.source_url = %(url)s or t.version_id is not distinct from (select version_id from current))
        order by p.id for no key update of p
        """,
        task=task_id,
        url=source.url,
        title=source.title,
        keys=list(keys),
    )


async def find_open_of_kind(ctx: Ctx, article_id: str, kind: PlaceSourceKind) -> str | None:
    """The open place of an article that changes of this kind ask for, locked."""
    return await ctx.value(
        """
        select id from places
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
          and source_kind = %(kind)s and status = 'open'
        order by id limit 1 for no key update
        """,
        article=article_id,
        kind=kind,
    )


async def insert(ctx: Ctx, new: NewPlace, source: PlaceSource, task_id: str, assignee_id: str | None) -> str:
    place_id = new_id("plc")
    values = {
        **found_columns(new, source, task_id),
        "id": place_id,
        "bot_id": ctx.bot.id,
        "article_id": new.article_id,
        "assignee_id": assignee_id,
        "asked_at": ctx.now,
        "created_at": ctx.now,
        "updated_at": ctx.now,
    }
    marks = ", ".join(f"%({name})s" for name in values)
    await ctx.execute(
        f"""
        insert into places (workspace_id, {", ".join(values)})
        values (%(workspace)s, {marks})
        """,
        **values,
    )
    return place_id


async def renew(ctx: Ctx, place_id: str, new: NewPlace, source: PlaceSource, task_id: str) -> None:
    """Update an open place from a later task."""
    values = {**found_columns(new, source, task_id), "updated_at": ctx.now}
    assignments = ", ".join(f"{name} = %({name})s" for name in values)
    await ctx.execute(
        f"""
        update places set {assignments}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=place_id,
        **values,
    )


def found_columns(new: NewPlace, source: PlaceSource, task_id: str) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "heading": new.heading,
        "line": new.line,
        "reason": new.reason,
        "evidence": Jsonb(list(new.evidence)),
        "statement": Jsonb({"key": new.key, "summary": new.summary}),
        **{f"source_{name}": value for name, value in asdict(source).items()},
    }


async def settle(
    ctx: Ctx, place_id: str, status: PlaceStatus, reason: str | None = None, comment: str | None = None
) -> bool:
    """Remove a place from the queue; exactly one of several concurrent calls returns True."""
    row_count = await ctx.execute(
        """
        update places set status = %(status)s, settled_by_name = %(by_name)s, settled_at = %(now)s,
            updated_at = %(now)s, dismissal_reason = %(reason)s, dismissal_comment = %(comment)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status = 'open'
        """,
        id=place_id,
        status=status,
        reason=reason,
        comment=comment,
        by_name=ctx.actor.name,
    )
    return row_count == 1


async def reopen(ctx: Ctx, place_id: str) -> bool:
    """Put a settled place back into the queue; return True if this call did."""
    row_count = await ctx.execute(
        """
        update places set status = 'open', settled_by_name = null, settled_at = null, updated_at = %(now)s,
            dismissal_reason = null, dismissal_comment = null
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status <> 'open'
        """,
        id=place_id,
    )
    return row_count == 1


async def assign(ctx: Ctx, place_id: str, person_id: str | None) -> None:
    await ctx.execute(
        """
        update places set assignee_id = %(person)s, asked_at = %(now)s, updated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=place_id,
        person=person_id,
    )


async def dismiss_of_change(
    ctx: Ctx, title: str, url_patterns: Sequence[str], comment: str, version_id: str | None = None
) -> None:
    """Dismiss the open places of a change, found by patterns of its URL, or by title and product version."""
    await ctx.execute(
        """
        update places set status = 'dismissed', settled_by_name = %(by_name)s, settled_at = %(now)s,
            updated_at = %(now)s, dismissal_comment = %(comment)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and status = 'open'
          and case when %(patterns)s::text[] = array[]::text[] or source_url is null
            then regexp_replace(source_title, ' [(][#!][0-9]+[)]$', '') = %(title)s
              and (select t.version_id from tasks t where t.workspace_id = %(workspace)s and t.id = task_id)
                is not distinct from %(version)s::text
            else source_url like any(%(patterns)s::text[]) end
        """,
        title=title,
        patterns=list(url_patterns),
        version=version_id,
        comment=comment,
        by_name=ctx.actor.name,
    )
