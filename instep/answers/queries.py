"""The SQL of conversations and leads."""

from typing import Any

from instep.answers.schemas import Conversation, Lead
from instep.identity.schemas import Ctx

CONVERSATION = "id, bot_id, locale, page_url, status, email, message, created_at, escalated_at"
LEAD = "id, bot_id, conversation_id, email, name, message, created_at"


async def find_conversation(ctx: Ctx, conversation_id: str) -> Conversation | None:
    return await ctx.tx.first(
        Conversation,
        f"select {CONVERSATION} from conversations where bot_id = %(bot)s and id = %(id)s",
        bot=ctx.bot.id,
        id=conversation_id,
    )


async def insert_conversation(
    ctx: Ctx, conversation_id: str, visitor_hash: bytes, locale: str, page_url: str | None
) -> Conversation:
    return await ctx.tx.one(
        Conversation,
        f"""
        insert into conversations (id, workspace_id, bot_id, visitor_hash, locale, page_url, status,
            created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(visitor)s, %(locale)s, %(page_url)s, 'open', %(now)s)
        returning {CONVERSATION}
        """,
        id=conversation_id,
        workspace=ctx.workspace_id,
        bot=ctx.bot.id,
        visitor=visitor_hash,
        locale=locale,
        page_url=page_url,
        now=ctx.now,
    )


async def escalate(
    ctx: Ctx, conversation_id: str, email: str | None, message: str | None
) -> Conversation | None:
    """None when it is escalated already: of several at once exactly one does it."""
    return await ctx.tx.first(
        Conversation,
        f"""
        update conversations set status = 'escalated', email = %(email)s, message = %(message)s,
            escalated_at = %(now)s
        where bot_id = %(bot)s and id = %(id)s and status = 'open'
        returning {CONVERSATION}
        """,
        bot=ctx.bot.id,
        id=conversation_id,
        email=email,
        message=message,
        now=ctx.now,
    )


async def insert_lead(ctx: Ctx, row: dict[str, Any]) -> Lead:
    return await ctx.tx.one(
        Lead,
        f"""
        insert into leads (id, workspace_id, bot_id, conversation_id, email, name, message, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(conversation_id)s, %(email)s, %(name)s, %(message)s,
            %(now)s)
        returning {LEAD}
        """,
        workspace=ctx.workspace_id,
        bot=ctx.bot.id,
        now=ctx.now,
        **row,
    )
