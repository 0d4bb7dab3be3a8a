"""The SQL of conversations, their messages, leads, and the secrets of visitor tokens."""

from typing import Any

from psycopg.types.json import Jsonb

from instep.content.articles.live import in_language, in_read_version, in_version_at
from instep.content.collections.visibility import PLACE
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.queries import READ_VERSION
from instep.platform.identity.schemas import Ctx, ReadVersion
from instep.visitors.answers.schemas import (
    AnsweredQuestion,
    Conversation,
    ConversationFilter,
    ConversationSummary,
    FeedbackOut,
    Lead,
    LeadFilter,
    VisitorMessage,
)
from instep.visitors.answers.widget_schemas import AccentPairOut, ListedArticle

CONVERSATION = """id, bot_id, locale, page_url, status, email, message, created_at, escalated_at, done_at,
    done_by_name"""
LEAD = "id, bot_id, conversation_id, email, name, message, created_at, done_at, done_by_name"


# Sets the person who did it first, or null if there is none.
DONE = """done_at = case when %(now)s::timestamptz is not null then coalesce(done_at, %(now)s) end,
    done_by_name = case when %(now)s::timestamptz is not null then coalesce(done_by_name, %(name)s) end"""


async def find_conversation(
    ctx: Ctx, conversation_id: str, visitor_hash: bytes | None = None
) -> Conversation | None:
    """A conversation, if it is one of the visitor or no visitor is given."""
    return await ctx.first(
        Conversation,
        f"""
        select {CONVERSATION} from conversations
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and visitor_hash = coalesce(%(visitor)s, visitor_hash)
        """,
        id=conversation_id,
        visitor=visitor_hash,
    )


async def earlier_questions(ctx: Ctx, conversation_id: str, limit: int) -> list[str]:
    """The last questions of a conversation, oldest first."""
    return await ctx.column(
        """
        select question from (
            select question, created_at, id from messages
            where bot_id = %(bot)s and workspace_id = %(workspace)s and conversation_id = %(id)s
            order by created_at desc, id desc limit %(limit)s) as last
        order by created_at, id
        """,
        id=conversation_id,
        limit=limit,
    )


async def find_answered_question(ctx: Ctx, question_key: bytes) -> AnsweredQuestion | None:
    return await ctx.first(
        AnsweredQuestion,
        """
        select id, conversation_id, question, answer, answered, confidence, model, sent_sources, may_help,
            translated_from
        from messages
        where workspace_id = %(workspace)s and bot_id = %(bot)s and question_key = %(key)s
        """,
        key=question_key,
    )


async def release_question_key(ctx: Ctx, message_id: str) -> None:
    """Allow the question to be asked again: its answer stays in the conversation, but is not reused."""
    await ctx.execute(
        """
        update messages set question_key = null
        where workspace_id = %(workspace)s and bot_id = %(bot)s and id = %(id)s
        """,
        id=message_id,
    )


async def lock_question(ctx: Ctx, question_key: bytes) -> None:
    """Prevent others from saving this question before this transaction ends."""
    await ctx.tx.advisory_lock(f"question {question_key.hex()}")


async def insert_message(
    ctx: Ctx,
    row: dict[str, Any],
    sources: list[dict[str, Any]],
    question_key: bytes | None = None,
    sent_sources: list[dict[str, Any]] | None = None,
) -> None:
    await ctx.execute(
        """
        insert into messages (id, workspace_id, bot_id, conversation_id, question, answer, answered,
            confidence, sources, model, question_key, sent_sources, may_help, translated_from, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(conversation_id)s, %(question)s, %(answer)s, %(answered)s,
            %(confidence)s, %(sources)s, %(model)s, %(question_key)s, %(sent_sources)s,
            %(may_help)s, %(translated_from)s, %(now)s)
        """,
        sources=Jsonb(sources),
        question_key=question_key,
        sent_sources=None if sent_sources is None else Jsonb(sent_sources),
        **row,
    )


async def set_feedback(ctx: Ctx, message_id: str, helpful: bool, comment: str | None) -> FeedbackOut | None:
    return await ctx.first(
        FeedbackOut,
        """
        update messages set helpful = %(helpful)s, comment = coalesce(%(comment)s, comment),
            judged_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        returning id as message_id, helpful
        """,
        id=message_id,
        helpful=helpful,
        comment=comment,
    )


async def first_articles(ctx: Ctx, locale: str, limit: int) -> list[ListedArticle]:
    """The first articles of the help center, as its home page lists them."""
    articles = in_read_version(ctx)
    return await ctx.all(
        ListedArticle,
        f"""
        select a.id, a.slug, a.locale, a.title, a.description {articles} and {in_language(articles)}
        order by c.id is null, {PLACE}, a.position, a.id limit %(limit)s
        """,
        locale=locale,
        limit=limit,
    )


async def find_read_version(ctx: Ctx, article_id: str | None = None) -> ReadVersion | None:
    """The product version in which visitors read an article: the current one, or else the newest that has it.

    Without an article, the current one.
    """
    fields: dict[str, Any] | None = await ctx.value(
        f"""
        select {READ_VERSION} from product_versions v
        where v.bot_id = %(bot)s and v.workspace_id = %(workspace)s
          and (%(article)s::text is null or exists (
            select from articles a where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s
              and a.id = %(article)s and {in_version_at("v.position")}))
        order by v.is_current desc, v.position desc limit 1
        """,
        article=article_id,
    )
    return ReadVersion(**fields) if fields else None


async def find_accent(ctx: Ctx) -> AccentPairOut | None:
    return await ctx.first(
        AccentPairOut,
        """
        select accent_light as light, accent_dark as dark from bots
        where workspace_id = %(workspace)s and id = %(bot)s and accent is not null
        """,
    )


async def find_visitor_secret(ctx: Ctx, *, lock: bool = False) -> bytes | None:
    """The bot's sealed secret. `lock` keeps others from creating one before this transaction ends."""
    if lock:
        await ctx.tx.advisory_lock(f"visitor_secret {ctx.bot.id}")
    return await ctx.value(
        "select sealed from visitor_secrets where workspace_id = %(workspace)s and bot_id = %(bot)s",
    )


async def save_visitor_secret(ctx: Ctx, sealed: bytes) -> None:
    """Insert the bot's secret, or replace the one it has."""
    await ctx.execute(
        """
        insert into visitor_secrets (bot_id, workspace_id, sealed, created_at)
        values (%(bot)s, %(workspace)s, %(sealed)s, %(now)s)
        on conflict (bot_id, workspace_id) do update
            set sealed = excluded.sealed, created_at = excluded.created_at
        """,
        sealed=sealed,
    )


async def insert_conversation(
    ctx: Ctx, conversation_id: str, visitor_hash: bytes, locale: str, page_url: str | None
) -> Conversation:
    return await ctx.fetch_one(
        Conversation,
        f"""
        insert into conversations (id, workspace_id, bot_id, visitor_hash, locale, page_url, status,
            created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(visitor)s, %(locale)s, %(page_url)s, 'open', %(now)s)
        returning {CONVERSATION}
        """,
        id=conversation_id,
        visitor=visitor_hash,
        locale=locale,
        page_url=page_url,
    )


async def escalate(
    ctx: Ctx, conversation_id: str, email: str | None, message: str | None
) -> Conversation | None:
    """Escalate; None if it is already escalated: one statement decides, so one of several calls counts."""
    return await ctx.first(
        Conversation,
        f"""
        update conversations set status = 'escalated', email = %(email)s, message = %(message)s,
            escalated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status = 'open'
        returning {CONVERSATION}
        """,
        id=conversation_id,
        email=email,
        message=message,
    )


async def insert_lead(ctx: Ctx, row: dict[str, Any]) -> Lead:
    return await ctx.fetch_one(
        Lead,
        f"""
        insert into leads (id, workspace_id, bot_id, conversation_id, email, name, message, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(conversation_id)s, %(email)s, %(name)s, %(message)s,
            %(now)s)
        returning {LEAD}
        """,
        **row,
    )


WAITING = "(c.status = 'escalated' and c.done_at is null)"
CONVERSATION_ORDER = Order((WAITING, "c.created_at", "c.id"), descending=True)
# The condition of each filter of the list.
CONDITIONS: dict[ConversationFilter, str] = {
    "all": "true",
    "escalated": "c.status = 'escalated'",
    "unanswered": """exists (select from messages m
        where m.workspace_id = %(workspace)s and m.bot_id = c.bot_id and m.conversation_id = c.id
          and not m.answered)""",
}


async def list_conversations(
    ctx: Ctx, status: ConversationFilter, request: PageRequest
) -> Page[ConversationSummary]:
    page = request.page(CONVERSATION_ORDER, "conversations", ctx.bot.id, status)
    rows = await ctx.all(
        ConversationSummary,
        f"""
        select c.id, c.status, c.email, c.locale, m.question, m.message_count, m.unanswered_count,
            c.created_at, {WAITING} as is_waiting
        from conversations c, lateral (
            select (array_agg(m.question order by m.created_at, m.id))[1] as question,
                count(*)::integer as message_count,
                (count(*) filter (where not m.answered))::integer as unanswered_count
            from messages m
            where m.workspace_id = %(workspace)s and m.bot_id = c.bot_id and m.conversation_id = c.id) m
        where c.bot_id = %(bot)s and c.workspace_id = %(workspace)s
          and {CONDITIONS[status]} and {page.condition} {page.tail}
        """,
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.is_waiting, row.created_at, row.id))


async def list_messages(ctx: Ctx, conversation_id: str, request: PageRequest) -> Page[VisitorMessage]:
    page = request.page(
        Order(("m.created_at", "m.id"), descending=False), "messages", ctx.bot.id, conversation_id
    )
    return await page.read(
        ctx,
        VisitorMessage,
        f"""
        select m.id, m.question, m.answer, m.answered, m.confidence, m.model, m.helpful, m.comment,
            m.created_at,
            coalesce((
                select jsonb_agg(jsonb_build_object('article_id', a.id, 'title', a.title,
                    'heading', s.source ->> 'heading') order by s.place)
                from jsonb_array_elements(m.sources) with ordinality as s (source, place)
                left join articles a on a.workspace_id = %(workspace)s and a.bot_id = m.bot_id
                    and a.id = s.source ->> 'article_id' and a.deleted_at is null), '[]') as sources
        from messages m
        where m.bot_id = %(bot)s and m.workspace_id = %(workspace)s and m.conversation_id = %(conversation)s
          and {page.condition} {page.tail}
        """,
        conversation=conversation_id,
    )


async def list_leads(ctx: Ctx, status: LeadFilter, request: PageRequest) -> Page[Lead]:
    page = request.page(Order(("created_at", "id"), descending=True), "leads", ctx.bot.id, status)
    return await page.read(
        ctx,
        Lead,
        f"""
        select {LEAD} from leads
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and {"done_at is null" if status == "open" else "true"} and {page.condition} {page.tail}
        """,
    )


async def set_lead_done(ctx: Ctx, lead_id: str, *, is_done: bool) -> Lead | None:
    """Keep the first person who did it; None if the lead doesn't exist."""
    return await ctx.first(
        Lead,
        f"""
        update leads set {DONE}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        returning {LEAD}
        """,
        id=lead_id,
        **done_fields(ctx, is_done=is_done),
    )


async def set_conversation_done(ctx: Ctx, conversation_id: str, *, is_done: bool) -> Conversation | None:
    """Include the contact details left in it; None if the conversation doesn't exist."""
    await ctx.execute(
        f"""
        update leads set {DONE}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and conversation_id = %(id)s
        """,
        id=conversation_id,
        **done_fields(ctx, is_done=is_done),
    )
    return await ctx.first(
        Conversation,
        f"""
        update conversations set {DONE}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        returning {CONVERSATION}
        """,
        id=conversation_id,
        **done_fields(ctx, is_done=is_done),
    )


def done_fields(ctx: Ctx, *, is_done: bool) -> dict[str, Any]:
    return {
        "now": ctx.now if is_done else None,
        "name": ctx.actor.name if is_done else None,
    }


async def list_leads_of(ctx: Ctx, conversation_id: str, limit: int) -> list[Lead]:
    """The newest contact details that were left in a conversation."""
    return await ctx.all(
        Lead,
        f"""
        select {LEAD} from leads
        where bot_id = %(bot)s and workspace_id = %(workspace)s and conversation_id = %(conversation)s
        order by created_at desc, id desc limit %(limit)s
        """,
        conversation=conversation_id,
        limit=limit,
    )
