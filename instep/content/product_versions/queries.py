"""The SQL of product versions, and of the articles that name them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from instep.content.product_versions.schemas import ProductVersion
from instep.platform.core import limits
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

LOCK = "product versions {}"
ORDER = Order(("v.position",), descending=False)
VERSION = """
    select v.id, v.slug, v.name, v.position, v.is_current, v.branches,
        case when v.is_current then 'current' when v.position > (
            select c.position from product_versions c
            where c.bot_id = v.bot_id and c.workspace_id = %(workspace)s and c.is_current) then 'next'
            else 'older' end as status,
        v.created_at, v.updated_at
    from product_versions v where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s
"""
# Originals in Recently deleted have versions too, because they can be restored.
RANGES = """
    select a.id, a.title, a.deleted_at is not null as is_deleted, coalesce(a.version_family, a.id) as family,
        coalesce(since.position, 0) as first, coalesce(until.position, %(newest)s) as last
    from articles a
    left join product_versions since on since.workspace_id = %(workspace)s and since.id = a.since_version
    left join product_versions until on until.workspace_id = %(workspace)s and until.id = a.until_version
    where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.translation_of is null
"""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An article that ends before it begins, or one that has a version in common with `other`.

    `version` is the name of the first version in common.
    """

    title: str
    other: str | None
    version: str | None


async def lock_versions(ctx: Ctx) -> None:
    """Prevent other changes of versions, and of the versions of articles, until this transaction ends."""
    await ctx.tx.advisory_lock(LOCK.format(ctx.bot.id))


async def lock_existing(ctx: Ctx) -> None:
    """Lock the versions as `lock_versions` does, if the help center has any."""
    await ctx.execute(
        """
        select pg_advisory_xact_lock(hashtextextended(%(subject)s, 0)) where exists (
            select from product_versions where bot_id = %(bot)s and workspace_id = %(workspace)s)
        """,
        subject=LOCK.format(ctx.bot.id),
    )


async def list_all(ctx: Ctx) -> list[ProductVersion]:
    """All versions of a help center, the oldest first."""
    return await ctx.all(ProductVersion, f"{VERSION} order by v.position")


async def list_page(ctx: Ctx, request: PageRequest) -> Page[ProductVersion]:
    page = request.page(ORDER, "product versions", ctx.bot.id)
    rows = await ctx.all(ProductVersion, f"{VERSION} and {page.condition} {page.tail}", **page.params)
    return page.page_of(rows, lambda row: (row.position,))


async def find(ctx: Ctx, ref: str) -> ProductVersion | None:
    return await ctx.first(ProductVersion, f"{VERSION} and (v.id = %(ref)s or v.slug = %(ref)s)", ref=ref)


async def insert(ctx: Ctx, row: dict[str, Any]) -> None:
    await ctx.execute(
        """
        insert into product_versions (id, workspace_id, bot_id, slug, name, position, is_current, branches,
            created_at, updated_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(slug)s, %(name)s, %(position)s, %(is_current)s,
            %(branches)s, %(now)s, %(now)s)
        """,
        **row,
    )


async def update(ctx: Ctx, version_id: str, changes: dict[str, Any]) -> None:
    await ctx.execute(
        f"""
        update product_versions
        set {", ".join(f"{name} = %({name})s" for name in changes)}, updated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=version_id,
        **changes,
    )


async def set_order(ctx: Ctx, version_ids: Sequence[str]) -> None:
    """Number the versions in this order, from 0."""
    await ctx.execute(
        """
        update product_versions v set position = o.number - 1, updated_at = %(now)s
        from unnest(%(ids)s::text[]) with ordinality as o (id, number)
        where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s and v.id = o.id
          and v.position <> o.number - 1
        """,
        ids=list(version_ids),
    )


async def clear_current(ctx: Ctx) -> None:
    """Leave the help center without a current version, until the caller has set another."""
    await ctx.execute(
        """
        update product_versions set is_current = false, updated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and is_current
        """
    )


async def delete(ctx: Ctx, version_id: str) -> None:
    await ctx.execute(
        """
        delete from product_versions
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=version_id,
    )


async def list_bounded(ctx: Ctx, version_id: str) -> list[str]:
    """The titles of the originals that begin or end with a version, without those in Recently deleted."""
    return await ctx.column(
        """
        select title from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
          and translation_of is null and (since_version = %(id)s or until_version = %(id)s)
        order by title, id
        """,
        id=version_id,
    )


async def count_unsettled(ctx: Ctx, version_id: str) -> int:
    """The pending drafts and open places of changes for a version, and its tasks that have not ended."""
    return await ctx.value(
        """
        select count(*) from tasks t
        left join lateral (
            select d.id from drafts d
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.task_id = t.id
              and d.status = 'pending'
            union all
            select p.id from places p
            where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.task_id = t.id
              and p.status = 'open') w on true
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.version_id = %(id)s
          and (w.id is not null or t.status in ('queued', 'running'))
        """,
        id=version_id,
    )


async def list_contradictions(ctx: Ctx, family: str | None = None) -> list[Contradiction]:
    """The contradictions in the versions of articles: of one family, or of the whole help center."""
    return await ctx.all(
        Contradiction,
        f"""
        with ranges as ({RANGES}
          and (%(family)s::text is null or a.id = %(family)s or a.version_family = %(family)s))
        select r.title, null as other, null as version from ranges r where r.first > r.last
        union all
        select r.title, o.title, v.name from ranges r join ranges o on o.family = r.family and o.id > r.id
            and o.first <= r.last and r.first <= o.last
        join product_versions v on v.bot_id = %(bot)s and v.workspace_id = %(workspace)s
            and v.position = greatest(r.first, o.first)
        where not r.is_deleted and not o.is_deleted
        limit 1
        """,
        family=family,
        newest=limits.MAX_INTEGER,
    )
