"""Questions to a help center as tools of the public MCP server."""

from functools import partial
from typing import Annotated

from pydantic import Field

from instep.accounts.language_model.choosing import models_of
from instep.platform.core import limits
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Cursor, Limit, Toolbox
from instep.platform.web.mcp.visitor_server import BotKeyNamed, VisitorToolCall
from instep.platform.web.shapes import ListOut, Locale, Out, Text
from instep.search.actions import search_passages
from instep.search.schemas import Passage, SearchRequest, SearchText
from instep.search.semantic.query_embedder import query_embedder
from instep.visitors.answers import actions
from instep.visitors.answers.schemas import AnswerOut, QuestionAsked, QuestionText, VisitorId
from instep.visitors.answers.widget_schemas import WidgetConfigOut

toolbox = Toolbox(BotKeyNamed)
AnswerLocale = Annotated[
    Locale | None, Field(description="The language of the articles that are preferred, such as `en`.")
]
SearchLocale = Annotated[Locale | None, Field(description="Only articles in this language.")]
TextLocale = Annotated[Text | None, Field(description="The language of the texts; by default the bot's.")]
# The endpoint has entered the version before the tool begins.
VersionNamed = Annotated[
    Text | None, Field(description="The product version, such as `1.x`; by default the current one.")
]
ConversationIdNamed = Annotated[
    Text | None,
    Field(
        description="The `conversationId` of an earlier answer that the question continues, with the same "
        "`visitor`."
    ),
]
VisitorNamed = Annotated[
    VisitorId | None,
    Field(description="An identifier of your choice for the visitor. Only its hash is stored."),
]
WithTexts = Annotated[bool, Field(description="Also return the full text of each passage in Markdown.")]


class PassageOut(Out):
    """A piece of a published article."""

    article_id: str
    title: str
    heading: str | None = Field(description="The headings above the passage, outermost first.")
    url: str
    locale: str
    version: str | None = Field(description="The product version of the article, if it is another one.")
    excerpt: str = Field(description="Plain text around the best-matching sentence.")
    content_markdown: str | None = Field(
        description="The full text in Markdown; null unless `includeText` is set."
    )
    score: float


@toolbox.tool(actions.ask_question, AnswerOut, "Ask the help center")
async def ask_docs(
    call: VisitorToolCall,
    question: QuestionText,
    locale: AnswerLocale = None,
    version: VersionNamed = None,
    conversation_id: ConversationIdNamed = None,
    visitor: VisitorNamed = None,
) -> AnswerOut:
    """Ask a question in plain words, and get an answer from the published articles, with its sources.

    If the articles don't contain it, `answered` is false. `mayHelp` is true if the nearest articles, which
    are then the sources, are near enough to help.
    """
    sent = {"question": question, "visitor": visitor or call.visitor, "locale": locale}
    sent |= {"conversationId": conversation_id, "botId": str(call.visit.bot.id), "botKey": ""}
    new = QuestionAsked.model_validate({name: value for name, value in sent.items() if value is not None})
    visit = call.visit
    models = models_of(call.state)
    pending = await actions.ask_question(visit.begin, models, new, is_paused=visit.is_paused)
    return AnswerOut.of_saved(await pending.complete())


@toolbox.tool(search_passages, ListOut[PassageOut], "Search the help center")
async def search_docs(
    call: VisitorToolCall,
    query: SearchText,
    locale: SearchLocale = None,
    version: VersionNamed = None,
    include_text: WithTexts = False,
    limit: Limit = limits.DEFAULT_TOOL_ROWS,
    cursor: Cursor = None,
) -> ListOut[PassageOut]:
    """Search the published articles for the passages that match some words best, best first."""
    await query_embedder.prepare(query)
    async with call.visit.begin() as ctx:
        search = partial(search_passages, ctx, SearchRequest(query, locale))
        return await list_within_budget(search, partial(passage_out, include_text), call.page(limit, cursor))


@toolbox.tool(actions.get_widget_config, WidgetConfigOut, "Describe the help center")
async def get_bot_config(call: VisitorToolCall, locale: TextLocale = None) -> WidgetConfigOut:
    """Get the help center's name, language and public URL, and the texts of its chat widget."""
    async with call.visit.begin() as ctx:
        return await actions.get_widget_config(ctx, locale)


def passage_out(include_text: bool, passage: Passage) -> PassageOut:
    return PassageOut.of_row(
        passage,
        heading=" > ".join(passage.headings) or None,
        version=passage.other_version.slug if passage.other_version else None,
        content_markdown=passage.markdown if include_text else None,
    )
