"""What visitors do: ask, judge the answer, ask for a person, leave contact details."""

import hashlib
from dataclasses import dataclass

from instep.alerts.actions import alert
from instep.answers import queries
from instep.answers.ask import Answer, QuestionRequest, RetrievedContext, retrieve_context
from instep.answers.model_answer import Enter, answer_with_model
from instep.answers.schemas import (
    AnswerOut,
    Conversation,
    ConversationOut,
    Escalation,
    Feedback,
    FeedbackGiven,
    Lead,
    LeadCreate,
    LeadOut,
    QuestionAsked,
    WidgetConfigOut,
    WidgetTextsOut,
)
from instep.answers.texts import texts_for
from instep.answers.visitor_tokens import refuse_unproven
from instep.core import limits
from instep.core.errors import InvalidValue, NotFound, RateLimited
from instep.core.ids import new_id
from instep.core.locales import valid_locale
from instep.identity.access import visitors_write
from instep.identity.schemas import Ctx
from instep.insights.actions import add_note_to_gaps, log_unanswered
from instep.insights.schemas import Nearest
from instep.llm.protocol import Model
from instep.webhooks.emit import emit


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was heard, what the search found for it, and the conversation that it goes on with."""

    asked: QuestionRequest
    grounds: RetrievedContext
    visitor: str
    page_url: str | None
    conversation: str | None


async def ask_question(enter: Enter, turn: Turn, model: Model | None) -> tuple[Answer, AnswerOut]:
    """Ask a question, and get an answer from the published articles with its sources.

    The answer is Markdown. `[1]` behind a sentence, step or row is the number of the source that it rests
    on. It holds no link, no picture and no HTML: the sources hold the addresses. Where the articles don't
    hold the answer, `answered` is false: the text says so and offers a person, `sources` are the nearest
    articles, and the question is kept among the unanswered ones.

    Send `conversationId` of the answer along with the next question of the same visitor: it may go on from
    the ones before. A `visitorToken` that a signed-in visitor's server has signed opens `authenticated`
    articles; one that is over or not signed by the bot's visitor secret is refused with 400.

    With `Accept: text/event-stream` the answer comes as server-sent events: `sources` with the sources,
    `delta` with each next part of the text, `done` with the whole answer as it is without streaming; `error`,
    with the body of a refusal, in place of what could not be sent any more.

    A paused workspace goes on answering, in the articles' own words.
    """
    answer = await answer_with_model(enter, model, turn.grounds, turn.asked.earlier)
    async with enter() as ctx:
        return answer, await save_turn(ctx, turn, answer)


async def prepare_turn(ctx: Ctx, new: QuestionAsked) -> Turn:
    """Look whose question it is and what it goes on from, and search for it."""
    sent = new.model_dump()
    conversation, earlier = await conversation_of(ctx, sent.get("conversation_id"), new.visitor)
    token = sent.get("visitor_token")
    if token is not None:
        await refuse_unproven(ctx, token)
    asked = QuestionRequest(
        new.question, sent.get("locale"), tuple(earlier), "public" if token is None else "authenticated"
    )
    return Turn(asked, await retrieve_context(ctx, asked), new.visitor, sent.get("page_url"), conversation)


async def conversation_of(
    ctx: Ctx, conversation_id: str | None, visitor: str
) -> tuple[str | None, list[str]]:
    """The conversation that goes on, and its last questions. Answers are no part of it: they may be old."""
    if conversation_id is None:
        return None, []
    known = await queries.find_own_conversation(ctx, conversation_id, hash_visitor(ctx, visitor))
    if known is None:
        raise InvalidValue("conversationId", "it is not the id of a conversation of this visitor")
    return known.id, await queries.earlier_questions(ctx, known.id, limits.MAX_EARLIER_QUESTIONS)


async def save_turn(ctx: Ctx, turn: Turn, answer: Answer) -> AnswerOut:
    """Keep what was asked and answered, and what was asked in vain among the unanswered questions."""
    conversation = (
        turn.conversation
        or (await begin_conversation(ctx, turn.visitor, turn.grounds.locale, turn.page_url)).id
    )
    row = {
        "id": new_id("msg"),
        "conversation_id": conversation,
        "question": turn.asked.text,
        "answer": answer.text,
        "answered": answer.answered,
        "confidence": answer.confidence,
        "model": answer.model,
    }
    sources = [
        {
            "article_id": source.passage.article_id,
            "heading": source.passage.headings[-1] if source.passage.headings else None,
            "anchor": source.passage.anchor,
        }
        for source in answer.sources
    ]
    await queries.insert_message(ctx, row, sources)
    if not answer.answered:
        near = [Nearest(source.passage.article_id, source.passage.score) for source in answer.sources]
        await log_unanswered(ctx, turn.grounds.text, turn.visitor, turn.grounds.locale, near)
    return AnswerOut.of(answer, conversation_id=conversation, message_id=str(row["id"]))


async def give_feedback(ctx: Ctx, message_id: str, given: FeedbackGiven) -> Feedback:
    """Say whether an answer helped. The last word counts; a comment stays until another one comes."""
    comment = clean_comment(given.model_dump().get("comment"))
    judged = await queries.set_feedback(ctx, message_id, given.helpful, comment)
    if judged is None:
        raise NotFound("There is no such answer.")
    return judged


async def get_widget_config(ctx: Ctx, locale: str | None) -> WidgetConfigOut:
    """Get what a widget needs to show itself: the bot's name, its language, and the texts in `locale`."""
    bot = ctx.bot
    words = texts_for(accepted_locale(locale) or bot.locale)
    texts = WidgetTextsOut(
        greeting=words.greeting,
        placeholder=words.placeholder,
        send=words.send,
        ask_person=words.ask_person,
        sources=words.sources,
    )
    return WidgetConfigOut(
        bot_id=str(bot.id), name=bot.name, locale=bot.locale, help_url=bot.help_url, texts=texts
    )


def accepted_locale(text: str | None) -> str | None:
    try:
        return valid_locale(text) if text is not None else None
    except ValueError as error:
        raise InvalidValue("locale", str(error)) from None


async def begin_conversation(ctx: Ctx, visitor: str, locale: str, page_url: str | None) -> Conversation:
    """Begin a conversation with a visitor. A paused workspace goes on answering, so this refuses nobody."""
    return await queries.insert_conversation(
        ctx, new_id("conv"), hash_visitor(ctx, visitor), locale, page_url
    )


@visitors_write
async def escalate_conversation(ctx: Ctx, conversation_id: str, escalation: Escalation) -> Conversation:
    """Ask for a person to go on with a conversation.

    The first call counts: a later one gets the same answer, tells nobody again and changes nothing. Contact
    details that come up later are a lead of this conversation.
    """
    sent = escalation.model_dump()
    before = await find_conversation(ctx, conversation_id)
    escalated = await queries.escalate(
        ctx, before.id, clean_comment(sent.get("email")), clean_comment(sent.get("message"))
    )
    if escalated is None:
        return await find_conversation(ctx, conversation_id)
    shown = ConversationOut.of(escalated)
    await emit(ctx, "conversation.escalated", shown, before=ConversationOut.of(before))
    await alert(ctx, "handoff", f"{ctx.bot.name}: a visitor asks for a person", lines_of(shown), None)
    if escalated.message is not None:
        await add_note_to_gaps(ctx, escalated.id)
    return escalated


@visitors_write
async def create_lead(ctx: Ctx, new: LeadCreate) -> Lead:
    """Leave contact details. Each call makes a lead of its own; a bot takes 200 in an hour."""
    sent = new.model_dump()
    await count_lead(ctx)
    row = {
        "id": new_id("lead"),
        "conversation_id": await referenced_id(ctx, sent.get("conversation_id")),
        "email": new.email,
        "name": clean_comment(sent.get("name")),
        "message": clean_comment(sent.get("message")),
    }
    lead = await queries.insert_lead(ctx, row)
    await emit(ctx, "lead.created", LeadOut.of(lead))
    told = {"E-mail": lead.email, "Name": lead.name, "Message": lead.message}
    lines = [f"{name}: {text}" for name, text in told.items() if text]
    await alert(ctx, "lead", f"{ctx.bot.name}: a visitor left contact details", lines, None)
    return lead


async def count_lead(ctx: Ctx) -> None:
    """Counted in the lead's own transaction, so that a refused one does not count."""
    hits = await queries.count_lead(ctx)
    if hits.number > limits.LEADS_PER_HOUR:
        raise RateLimited(
            "This help center has taken as many contact details as it may in an hour: try again later.",
            headers={"Retry-After": str(hits.seconds_left)},
        )


async def find_conversation(ctx: Ctx, conversation_id: str) -> Conversation:
    conversation = await queries.find_conversation(ctx, conversation_id)
    if conversation is None:
        raise NotFound("There is no such conversation.")
    return conversation


async def referenced_id(ctx: Ctx, conversation_id: str | None) -> str | None:
    """The conversation that a body names."""
    if conversation_id is not None and await queries.find_conversation(ctx, conversation_id) is None:
        raise InvalidValue("conversationId", "it is not the id of a conversation with this bot")
    return conversation_id


def lines_of(conversation: ConversationOut) -> list[str]:
    """What a chat tool is told; the page is a line too, since it is what the visitor's browser said."""
    told = {"E-mail": conversation.email, "Message": conversation.message, "Page": conversation.page_url}
    return [f"{name}: {text}" for name, text in told.items() if text] + [f"Conversation: {conversation.id}"]


def clean_comment(text: str | None) -> str | None:
    """What forms send of a field that was left empty is nothing."""
    return (text or "").strip() or None


def hash_visitor(ctx: Ctx, visitor: str) -> bytes:
    """Salted with the bot, so that no visitor can be followed from one bot to another."""
    return hashlib.sha256(f"{ctx.bot.id} {visitor}".encode("utf-8", "replace")).digest()
