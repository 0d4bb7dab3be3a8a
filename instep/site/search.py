"""The search of a help center: the passages that everybody may read, in the language of the page."""

from collections.abc import Iterable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from instep.core import limits
from instep.core.errors import InvalidRequest
from instep.core.paging import Page, PageRequest
from instep.search.actions import search_passages
from instep.search.schemas import Passage, SearchRequest
from instep.search.semantic.query_embedder import query_embedder
from instep.site import queries
from instep.site.schemas import article_path
from instep.site.visits import Visit, help_center, spelled
from instep.web.addresses import client_address
from instep.web.call import Window
from instep.web.pages import NO_STORE
from instep.web.public import public
from instep.web.visitors.route import refuse_spent

# Nobody's searches are kept anywhere, nor listed by others.
HEADERS = {**NO_STORE, "X-Robots-Tag": "noindex"}
# Of one article, so that others are seen beside it.
EACH = 3
NOTHING: Page[Passage] = Page([], None)


@dataclass(frozen=True, slots=True)
class FoundArticle:
    """An article with those of its passages that stand on this page of results, the best first.

    What stands under none of its headings comes before those that do, so that it seems to be under none.
    """

    title: str
    path: str
    passages: list[Passage]


@public
async def show_search(request: Request) -> Response:
    query = sought_in(request)
    is_searched = len(query) >= limits.MIN_QUERY_CHARACTERS
    if is_searched:
        await count_search(request)
        await query_embedder.prepare(query)
    async with help_center(request) as visit:
        locale = visit.ctx.bot.locale
        if "locale" in request.path_params:
            locale = spelled(request.path_params["locale"])
        listed = await search(visit, SearchRequest(query, locale)) if is_searched else NOTHING
        page = visit.page(
            "search.html",
            locale,
            query=query,
            is_searched=is_searched,
            articles=by_article(visit, listed.rows),
            is_first="start_cursor" not in request.query_params,
            next_cursor=listed.next_cursor,
        )
    page.headers.update(HEADERS)
    del page.headers["ETag"]
    return page


def sought_in(request: Request) -> str:
    query = " ".join(request.query_params.get("q", "").replace("\0", " ").split())
    if len(query) > limits.MAX_QUERY_CHARACTERS:
        raise InvalidRequest(f"Search for at most {limits.MAX_QUERY_CHARACTERS} letters at once.")
    return query


async def count_search(request: Request) -> None:
    """Before anything that takes long, and without a connection afterwards."""
    database, slug = request.app.state.database, request.path_params["bot"]
    entering = database.enter(
        Window,
        queries.COUNT_SEARCH,
        slug=slug.replace("\0", ""),
        address=client_address(request),
        quota=limits.SITE_SEARCHES_PER_MINUTE,
        seconds=limits.REQUEST_WINDOW_SECONDS,
    )
    async with entering as (window, _):
        if window is not None:
            refuse_spent([window])


async def search(visit: Visit, wanted: SearchRequest) -> Page[Passage]:
    cursor = visit.request.query_params.get("start_cursor")
    key = visit.request.app.state.cursor_key
    return await search_passages(visit.ctx, wanted, PageRequest(key, limits.SITE_PAGE_SIZE, cursor), EACH)


def by_article(visit: Visit, passages: Iterable[Passage]) -> list[FoundArticle]:
    found: dict[str, FoundArticle] = {}
    for passage in passages:
        path = article_path(visit.ctx.bot, passage.locale, passage.slug)
        article = found.setdefault(passage.article_id, FoundArticle(passage.title, path, []))
        article.passages.append(passage)
    for article in found.values():
        article.passages.sort(key=lambda passage: bool(passage.headings))
    return list(found.values())
