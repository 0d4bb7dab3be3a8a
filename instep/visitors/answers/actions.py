"""Visitors' actions: ask, give feedback on the answer, ask for a person, leave contact details."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from instep.accounts.language_model.choosing import LanguageModels
from instep.notifications.alerts.actions import alert
from instep.notifications.webhooks.emit import emit
from instep.platform.core import limits
from instep.platform.core.errors import InvalidValue, NotFound, RateLimited
from instep.platform.core.ids import new_id
from instep.platform.core.rate_window import count_hit
from instep.platform.identity.access import visitors_write
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.visitor_hash import hash_visitor
from instep.platform.llm.budget import Enter
from instep.platform.text.characters import filled
from instep.search.actions import are_live
from instep.search.schemas import Audience
from instep.search.semantic.query_embedder import query_embedder
from instep.visitors.answers import queries
from instep.visitors.answers.article_lookup import accepted_locale
from instep.visitors.answers.ask import QuestionRequest, RetrievedContext, retrieve_context
from instep.visitors.answers.inbox import get_conversation
from instep.visitors.answers.model_answer import answer_with_model
from instep.visitors.answers.reply_texts import texts_for
from instep.visitors.answers.schemas import (
    Answer,
    Conversation,
    ConversationOut,
    Escalation,
    FeedbackGiven,
    FeedbackOut,
    Lead,
    LeadCreate,
    LeadOut,
    QuestionAsked,
    SavedAnswer,
    Show,
    SourceOut,
)
from instep.visitors.answers.visitor_tokens import require_claims
from instep.visitors.answers.widget_schemas import WidgetConfigOut, WidgetTextsOut
from instep.visitors.insights.actions import add_note_to_gaps, log_unanswered
from instep.visitors.insights.schemas import Nearest


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation: a question with its context, and the conversation, if it has begun."""

    request: QuestionRequest
    context: RetrievedContext
    visitor: str
    page_url: str | None
    conversation_id: str | None
    # None: the caller gave the question no id.
    key: bytes | None


@dataclass(frozen=True, slots=True)
class PendingAnswer:
    """An accepted question. Refusals are raised earlier, so that no stream begins with one."""

    enter: Enter
    # None: no model is asked.
    models: LanguageModels | None
    turn: Turn | SavedAnswer

    async def complete(self, show: Show | None = None) -> SavedAnswer:
        """Answer it. `show` gets the answer while a model writes it."""
        if isinstance(self.turn, SavedAnswer):
            return self.turn
        chosen = await self.models.choose(self.enter, "answers") if self.models else None
        model = chosen.model if chosen else None
        answer = await answer_with_model(self.enter, model, self.turn.context, self.turn.request, show)
        async with self.enter() as ctx:
            return await _save_turn(ctx, self.turn, answer)

    async def growing(self) -> AsyncGenerator[Answer | SavedAnswer | None]:
        """Yield the answer each time the model has written more of it, and finally the stored answer.

        A yielded None keeps the connection open. The model is stopped if the client disconnects.
        """
        written = asyncio.Queue[Answer | asyncio.Future[SavedAnswer]]()
        work = asyncio.ensure_future(self.complete(written.put_nowait))
        work.add_done_callback(written.put_nowait)
        try:
            while True:
                try:
                    answer = await asyncio.wait_for(written.get(), limits.STREAM_HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield None
                    continue
                if not isinstance(answer, Answer):
                    yield answer.result()
                    return
                yield answer
        finally:
            work.cancel()


async def ask_question(
    enter: Enter, models: LanguageModels, new: QuestionAsked, *, is_paused: bool
) -> PendingAnswer:
    """Ask a question, and get an answer from the published articles with its sources.

    The answer is Markdown. `[1]` after a sentence, step or row is the number of its source.
    It contains no links, images or HTML: the sources contain the URLs. If the articles don't
    contain the answer, `answered` is false: the text says so and offers a person, and the question is added
    to the unanswered ones unless it is small talk. `mayHelp` is true if the nearest articles, which are
    then the `sources`, are near enough to help.

    Send `conversationId` of the answer with the next question of the same visitor, which may refer to
    the previous ones. A `visitorToken` signed by your server for a signed-in visitor opens `authenticated`
    articles; one that has expired or is not signed with the bot's visitor secret is refused with 400.

    A question whose `questionId` was answered before gets that answer again, which is not stored a second
    time; with other words it is refused with 400. If the visitor may no longer read one of its sources, or
    the `visitorToken` differs, it is a new question.

    With `Accept: text/event-stream` the answer arrives as server-sent events: `sources` with the sources,
    `delta` with each next part of the text, `replace` with a text that replaces all of it, `done` with the
    whole answer as without streaming; `error`, with the body of an error, for a failure after the status
    was sent.

    A paused workspace continues to answer, in the articles' own words.
    """
    await query_embedder.prepare(new.question)
    async with enter() as ctx:
        audience, key = await _rights_of(ctx, new)
        before = None if key is None else await _repeated_answer(ctx, new, audience, key)
        turn = before or await _prepare_turn(ctx, new, audience, key)
    # Only active workspaces use the model, which costs money.
    return PendingAnswer(enter, None if is_paused else models, turn)


async def _rights_of(ctx: Ctx, new: QuestionAsked) -> tuple[Audience, bytes | None]:
    """The articles that the visitor may read, and the key of the question if it has an id.

    An invalid token raises before anything is looked up.
    """
    sent = new.model_dump()
    token, question_id = sent.get("visitor_token"), sent.get("question_id")
    subject = None if token is None else (await require_claims(ctx, token))["sub"]
    key = None
    if question_id is not None:
        # The same id from two visitors, from one before and after signing in, or in two versions means two
        # questions.
        version = ctx.bot.version
        slugs = [] if version is None or version.is_current else [version.slug]
        parts = (hash_visitor(ctx.bot.id, new.visitor).hex(), subject, question_id, *slugs)
        key = hashlib.sha256(json.dumps(parts).encode()).digest()
    return "public" if token is None else "authenticated", key


async def _repeated_answer(
    ctx: Ctx, new: QuestionAsked, audience: Audience, key: bytes
) -> SavedAnswer | None:
    """The earlier answer to the same question; None if its sources are closed in the meantime."""
    before = await queries.find_answered_question(ctx, key)
    if before is None:
        return None
    if before.question != new.question:
        raise InvalidValue("questionId", "it was already sent with another question")
    saved = before.saved
    if not await are_live(ctx, {source.article_id for source in saved.sources}, audience):
        await queries.release_question_key(ctx, before.id)
        return None
    return saved


async def _prepare_turn(ctx: Ctx, new: QuestionAsked, audience: Audience, key: bytes | None) -> Turn:
    """Check which conversation the question continues, and retrieve its context."""
    sent = new.model_dump()
    conversation_id, earlier = await _conversation_of(ctx, sent.get("conversation_id"), new.visitor)
    request = QuestionRequest(new.question, sent.get("locale"), tuple(earlier), audience)
    context = await retrieve_context(ctx, request)
    return Turn(request, context, new.visitor, sent.get("page_url"), conversation_id, key)


async def _conversation_of(
    ctx: Ctx, conversation_id: str | None, visitor: str
) -> tuple[str | None, list[str]]:
    """The id of the conversation and its last questions, without earlier answers, which may be stale."""
    if conversation_id is None:
        return None, []
    visitor_hash = hash_visitor(ctx.bot.id, visitor)
    conversation = await queries.find_conversation(ctx, conversation_id, visitor_hash)
    if conversation is None:
        raise InvalidValue("conversationId", "it is not the id of a conversation of this visitor")
    earlier = await queries.earlier_questions(ctx, conversation.id, limits.MAX_EARLIER_QUESTIONS)
    return conversation.id, earlier


async def _save_turn(ctx: Ctx, turn: Turn, answer: Answer) -> SavedAnswer:
    """Save the question with its answer, and log it if it was not answered.

    If the same question is sent twice at once, both get the answer that is saved first.
    """
    if turn.key is not None:
        await queries.lock_question(ctx, turn.key)
        before = await queries.find_answered_question(ctx, turn.key)
        if before is not None:
            return before.saved
    conversation_id, message_id = turn.conversation_id, new_id("msg")
    if conversation_id is None:
        new = await begin_conversation(ctx, turn.visitor, turn.context.locale, turn.page_url)
        conversation_id = new.id
    row = {
        "id": message_id,
        "conversation_id": conversation_id,
        "question": turn.request.text,
        "answer": answer.text,
        "answered": answer.answered,
        "confidence": answer.confidence,
        "model": answer.model,
        "may_help": answer.may_help,
        "translated_from": answer.translated_from,
    }
    sources = tuple(SourceOut.of(cited) for cited in answer.sources)
    sent_sources = None if turn.key is None else [source.model_dump(by_alias=True) for source in sources]
    source_rows = [
        {name: getattr(cited.passage, name) for name in ("article_id", "heading", "anchor")}
        for cited in answer.sources
    ]
    await queries.insert_message(ctx, row, source_rows, turn.key, sent_sources)
    # A greeting needs no article.
    if not answer.answered and not answer.is_small_talk:
        scores = {passage.article_id: passage.score for passage in reversed(turn.context.passages)}
        nearest = [Nearest(*row) for row in reversed([*scores.items()][-limits.MAX_NEAREST_ARTICLES :])]
        question, locale = turn.request.text, turn.context.locale
        await log_unanswered(ctx, question, turn.visitor, locale, nearest, meaning=turn.context.query)
    return SavedAnswer(answer, conversation_id, message_id, sources)


async def give_feedback(ctx: Ctx, message_id: str, given: FeedbackGiven) -> FeedbackOut:
    """Rate an answer as helpful or not. The last rating counts; a comment stays until another one is sent."""
    comment = filled(given.model_dump().get("comment"))
    feedback = await queries.set_feedback(ctx, message_id, given.helpful, comment)
    if feedback is None:
        raise NotFound.of("answer")
    return feedback


async def get_widget_config(ctx: Ctx, locale: str | None) -> WidgetConfigOut:
    """Get the data for a widget: the bot's name, its language, and the texts in `locale`."""
    bot = ctx.bot
    texts = texts_for(accepted_locale(locale) or bot.locale)
    return WidgetConfigOut(
        bot_id=str(bot.id),
        name=bot.name,
        locale=bot.locale,
        help_url=bot.help_url,
        accent=await queries.find_accent(ctx),
        texts=WidgetTextsOut.of_row(texts),
    )


async def begin_conversation(ctx: Ctx, visitor: str, locale: str, page_url: str | None) -> Conversation:
    """Begin a conversation with a visitor, even in a paused workspace, which continues to answer."""
    visitor_hash = hash_visitor(ctx.bot.id, visitor)
    return await queries.insert_conversation(ctx, new_id("conv"), visitor_hash, locale, page_url)


@visitors_write
async def escalate_conversation(ctx: Ctx, conversation_id: str, escalation: Escalation) -> Conversation:
    """Ask for a person to continue a conversation.

    The first call counts: later ones get the same answer, notify nobody and change nothing. Send later
    contact details as a lead of this conversation.
    """
    sent = escalation.model_dump()
    before = await get_conversation(ctx, conversation_id)
    escalated = await queries.escalate(ctx, before.id, filled(sent.get("email")), filled(sent.get("message")))
    if escalated is None:
        return await get_conversation(ctx, conversation_id)
    after = ConversationOut.of(escalated)
    await emit(ctx, "conversation.escalated", after, before=ConversationOut.of(before))
    await alert(
        ctx, "handoff", f"{ctx.bot.name}: a visitor asks for a person", _alert_lines(after), None, after.email
    )
    if escalated.message is not None:
        await add_note_to_gaps(ctx, escalated.id)
    return escalated


@visitors_write
async def create_lead(ctx: Ctx, new: LeadCreate) -> Lead:
    """Leave contact details. Each call creates a separate lead; a bot accepts 200 per hour."""
    sent = new.model_dump()
    await _count_lead(ctx)
    row = {
        "id": new_id("lead"),
        "conversation_id": await _referenced_id(ctx, sent.get("conversation_id")),
        "email": new.email,
        "name": filled(sent.get("name")),
        "message": filled(sent.get("message")),
    }
    lead = await queries.insert_lead(ctx, row)
    await emit(ctx, "lead.created", LeadOut.of(lead))
    fields = {"Email": lead.email, "Name": lead.name, "Message": lead.message}
    lines = [f"{name}: {text}" for name, text in fields.items() if text]
    await alert(ctx, "lead", f"{ctx.bot.name}: a visitor left contact details", lines, None, lead.email)
    return lead


async def _count_lead(ctx: Ctx) -> None:
    """Count a lead in its own transaction, so that a refused one does not count."""
    window = await count_hit(ctx.tx, "leads", str(ctx.bot.id), limits.HOUR_SECONDS)
    if window.hits > limits.LEADS_PER_HOUR:
        raise RateLimited(
            "This help center has reached its hourly limit for contact details: try again later.",
            headers={"Retry-After": str(window.seconds_left)},
        )


async def _referenced_id(ctx: Ctx, conversation_id: str | None) -> str | None:
    """The id of the conversation that a request names, if this bot has it."""
    if conversation_id is not None and await queries.find_conversation(ctx, conversation_id) is None:
        raise InvalidValue("conversationId", "it is not the id of a conversation with this bot")
    return conversation_id


def _alert_lines(conversation: ConversationOut) -> list[str]:
    """The lines of an alert; the page is not a link, because its URL comes from the visitor's browser."""
    fields = {"Email": conversation.email, "Message": conversation.message, "Page": conversation.page_url}
    lines = [f"{name}: {text}" for name, text in fields.items() if text]
    return [*lines, f"Conversation: {conversation.id}"]
