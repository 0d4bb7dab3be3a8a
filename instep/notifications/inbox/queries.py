"""The SQL of the inbox: every statement is limited to the notices of the caller, except for inserting."""

from collections.abc import Collection
from typing import Any

from instep.notifications.inbox.schemas import InboxNotice, NoticeKind, NoticeSubject, NotifiedPerson
from instep.platform.core.ids import new_id
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

OWN = "from notices where bot_id = %(bot)s and workspace_id = %(workspace)s and person_id = %(person)s"
NOTICE = "id, kind, subject, title, others, excerpt, by_name, created_at, read_at"
ORDER = Order(("created_at", "id"), descending=True)


async def insert(
    ctx: Ctx, person_ids: Collection[str], kind: NoticeKind, subject: NoticeSubject, excerpt: str | None
) -> list[NotifiedPerson]:
    """Add a notice for each of these people who may work in the workspace; return them."""
    return await ctx.all(
        NotifiedPerson,
        """
        with added as (
        insert into notices
            (id, workspace_id, bot_id, person_id, kind, subject, title, others, excerpt, by_name, created_at)
        select n.id, m.workspace_id, %(bot)s, m.person_id, %(kind)s, %(subject)s, %(title)s, %(others)s,
            %(excerpt)s, %(by_name)s, %(now)s
        from unnest(%(ids)s::text[], %(people)s::text[]) as n (id, person_id)
        join memberships m on m.workspace_id = %(workspace)s and m.person_id = n.person_id
        where m.disabled_at is null
        returning person_id)
        select p.email, p.locale from people p join added a on a.person_id = p.id order by p.email
        """,
        ids=[new_id("ntc") for _ in person_ids],
        people=list(person_ids),
        kind=kind,
        subject=subject.id,
        title=subject.title,
        others=subject.others,
        excerpt=excerpt,
        by_name=ctx.actor.name,
    )


async def list_page(ctx: Ctx, person_id: str, request: PageRequest) -> Page[InboxNotice]:
    page = request.page(ORDER, "notices", ctx.bot.id, person_id)
    return await page.read(
        ctx,
        InboxNotice,
        f"""
        select {NOTICE} {OWN}
          and {page.condition} {page.tail}
        """,
        person=person_id,
    )


async def mark_read(ctx: Ctx, person_id: str, notice_id: str | None) -> InboxNotice | None:
    """Mark one notice, or all, as read; return a changed one."""
    values: dict[str, Any] = {"person": person_id, "id": notice_id}
    return await ctx.first(
        InboxNotice,
        f"""
        update notices set read_at = coalesce(read_at, %(now)s)
        where bot_id = %(bot)s and workspace_id = %(workspace)s and person_id = %(person)s
          and case when %(id)s::text is null then read_at is null else id = %(id)s end
        returning {NOTICE}
        """,
        **values,
    )
