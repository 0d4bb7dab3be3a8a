"""What visitors do beside asking: begin a conversation, ask for a person, leave contact details."""

import hashlib

from instep.alerts.actions import alert
from instep.answers import queries
from instep.answers.schemas import Conversation, ConversationOut, Escalation, Lead, LeadCreate, LeadOut
from instep.core.errors import InvalidValue, NotFound
from instep.core.ids import new_id
from instep.identity.access import visitors_write
from instep.identity.schemas import Ctx
from instep.webhooks.emit import emit


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
    escalated = await queries.escalate(ctx, before.id, said(sent.get("email")), said(sent.get("message")))
    if escalated is None:
        return await find_conversation(ctx, conversation_id)
    shown = ConversationOut.of(escalated)
    await emit(ctx, "conversation.escalated", shown, before=ConversationOut.of(before))
    await alert(ctx, "handoff", f"{ctx.bot.name}: a visitor asks for a person", lines_of(shown), None)
    return escalated


@visitors_write
async def create_lead(ctx: Ctx, new: LeadCreate) -> Lead:
    """Leave contact details. Each call makes a lead of its own."""
    sent = new.model_dump()
    row = {
        "id": new_id("lead"),
        "conversation_id": await referenced_id(ctx, sent.get("conversation_id")),
        "email": new.email,
        "name": said(sent.get("name")),
        "message": said(sent.get("message")),
    }
    lead = await queries.insert_lead(ctx, row)
    await emit(ctx, "lead.created", LeadOut.of(lead))
    told = {"E-mail": lead.email, "Name": lead.name, "Message": lead.message}
    lines = [f"{name}: {text}" for name, text in told.items() if text]
    await alert(ctx, "lead", f"{ctx.bot.name}: a visitor left contact details", lines, None)
    return lead


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


def said(text: str | None) -> str | None:
    """What forms send of a field that was left empty is nothing."""
    return (text or "").strip() or None


def hash_visitor(ctx: Ctx, visitor: str) -> bytes:
    """Salted with the bot, so that no visitor can be followed from one bot to another."""
    return hashlib.sha256(f"{ctx.bot.id} {visitor}".encode("utf-8", "replace")).digest()
