"""What the people behind a help center read of its visitors: conversations, answers, contact details."""

from instep.answers import queries
from instep.answers.schemas import Conversation, ConversationFilter, ConversationSummary, Lead, VisitorMessage
from instep.core import limits
from instep.core.errors import NotFound
from instep.core.paging import Page, PageRequest
from instep.identity.schemas import Ctx


async def list_conversations(
    ctx: Ctx, status: ConversationFilter, page: PageRequest
) -> Page[ConversationSummary]:
    """List conversations: those that wait for a person first, then the newest."""
    return await queries.list_conversations(ctx, status, page)


async def get_conversation(ctx: Ctx, conversation_id: str) -> Conversation:
    """Get a conversation without its messages."""
    conversation = await queries.find_conversation(ctx, conversation_id)
    if conversation is None:
        raise NotFound("There is no such conversation.")
    return conversation


async def list_messages(ctx: Ctx, conversation_id: str, page: PageRequest) -> Page[VisitorMessage]:
    """List the questions of a conversation with their answers, oldest first."""
    return await queries.list_messages(ctx, conversation_id, page)


async def list_leads(ctx: Ctx, page: PageRequest) -> Page[Lead]:
    """List the contact details that visitors left, newest first."""
    return await queries.list_leads(ctx, page)


async def list_leads_of_conversation(ctx: Ctx, conversation_id: str) -> list[Lead]:
    """List the newest contact details that were left in a conversation."""
    return await queries.list_leads_of(ctx, conversation_id, limits.MAX_SHOWN_LEADS)
