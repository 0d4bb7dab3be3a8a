"""The search over REST."""

from fastapi.responses import Response

from instep.articles.rest import LocaleFilter
from instep.core import limits
from instep.search import actions
from instep.search.schemas import Query, SearchHitHtmlOut, SearchHitOut, SearchRequest, search_hit_out
from instep.web.api import ApiRouter, Form, PageSize, StartCursor, reply_list
from instep.web.call import CurrentCall
from instep.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /articles/search", actions.search_articles, ListOut[SearchHitOut | SearchHitHtmlOut])
async def search_articles(
    call: CurrentCall,
    q: Query,
    locale: LocaleFilter = None,
    form: Form = "markdown",
    page_size: PageSize = limits.DEFAULT_PAGE_SIZE,
    start_cursor: StartCursor = None,
) -> Response:
    async with call.begin() as ctx:
        listed = await actions.search_articles(
            ctx, SearchRequest(q, locale), form, call.page(page_size, start_cursor)
        )
        return reply_list(listed, lambda row: search_hit_out(row, ctx.bot, form))
