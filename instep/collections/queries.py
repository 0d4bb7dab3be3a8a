"""The SQL of collections."""

from typing import Any, Literal

from instep.collections.schemas import Collection
from instep.core import limits
from instep.core.paging import Order, Page, PageRequest
from instep.identity.schemas import Ctx

COLLECTION = """
    c.id, c.slug, c.title, c.description, c.icon, c.visibility, c.sort_order, c.created_at, c.updated_at,
    (select count(*) from articles a
     where a.bot_id = c.bot_id and a.collection_id = c.id and a.deleted_at is null)::integer as article_count
"""
# Rows are locked in one order, which prevents deadlocks: the collection, then articles, then the bot.
Lock = Literal["key share", "no key update", "update"]
ORDER = Order(("c.sort_order", "c.created_at", "c.id"), descending=False)


async def find(ctx: Ctx, ref: str, *, lock: Lock | None = None) -> Collection | None:
    return await ctx.tx.first(
        Collection,
        f"""
        select {COLLECTION} from collections c
        where c.bot_id = %(bot)s and (c.id = %(ref)s or c.slug = %(ref)s) {f"for {lock} of c" if lock else ""}
        """,
        bot=ctx.bot.id,
        ref=ref,
    )


async def list_page(ctx: Ctx, request: PageRequest) -> Page[Collection]:
    page = request.page(ORDER, "collections", ctx.bot.id)
    rows = await ctx.tx.all(
        Collection,
        f"select {COLLECTION} from collections c where c.bot_id = %(bot)s and {page.condition} {page.tail}",
        bot=ctx.bot.id,
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.sort_order, row.created_at, row.id))


async def slugs_like(ctx: Ctx, base: str) -> set[str]:
    """Slugs that a numbered form of `base` could clash with."""
    slugs = await ctx.tx.value(
        "select array_agg(slug) from collections where bot_id = %(bot)s and starts_with(slug, %(base)s)",
        bot=ctx.bot.id,
        base=base[:100],
    )
    return set(slugs or ())


async def insert(ctx: Ctx, row: dict[str, Any]) -> Collection | None:
    """The new collection, placed last; None when its slug was taken at the same time."""
    # This is a statement of its own, so that the next one sees the positions that earlier writers took.
    stamp = await ctx.tx.value("select stamp_change(%(bot)s)", bot=ctx.bot.id)
    return await ctx.tx.first(
        Collection,
        f"""
        insert into collections as c (id, workspace_id, bot_id, slug, title, description, icon, visibility,
            sort_order, created_at, updated_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(slug)s, %(title)s, %(description)s, %(icon)s,
            %(visibility)s, (
                select least(coalesce(max(sort_order)::bigint + 1, 0), %(max_position)s)::integer
                from collections where bot_id = %(bot)s),
            %(stamp)s, %(stamp)s)
        on conflict on constraint collections_slug do nothing
        returning {COLLECTION}
        """,
        workspace=ctx.bot.workspace_id,
        bot=ctx.bot.id,
        max_position=limits.MAX_INTEGER,
        stamp=stamp,
        **row,
    )


async def update(ctx: Ctx, collection_id: str, changes: dict[str, Any]) -> Collection:
    columns = ", ".join(f"{name} = %({name})s" for name in changes)
    return await ctx.tx.fetch_one(
        Collection,
        f"""
        with stamp as (select stamp_change(%(bot)s) as at)
        update collections as c set {columns}, updated_at = stamp.at from stamp
        where c.bot_id = %(bot)s and c.id = %(id)s
        returning {COLLECTION}
        """,
        bot=ctx.bot.id,
        id=collection_id,
        **changes,
    )


async def delete(ctx: Ctx, collection_id: str) -> None:
    """Delete the collection; its articles change with it, so they are stamped for clients that sync."""
    await ctx.tx.execute(
        """
        select id from articles where bot_id = %(bot)s and collection_id = %(id)s
        order by id for no key update
        """,
        bot=ctx.bot.id,
        id=collection_id,
    )
    await ctx.tx.execute(
        """
        with stamp as (select stamp_change(%(bot)s) as at)
        update articles a set collection_id = null, updated_at = stamp.at from stamp
        where a.bot_id = %(bot)s and a.collection_id = %(id)s
        """,
        bot=ctx.bot.id,
        id=collection_id,
    )
    await ctx.tx.execute(
        "delete from collections where bot_id = %(bot)s and id = %(id)s", bot=ctx.bot.id, id=collection_id
    )
