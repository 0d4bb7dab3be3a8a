"""Conversations and leads over REST, for visitors."""

from fastapi.responses import Response

from instep.answers import actions
from instep.answers.schemas import EscalatedOut, Escalation, LeadCreate, LeadReceivedOut
from instep.web.api import reply
from instep.web.embed import CurrentVisitorCall, EmbedRouter

router = EmbedRouter()


@router.door("POST /chat/{conversationId}/escalate", actions.escalate_conversation, EscalatedOut)
async def escalate_conversation(call: CurrentVisitorCall, conversationId: str, body: Escalation) -> Response:
    async with call.begin() as ctx:
        return reply(EscalatedOut.of(await actions.escalate_conversation(ctx, conversationId, body)))


@router.door("POST /leads", actions.create_lead, LeadReceivedOut, status=201)
async def create_lead(call: CurrentVisitorCall, body: LeadCreate) -> Response:
    async with call.begin() as ctx:
        lead = await actions.create_lead(ctx, body)
        return reply(LeadReceivedOut(id=lead.id, created_at=lead.created_at), 201)
