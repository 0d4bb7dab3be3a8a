"""Adds to people's inboxes, and reads one's own."""

from collections.abc import Collection
from dataclasses import replace

from instep.notifications.inbox import queries
from instep.notifications.inbox.notice_letters import SENTENCES, letter_of
from instep.notifications.inbox.schemas import InboxNotice, NoticeKind, NoticeSubject
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.core.paging import Page, PageRequest
from instep.platform.core.rate_window import count_hit
from instep.platform.email.outgoing import send_email
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Ctx
from instep.platform.text.characters import shorten

PERSON_PREFIX = "per_"


async def notify(
    ctx: Ctx,
    person_ids: Collection[str | None],
    kind: NoticeKind,
    subject: NoticeSubject,
    text: str | None = None,
) -> None:
    """Add a notice for each of these people, except the caller; ids that are not of people are ignored.

    `text` is a comment or a reason, of which the inbox shows the beginning. Some notices are also sent by
    email, up to a limit.
    """
    ids = {id for id in person_ids if id and id.startswith(PERSON_PREFIX) and id != ctx.actor.id}
    if ids:
        excerpt = shorten(text, limits.MAX_NOTICE_EXCERPT_CHARACTERS) if text else None
        people = await queries.insert(ctx, sorted(ids), kind, subject, excerpt)
        for person in people if kind in SENTENCES else ():
            window = await count_hit(ctx.tx, "notices-to", hash_key(person.email).hex(), limits.HOUR_SECONDS)
            if window.hits > limits.MAX_NOTICE_EMAILS_PER_HOUR:
                continue
            locale = person.locale or ctx.bot.locale
            bot = replace(ctx.bot, locale=locale)
            letter = letter_of(bot, kind, subject, ctx.actor.name, excerpt)
            await send_email(ctx.tx, ctx.workspace_id, person.email, letter, locale)


async def list_notices(ctx: Ctx, person_id: str, page: PageRequest) -> Page[InboxNotice]:
    """A person's notices, newest first."""
    return await queries.list_page(ctx, person_id, page)


async def open_notice(ctx: Ctx, person_id: str, notice_id: str) -> InboxNotice:
    """Mark a notice as read, and return it."""
    notice = await queries.mark_read(ctx, person_id, notice_id)
    if notice is None:
        raise NotFound.of("notice")
    return notice


async def mark_all_read(ctx: Ctx, person_id: str) -> None:
    await queries.mark_read(ctx, person_id, None)
