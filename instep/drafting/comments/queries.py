"""The SQL of comments."""

from collections.abc import Collection

from instep.drafting.comments.schemas import CommentRow, CommentSubject
from instep.platform.core import limits
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

COMMENT = """
    id, subject, article_id, block, body, author_type, author_name, author_id, reply_to, resolved_at,
    resolved_by_name, created_at, (earlier -> -1 ->> 'until')::timestamptz as edited_at, earlier
"""
FROM = "from comments where bot_id = %(bot)s and workspace_id = %(workspace)s"
ORDER = Order(("created_at", "id"), descending=False)


async def list_page(ctx: Ctx, subject_id: str, request: PageRequest) -> Page[CommentRow]:
    page = request.page(ORDER, "comments", ctx.bot.id, subject_id)
    return await page.read(
        ctx,
        CommentRow,
        f"select {COMMENT} {FROM} and subject = %(subject)s and {page.condition} {page.tail}",
        subject=subject_id,
    )


async def list_newest(ctx: Ctx, subject_id: str) -> list[CommentRow]:
    """The newest comments of a subject, oldest first."""
    rows = await ctx.all(
        CommentRow,
        f"""
        select {COMMENT} {FROM} and subject = %(subject)s
        order by created_at desc, id desc limit %(max_comments)s
        """,
        subject=subject_id,
        max_comments=limits.MAX_SHOWN_COMMENTS,
    )
    return rows[::-1]


async def list_thread(ctx: Ctx, thread_id: str) -> list[CommentRow]:
    """The comments of a thread, oldest first."""
    return await ctx.all(
        CommentRow,
        f"""
        select {COMMENT} {FROM} and (id = %(id)s or reply_to = %(id)s) order by created_at, id
        limit %(max_comments)s
        """,
        id=thread_id,
        max_comments=limits.MAX_SHOWN_COMMENTS,
    )


async def find(ctx: Ctx, comment_id: str, *, lock: bool = False) -> CommentRow | None:
    sql = f"select {COMMENT} {FROM} and id = %(id)s {'for no key update' if lock else ''}"
    return await ctx.first(CommentRow, sql, id=comment_id)


async def insert(
    ctx: Ctx, subject: CommentSubject, body: str, block: str | None, reply_to: str | None
) -> CommentRow:
    return await ctx.fetch_one(
        CommentRow,
        f"""
        insert into comments (id, workspace_id, bot_id, subject, article_id, block, body, author_type,
            author_name, author_id, reply_to, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(subject)s, %(article)s, %(block)s, %(body)s,
            %(author_type)s, %(author_name)s, %(author_id)s, %(reply_to)s, %(now)s)
        returning {COMMENT}
        """,
        id=new_id("cmt"),
        subject=subject.id,
        article=subject.article_id,
        block=block,
        body=body,
        author_type=ctx.actor.type,
        author_name=ctx.actor.name,
        author_id=ctx.actor.id,
        reply_to=reply_to,
    )


async def change_body(ctx: Ctx, comment_id: str, body: str) -> CommentRow:
    """Give a comment another text, and keep the one before."""
    return await ctx.fetch_one(
        CommentRow,
        f"""
        update comments set body = %(body)s,
            earlier = earlier || jsonb_build_object('body', body, 'until', %(now)s)
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        returning {COMMENT}
        """,
        id=comment_id,
        body=body,
    )


async def settle(ctx: Ctx, comment_id: str, *, is_resolved: bool) -> CommentRow | None:
    """Resolve a thread or open it again; None if it is so already."""
    return await ctx.first(
        CommentRow,
        f"""
        update comments set resolved_at = case when %(is_resolved)s then %(now)s end,
            resolved_by_name = case when %(is_resolved)s then %(by_name)s end
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and (resolved_at is not null) <> %(is_resolved)s
        returning {COMMENT}
        """,
        id=comment_id,
        is_resolved=is_resolved,
        by_name=ctx.actor.name,
    )


async def delete(ctx: Ctx, comment_id: str) -> None:
    """Delete a comment and its replies."""
    await ctx.execute(
        "delete from comments where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s",
        id=comment_id,
    )


async def list_authors(ctx: Ctx, thread_id: str) -> list[str]:
    """The ids of those who wrote in a thread."""
    return await ctx.column(
        f"select distinct author_id {FROM} and (id = %(id)s or reply_to = %(id)s) and author_id is not null",
        id=thread_id,
    )


async def find_members(ctx: Ctx, names: Collection[str]) -> list[str]:
    """The ids of members whose email address, or its part before the `@`, is one of these names."""
    return await ctx.column(
        """
        select m.person_id from memberships m join people p on p.id = m.person_id
        where m.workspace_id = %(workspace)s and m.disabled_at is null
          and (lower(p.email) = any(%(names)s) or split_part(lower(p.email), '@', 1) = any(%(names)s))
        """,
        names=list(names),
    )
