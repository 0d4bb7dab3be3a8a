"""Questions, conversations and leads over REST, for visitors."""

from typing import Annotated

from fastapi import Header, Query, Request
from fastapi.responses import Response

from instep.accounts.language_model.choosing import models_of
from instep.platform.core import limits
from instep.platform.web.api import reply
from instep.platform.web.events import event_stream, wants_events
from instep.platform.web.visitors.route import CurrentVisitorCall, VisitorRouter
from instep.search.schemas import SearchText
from instep.visitors.answers import actions, article_lookup
from instep.visitors.answers.schemas import (
    AnswerOut,
    ArticleFeedbackGiven,
    EscalatedOut,
    Escalation,
    FeedbackGiven,
    FeedbackOut,
    LeadCreate,
    LeadReceivedOut,
    QuestionAsked,
)
from instep.visitors.answers.streaming import answer_events
from instep.visitors.answers.widget_schemas import ArticleLinksOut, ReadableArticleOut, WidgetConfigOut
from instep.visitors.insights.feedback import actions as feedback_actions
from instep.visitors.insights.schemas import ArticleFeedbackOut

router = VisitorRouter()

BotKeyParameter = Annotated[
    str, Query(description="The bot's public key.", examples=["pk_4fJ2kQ9xT7mB1cV8sN3hW6zR"])
]
WidgetLocale = Annotated[
    str | None, Query(description="The language of the texts; by default the bot's.", examples=["en"])
]
# The route has entered the version before the operation begins.
WidgetVersion = Annotated[
    str | None,
    Query(
        description="The product version to read, by its id or slug; by default the current one.",
        examples=["1.x"],
    ),
]
PageAddress = Annotated[
    str | None,
    Query(
        description="The page the visitor is on.",
        max_length=limits.MAX_PAGE_URL_CHARACTERS,
        examples=["https://example.com/team/members"],
    ),
]
VisitorToken = Annotated[
    str | None,
    Header(
        description="Proof that the visitor is signed in, the same as `visitorToken` of a question.",
        max_length=limits.MAX_VISITOR_TOKEN_CHARACTERS,
    ),
]


@router.operation("POST /chat", actions.ask_question, AnswerOut, takes_long=True)
async def ask_question(call: CurrentVisitorCall, request: Request, body: QuestionAsked) -> Response:
    models = models_of(request.app.state)
    pending = await actions.ask_question(call.begin, models, body, is_paused=call.is_paused)
    if wants_events(request):
        return event_stream(answer_events(pending))
    return reply(AnswerOut.of_saved(await pending.complete()))


@router.operation("POST /chat/messages/{messageId}/feedback", actions.give_feedback, FeedbackOut)
async def give_feedback(call: CurrentVisitorCall, messageId: str, body: FeedbackGiven) -> Response:
    async with call.begin() as ctx:
        return reply(await actions.give_feedback(ctx, messageId, body))


@router.operation("GET /widget/{botId}/config", actions.get_widget_config, WidgetConfigOut)
async def get_widget_config(
    call: CurrentVisitorCall,
    botId: str,
    botKey: BotKeyParameter,
    locale: WidgetLocale = None,
    version: WidgetVersion = None,
) -> Response:
    async with call.begin() as ctx:
        return reply(await actions.get_widget_config(ctx, locale))


@router.operation("GET /widget/{botId}/search", article_lookup.find_articles, ArticleLinksOut)
async def find_articles(
    call: CurrentVisitorCall,
    botId: str,
    botKey: BotKeyParameter,
    q: SearchText,
    locale: WidgetLocale = None,
    version: WidgetVersion = None,
    visitor_token: VisitorToken = None,
) -> Response:
    async with call.begin() as ctx:
        return reply(await article_lookup.find_articles(ctx, q, locale, visitor_token))


@router.operation("GET /widget/{botId}/suggestions", article_lookup.suggest_articles, ArticleLinksOut)
async def suggest_articles(
    call: CurrentVisitorCall,
    botId: str,
    botKey: BotKeyParameter,
    pageUrl: PageAddress = None,
    locale: WidgetLocale = None,
    version: WidgetVersion = None,
    visitor_token: VisitorToken = None,
) -> Response:
    async with call.begin() as ctx:
        return reply(await article_lookup.suggest_articles(ctx, pageUrl, locale, visitor_token))


@router.operation(
    "GET /widget/{botId}/articles/{articleId}", article_lookup.get_public_article, ReadableArticleOut
)
async def get_public_article(
    call: CurrentVisitorCall,
    botId: str,
    articleId: str,
    botKey: BotKeyParameter,
    version: WidgetVersion = None,
    visitor_token: VisitorToken = None,
) -> Response:
    async with call.begin() as ctx:
        article = await article_lookup.get_public_article(ctx, articleId, visitor_token)
        return reply(ReadableArticleOut.of(article, ctx.bot))


@router.operation("POST /chat/{conversationId}/escalate", actions.escalate_conversation, EscalatedOut)
async def escalate_conversation(call: CurrentVisitorCall, conversationId: str, body: Escalation) -> Response:
    async with call.begin() as ctx:
        return reply(EscalatedOut.of_row(await actions.escalate_conversation(ctx, conversationId, body)))


@router.operation("POST /leads", actions.create_lead, LeadReceivedOut, status=201)
async def create_lead(call: CurrentVisitorCall, body: LeadCreate) -> Response:
    async with call.begin() as ctx:
        lead = await actions.create_lead(ctx, body)
        return reply(LeadReceivedOut.of_row(lead), 201)


@router.operation("POST /feedback", feedback_actions.rate_article, ArticleFeedbackOut, status=201)
async def rate_article(call: CurrentVisitorCall, body: ArticleFeedbackGiven) -> Response:
    async with call.begin() as ctx:
        return reply(await feedback_actions.rate_article(ctx, body), 201)
