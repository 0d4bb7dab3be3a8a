"""The SQL of collections."""

from typing import Any, Literal

from instep.content.collections.schemas import Collection
from instep.content.collections.visibility import ANCESTORS, IS_PUBLIC, PLACE
from instep.platform.core import limits
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

COLLECTION = f"""
    select c.id, c.slug, c.title, c.description, c.icon, c.visibility, c.parent_id,
        array_remove(array[grandparent.id, parent.id], null) as ancestor_ids, {IS_PUBLIC} as is_public,
        {PLACE} as place, c.sort_order,
        (select count(*) from articles a
         where a.workspace_id = %(workspace)s and a.bot_id = c.bot_id and a.collection_id = c.id
           and a.deleted_at is null)::integer as article_count,
        c.owner_id, (select p.email from people p where p.id = c.owner_id) as owner_name, c.review_by,
        c.created_at, c.updated_at
    from collections c {ANCESTORS} where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s
"""
# Rows are locked in a fixed order to prevent deadlocks: the collection, its subcollections, articles, then
# the bot. A change of the collection tree locks the tree before any of them.
Lock = Literal["key share", "no key update", "update"]
ORDER = Order((PLACE,), descending=False)


async def lock_tree(ctx: Ctx) -> None:
    """Prevent other moves of collections, because concurrent moves could create a cycle or a fourth level."""
    await ctx.tx.advisory_lock(f"collections {ctx.bot.id}")


async def find(ctx: Ctx, ref: str, *, lock: Lock | None = None) -> Collection | None:
    return await ctx.first(
        Collection,
        f"""
        {COLLECTION} and (c.id = %(ref)s or c.slug = %(ref)s) {f"for {lock} of c" if lock else ""}
        """,
        ref=ref,
    )


async def find_id(ctx: Ctx, ref: str, *, lock: Lock | None = None) -> str | None:
    """The id of a collection, found without counting its articles."""
    return await ctx.value(
        f"""
        select id from collections c
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and (c.id = %(ref)s or c.slug = %(ref)s)
        {f"for {lock}" if lock else ""}
        """,
        ref=ref,
    )


async def list_page(ctx: Ctx, request: PageRequest) -> Page[Collection]:
    page = request.page(ORDER, "collections", ctx.bot.id)
    rows = await ctx.all(Collection, f"{COLLECTION} and {page.condition} {page.tail}", **page.params)
    return page.page_of(rows, lambda row: (row.place,))


async def count_levels(ctx: Ctx, collection_id: str) -> int:
    """The number of levels that a collection takes up: 1, or more with subcollections."""
    return await ctx.value(
        """
        select 1 + coalesce(max(case when grandchild.id is null then 1 else 2 end), 0)
        from collections child left join collections grandchild
            on grandchild.workspace_id = %(workspace)s and grandchild.bot_id = child.bot_id
            and grandchild.parent_id = child.id
        where child.bot_id = %(bot)s and child.workspace_id = %(workspace)s and child.parent_id = %(id)s
        """,
        id=collection_id,
    )


async def slugs_like(ctx: Ctx, base: str) -> set[str]:
    """Slugs that a numbered form of `base` could clash with."""
    slugs = await ctx.value(
        """
        select array_agg(slug) from collections
        where bot_id = %(bot)s and workspace_id = %(workspace)s and starts_with(slug, %(base)s)
        """,
        base=base[:100],
    )
    return set(slugs or ())


async def insert(ctx: Ctx, row: dict[str, Any]) -> Collection | None:
    """The new collection, the last among its siblings; None if its slug was taken at the same time."""
    # A statement of its own, so that the next one sees the positions that earlier writers took.
    stamp = await ctx.value("select stamp_change(%(bot)s)")
    count = await ctx.execute(
        """
        insert into collections (id, workspace_id, bot_id, slug, title, description, icon, visibility,
            parent_id, sort_order, created_at, updated_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(slug)s, %(title)s, %(description)s, %(icon)s,
            %(visibility)s, %(parent_id)s, (
                select least(coalesce(max(sort_order)::bigint + 1, 0), %(max_position)s)::integer
                from collections
                where bot_id = %(bot)s and workspace_id = %(workspace)s
                  and parent_id is not distinct from %(parent_id)s::text),
            %(stamp)s, %(stamp)s)
        on conflict on constraint collections_slug do nothing
        """,
        max_position=limits.MAX_INTEGER,
        stamp=stamp,
        **row,
    )
    return await find(ctx, row["id"]) if count else None


async def update(ctx: Ctx, collection_id: str, changes: dict[str, Any]) -> Collection:
    columns = ", ".join(f"{name} = %({name})s" for name in changes)
    await ctx.execute(
        f"""
        with stamp as (select stamp_change(%(bot)s) as at)
        update collections as c set {columns}, updated_at = stamp.at from stamp
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and c.id = %(id)s
        """,
        id=collection_id,
        **changes,
    )
    collection = await find(ctx, collection_id)
    assert collection is not None, "the caller has locked the row"
    return collection


async def siblings_of(ctx: Ctx, parent_id: str | None) -> list[str]:
    """The ids of the collections in one parent or at the top, in reading order."""
    ids = await ctx.value(
        """
        select array_agg(id order by sort_order, created_at, id) from collections
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and parent_id is not distinct from %(parent)s::text
        """,
        parent=parent_id,
    )
    return list(ids or ())


async def order_siblings(ctx: Ctx, ids: list[str]) -> None:
    """Put these sibling collections into this order."""
    await ctx.execute(
        """
        select id from collections
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        order by id for no key update
        """,
        ids=ids,
    )
    await ctx.execute(
        """
        with stamp as (select stamp_change(%(bot)s) as at)
        update collections c set sort_order = sibling.number - 1, updated_at = stamp.at
        from stamp, unnest(%(ids)s::text[]) with ordinality as sibling (id, number)
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and c.id = sibling.id
          and c.sort_order <> sibling.number - 1
        """,
        ids=ids,
    )


async def delete(ctx: Ctx, collection: Collection) -> None:
    """Delete the collection and stamp its content, which changes with it, for clients that sync."""
    for lock in (
        """
        select id from collections
        where bot_id = %(bot)s and workspace_id = %(workspace)s and parent_id = %(id)s
        order by id for no key update
        """,
        """
        select id from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and collection_id = %(id)s
        order by id for no key update
        """,
    ):
        await ctx.execute(lock, id=collection.id)
    await ctx.execute(
        """
        with stamp as (select stamp_change(%(bot)s) as at)
        update collections c set parent_id = %(parent)s, updated_at = stamp.at from stamp
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and c.parent_id = %(id)s
        """,
        id=collection.id,
        parent=collection.parent_id,
    )
    await ctx.execute(
        """
        with stamp as (select stamp_change(%(bot)s) as at)
        update articles a set collection_id = null, updated_at = stamp.at from stamp
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.collection_id = %(id)s
        """,
        id=collection.id,
    )
    await ctx.execute(
        """
        delete from collections c using (select stamp_change(%(bot)s) as at) stamp
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s and c.id = %(id)s
        """,
        id=collection.id,
    )
