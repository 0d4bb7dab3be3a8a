"""Insights over REST."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from instep.drafting.drafts import suppression
from instep.drafting.drafts.suppressed_schemas import SuppressedDeletedOut, SuppressedOut
from instep.platform.core import limits
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.shapes import ListOut
from instep.visitors.insights import actions
from instep.visitors.insights.actions import QuestionFilter
from instep.visitors.insights.feedback import actions as feedback_actions
from instep.visitors.insights.health.assessment import StatusFilter
from instep.visitors.insights.schemas import FeedbackSummaryOut, HealthOut, UnansweredQuestionOut, health_out
from instep.visitors.insights.visits import actions as visit_actions
from instep.visitors.insights.visits.schemas import (
    SearchedWordsOut,
    ViewedArticleOut,
    VisitsErasedOut,
    VisitsOut,
)

router = ApiRouter()

VisitDays = Annotated[
    int,
    Query(
        ge=1,
        le=limits.MAX_VISIT_DAYS,
        description="The number of days to look back, including today.",
        examples=[7],
    ),
]
OnlyEmpty = Annotated[bool, Query(description="Only searches without results.", examples=[True])]

QuestionStatusFilter = Annotated[
    QuestionFilter,
    Query(
        alias="status",
        description="`waiting`: open and drafted questions. Other values: only questions with that status.",
        examples=["all"],
    ),
]
ArticleStatusFilter = Annotated[
    StatusFilter, Query(alias="status", description="Articles of this status.", examples=["published"])
]


@router.operation("GET /insights/unanswered", actions.list_unanswered, ListOut[UnansweredQuestionOut])
async def list_unanswered(ctx: Ctx, page: PageRequest, status: QuestionStatusFilter = "waiting") -> Response:
    return reply_list(await actions.list_unanswered(ctx, status, page))


@router.operation("POST /insights/unanswered/{id}/dismiss", actions.dismiss_unanswered, UnansweredQuestionOut)
async def dismiss_unanswered(ctx: Ctx, id: str) -> Response:
    return reply(await actions.dismiss_unanswered(ctx, id))


@router.operation("GET /insights/health", actions.list_health, ListOut[HealthOut])
async def list_health(ctx: Ctx, page: PageRequest, status: ArticleStatusFilter = "published") -> Response:
    return reply_list(await actions.list_health(ctx, status, page), health_out)


@router.operation("GET /insights/feedback", feedback_actions.list_feedback, ListOut[FeedbackSummaryOut])
async def list_feedback(ctx: Ctx, page: PageRequest) -> Response:
    return reply_list(await feedback_actions.list_feedback(ctx, page))


@router.operation("GET /insights/visits", visit_actions.count_visits, VisitsOut)
async def count_visits(ctx: Ctx, days: VisitDays = limits.DEFAULT_VISIT_DAYS) -> Response:
    return reply(await visit_actions.count_visits(ctx, days))


@router.operation("DELETE /insights/visits", visit_actions.erase_visits, VisitsErasedOut)
async def erase_visits(ctx: Ctx) -> Response:
    return reply(VisitsErasedOut(id=await visit_actions.erase_visits(ctx), deleted=True))


@router.operation("GET /insights/views", visit_actions.list_views, ListOut[ViewedArticleOut])
async def list_views(ctx: Ctx, page: PageRequest, days: VisitDays = limits.DEFAULT_VISIT_DAYS) -> Response:
    return reply_list(await visit_actions.list_views(ctx, days, page))


@router.operation("GET /insights/searches", visit_actions.list_searches, ListOut[SearchedWordsOut])
async def list_searches(
    ctx: Ctx, page: PageRequest, days: VisitDays = limits.DEFAULT_VISIT_DAYS, empty: OnlyEmpty = False
) -> Response:
    return reply_list(await visit_actions.list_searches(ctx, days, page, only_empty=empty))


@router.operation("GET /insights/suppressed", suppression.list_suppressed, ListOut[SuppressedOut])
async def list_suppressed(ctx: Ctx, page: PageRequest) -> Response:
    return reply_list(await suppression.list_suppressed(ctx, page), SuppressedOut.of)


@router.operation("DELETE /insights/suppressed/{id}", suppression.lift_suppressed, SuppressedDeletedOut)
async def lift_suppressed(ctx: Ctx, id: str) -> Response:
    return reply(SuppressedDeletedOut(id=await suppression.lift_suppressed(ctx, id), deleted=True))
