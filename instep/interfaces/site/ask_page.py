"""A separate page for asking the help center: the answer with its sources, without any script."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from instep.accounts.language_model.choosing import models_of
from instep.interfaces.site import public_forms, queries
from instep.interfaces.site.public_forms import PRESS_AGAIN, TRAP, VisitorMistake
from instep.interfaces.site.rendering import part_of_page
from instep.interfaces.site.schemas import passage_path
from instep.interfaces.site.search import ArticleResult, results_by_article
from instep.interfaces.site.visits import VISITOR, Visit, help_center
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.core.errors import AppError
from instep.platform.core.markdown import render_answer
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.web.catalogues import Catalogue, message
from instep.platform.web.pages import sanitised
from instep.platform.web.public import public
from instep.search.actions import search_passages
from instep.search.schemas import SearchRequest
from instep.visitors.answers import actions
from instep.visitors.answers.actions import PendingAnswer
from instep.visitors.answers.schemas import Answer, CitedPassage, FeedbackGiven, QuestionAsked, SavedAnswer

TAG = re.compile(r"(<[^<>]*>)")
# The position of the answer in a page that is sent before there is one.
MARKER = Markup("<!-- answer -->")
# The number of a cited source. Brackets in an article's own text have a backslash each.
CITATION = re.compile(r"(?<!\\)((?:\\\\)*+)\[(\d{1,2})\]")
# Two private-use characters around the number of a citation while the answer is rendered.
CITATION_MARK = "\U000f0000{}\U000f0001"
CITATION_MARK_PATTERN = re.compile("\U000f0000(\\d{1,2})\U000f0001")
# Maximum number of articles that an answer page offers besides its sources.
RELATED_ARTICLES = 3
TOO_LONG = message("Your question can have at most %(number)s characters.")
TOO_OLD = message("Your rating was not saved because this page has expired. Ask again.")


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source of an answer, as the page links to it."""

    cited: CitedPassage
    path: str


@public
async def show_ask(request: Request) -> Response:
    """The form; with a question in `q` also the answer, which counts and is stored like one of `POST /chat`.

    Prefetches and requests for the head alone ask nothing.
    """
    question = " ".join(request.query_params.get("q", "").replace("\0", " ").split())
    is_too_long = len(question) > limits.MAX_QUESTION_CHARACTERS
    async with help_center(request, recognise=True) as visit:
        locale = visit.locale
        if not question or is_too_long or is_preparing(request):
            longest = visit.catalogue.number(limits.MAX_QUESTION_CHARACTERS)
            error = visit.catalogue.gettext(TOO_LONG, number=longest) if is_too_long else None
            return public_forms.private_page(
                visit, "ask.html", 400 if error else 200, question=question, error=error
            )
        await public_forms.count_visitor(request, visit.ctx)
        is_paused = await queries.is_paused(visit.ctx)
        has_model = await models_of(request.app.state).has_model(visit.ctx, "answers")
    accept = partial(ask, visit, question, locale, is_paused=is_paused)
    common_values: dict[str, Any] = {"locale": locale, "question": question, "marker": MARKER}
    if not has_model or is_paused:
        values = await answer_values(visit, common_values, await (await accept()).complete())
        return public_forms.private_page(visit, "answer.html", is_pending=False, **values)
    page = public_forms.private_page(visit, "answer.html", is_pending=True, **common_values)
    headers = {name: value for name, value in page.headers.items() if name != "content-length"}
    parts = page_parts(visit, bytes(page.body).decode(), common_values, accept)
    return StreamingResponse(parts, headers={**headers, "X-Accel-Buffering": "no"})


async def page_parts(
    visit: Visit, html: str, common_values: dict[str, Any], accept: Callable[[], Awaitable[PendingAnswer]]
) -> AsyncIterator[str]:
    """The page up to the answer at once, and the answer as a model writes it.

    Browsers show each part without a script: styles hide earlier versions of the answer when more follows.
    """
    before, _, after = html.partition(MARKER)
    yield before
    try:
        async with aclosing((await accept()).growing()) as answers:
            async for answer in answers:
                yield await answer_part(visit, common_values, answer)
    except AppError as refusal:
        yield part_of_page(visit, "_unanswered.html", message=refusal.message)
    yield after


async def answer_part(
    visit: Visit, common_values: dict[str, Any], answer: Answer | SavedAnswer | None
) -> str:
    """The HTML of an answer or its beginning; spaces while nothing new is written."""
    if answer is None:
        return "\n"
    if isinstance(answer, Answer):
        return f'<div class="prose begun">{await answer_html(answer, visit.catalogue)}</div>\n'
    return part_of_page(visit, "_answer.html", **await answer_values(visit, common_values, answer))


async def answer_values(visit: Visit, common_values: dict[str, Any], saved: SavedAnswer) -> dict[str, Any]:
    """The values of an answer for the page's template."""
    question, locale = common_values["question"], common_values["locale"]
    async with begin(visit.request.app.state.database, visit.ctx.bot) as ctx:
        related = await related_articles(visit, ctx, question, locale, saved)
    return {
        **common_values,
        "answer": saved.answer,
        "html": await answer_html(saved.answer, visit.catalogue),
        "sources": [shown_source(visit.ctx.bot, cited) for cited in saved.answer.sources],
        "related": related,
        "message_id": saved.message_id,
        "stamp": public_forms.stamp_for(visit.request, saved.message_id),
    }


def is_preparing(request: Request) -> bool:
    return request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", "")


async def ask(visit: Visit, question: str, locale: str, *, is_paused: bool) -> PendingAnswer:
    """Ask as a visitor; no connection is held while a model writes."""
    state = visit.request.app.state
    fields = {"question": question, "visitor": public_forms.visitor_of(visit.request), "locale": locale}
    if visit.session is not None:
        fields["visitorToken"] = visit.session
    new = QuestionAsked.model_validate({**fields, "botId": str(visit.ctx.bot.id), "botKey": ""})
    enter = partial(begin, state.database, visit.ctx.bot)
    return await actions.ask_question(enter, models_of(state), new, is_paused=is_paused)


@asynccontextmanager
async def begin(database: Database, bot: Bot) -> AsyncIterator[Ctx]:
    """The context of a visitor's action, in a transaction that ends with the block."""
    async with database.enter_workspace(bot.workspace_id) as tx, tx.transaction():
        yield Ctx(tx, bot, VISITOR, utc_now())


async def related_articles(
    visit: Visit, ctx: Ctx, question: str, locale: str, saved: SavedAnswer
) -> list[ArticleResult]:
    """The results of a search for the same words, without the sources."""
    if not limits.MIN_QUERY_CHARACTERS <= len(question) <= limits.MAX_QUERY_CHARACTERS:
        return []
    page = PageRequest(visit.request.app.state.cursor_key, limits.SITE_PAGE_ROWS, None)
    passages = await search_passages(ctx, SearchRequest(question, locale), page, 1, visit.audience)
    cited_ids = {cited.passage.article_id for cited in saved.answer.sources}
    others = [passage for passage in passages.rows if passage.article_id not in cited_ids]
    return results_by_article(visit, others)[:RELATED_ARTICLES]


def shown_source(bot: Bot, cited: CitedPassage) -> ShownSource:
    passage = cited.passage
    path = passage_path(bot, passage.locale, passage)
    return ShownSource(cited, f"{path}#{passage.anchor}" if passage.anchor else path)


async def answer_html(answer: Answer, catalogue: Catalogue) -> Markup:
    """The text of an answer, with the numbers of sources as links."""
    html = await render_answer(mark_citations(answer.text))
    return sanitised(link_citations(html, len(answer.sources), catalogue))


def mark_citations(markdown: str) -> str:
    """The answer with marks for the citations' brackets, which would otherwise look like an article's own."""
    unmarked = markdown.translate(dict.fromkeys(map(ord, CITATION_MARK.format(""))))
    return CITATION.sub(lambda match: match[1] + CITATION_MARK.format(match[2]), unmarked)


def link_citations(html: str, source_count: int, catalogue: Catalogue) -> str:
    """Turn each mark outside code into a link to its source, others back into `[n]`; `html` is sanitized."""

    def link(match: re.Match[str]) -> str:
        n = int(match[1])
        if not 1 <= n <= source_count:
            return f"[{match[1]}]"
        label = escape(catalogue.gettext("Source %(number)s", number=n))
        return f'<a class="mark" href="#source-{n}" aria-label="{label}">{n}</a>'

    code_depth, pieces = 0, TAG.split(html)
    for index, piece in enumerate(pieces):
        if piece.startswith("<"):
            code_depth += piece.startswith("<code") - piece.startswith("</code")
        elif code_depth == 0:
            pieces[index] = CITATION_MARK_PATTERN.sub(link, piece)
    return CITATION_MARK_PATTERN.sub(r"[\1]", "".join(pieces))


@public
async def rate_answer(request: Request) -> Response:
    """Store whether an answer helped, and redirect to the thanks."""
    form = await public_forms.read_public_form(request)
    message_id, helpful = form.get("message", ""), form.get("helpful")
    if form.get(TRAP) or helpful not in ("yes", "no"):
        raise VisitorMistake(PRESS_AGAIN)
    if not public_forms.is_signed(request, message_id, form.get("stamp", "")):
        raise VisitorMistake(TOO_OLD)
    async with help_center(request) as visit:
        await public_forms.count_visitor(request, visit.ctx)
        fields = {"botId": str(visit.ctx.bot.id), "botKey": "", "helpful": helpful == "yes"}
        await actions.give_feedback(visit.ctx, message_id, FeedbackGiven.model_validate(fields))
        return public_forms.seen(f"{visit.root}/feedback", about="answer", helpful=helpful)
