"""The search over REST."""

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from instep.content.articles.schemas import article_json
from instep.platform.core import limits
from instep.platform.core.markdown import Format
from instep.platform.identity.schemas import Bot
from instep.platform.web.api import ApiRouter, Form, PageSize, StartCursor, reply, reply_list
from instep.platform.web.call import CurrentCall
from instep.platform.web.shapes import ListOut, Locale
from instep.search import actions
from instep.search.schemas import (
    SearchHit,
    SearchHitHtmlOut,
    SearchHitOut,
    SearchRequest,
    SearchText,
    SynonymsOut,
    SynonymsUpdate,
)

router = ApiRouter()
LocaleFilter = Annotated[Locale | None, Query(description="Only articles in this language.")]


@router.operation("GET /articles/search", actions.search_articles, ListOut[SearchHitOut | SearchHitHtmlOut])
async def search_articles(
    call: CurrentCall,
    q: SearchText,
    locale: LocaleFilter = None,
    form: Form = "markdown",
    page_size: PageSize = limits.DEFAULT_PAGE_SIZE,
    start_cursor: StartCursor = None,
) -> Response:
    async with call.begin_reading() as ctx:
        page = await actions.search_articles(
            ctx, SearchRequest(q, locale), form, call.page(page_size, start_cursor)
        )
        return reply_list(page, lambda hit: search_hit_json(hit, ctx.bot, form))


def search_hit_json(hit: SearchHit, bot: Bot, format: Format) -> dict[str, Any]:
    return {**article_json(hit, bot, format), "excerpt": hit.excerpt, "score": hit.score}


@router.operation("GET /synonyms", actions.get_synonyms, SynonymsOut)
async def get_synonyms(call: CurrentCall) -> Response:
    async with call.begin() as ctx:
        return reply(SynonymsOut.of_row(await actions.get_synonyms(ctx)))


@router.operation("PATCH /synonyms", actions.update_synonyms, SynonymsOut)
async def update_synonyms(call: CurrentCall, body: SynonymsUpdate) -> Response:
    async with call.begin() as ctx:
        return reply(SynonymsOut.of_row(await actions.update_synonyms(ctx, body)))
