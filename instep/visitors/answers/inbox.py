"""The team's actions on visitors' conversations, answers and contact details."""

from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.visitors.answers import queries
from instep.visitors.answers.schemas import (
    Conversation,
    ConversationFilter,
    ConversationSummary,
    Lead,
    LeadFilter,
    VisitorMessage,
)


async def list_conversations(
    ctx: Ctx, status: ConversationFilter, page: PageRequest
) -> Page[ConversationSummary]:
    """List conversations: those that wait for a person first, then the newest."""
    return await queries.list_conversations(ctx, status, page)


async def get_conversation(ctx: Ctx, conversation_id: str) -> Conversation:
    """Get a conversation without its messages."""
    return existing_conversation(await queries.find_conversation(ctx, conversation_id))


async def list_messages(ctx: Ctx, conversation_id: str, page: PageRequest) -> Page[VisitorMessage]:
    """List the questions of a conversation with their answers, oldest first."""
    return await queries.list_messages(ctx, conversation_id, page)


async def list_leads(ctx: Ctx, status: LeadFilter, page: PageRequest) -> Page[Lead]:
    """List the contact details that visitors left, newest first."""
    return await queries.list_leads(ctx, status, page)


async def list_leads_of_conversation(ctx: Ctx, conversation_id: str) -> list[Lead]:
    """List the newest contact details that were left in a conversation."""
    return await queries.list_leads_of(ctx, conversation_id, limits.MAX_SHOWN_LEADS)


@writes
async def finish_lead(ctx: Ctx, lead_id: str) -> Lead:
    """Mark contact details as done: they need no answer."""
    return existing_lead(await queries.set_lead_done(ctx, lead_id, is_done=True))


@writes
async def reopen_lead(ctx: Ctx, lead_id: str) -> Lead:
    """Mark contact details as open again."""
    return existing_lead(await queries.set_lead_done(ctx, lead_id, is_done=False))


def existing_lead(lead: Lead | None) -> Lead:
    if lead is None:
        raise NotFound("There are no such contact details.")
    return lead


@writes
async def finish_conversation(ctx: Ctx, conversation_id: str) -> Conversation:
    """Mark a conversation as done, with the contact details that were left in it."""
    return existing_conversation(await queries.set_conversation_done(ctx, conversation_id, is_done=True))


@writes
async def reopen_conversation(ctx: Ctx, conversation_id: str) -> Conversation:
    """Mark a conversation as open again."""
    return existing_conversation(await queries.set_conversation_done(ctx, conversation_id, is_done=False))


def existing_conversation(conversation: Conversation | None) -> Conversation:
    if conversation is None:
        raise NotFound.of("conversation")
    return conversation
