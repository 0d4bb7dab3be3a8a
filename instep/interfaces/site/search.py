"""The search of a help center: public passages, in the language of the page."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import entrances
from instep.interfaces.site.public_forms import VisitorMistake
from instep.interfaces.site.rendering import visitor_page
from instep.interfaces.site.schemas import passage_path
from instep.interfaces.site.visit_counts import count_words
from instep.interfaces.site.visits import Visit, help_center
from instep.platform.core import limits
from instep.platform.core.paging import Page, PageRequest
from instep.platform.web.call import Window
from instep.platform.web.catalogues import message
from instep.platform.web.client_addresses import client_address
from instep.platform.web.pages import NO_STORE
from instep.platform.web.public import public
from instep.platform.web.visitors.route import refuse_spent
from instep.search.actions import search_passages
from instep.search.schemas import Passage, SearchRequest
from instep.search.semantic.query_embedder import query_embedder

# Searches are private: result pages are neither stored nor indexed.
HEADERS = {**NO_STORE, "X-Robots-Tag": "noindex"}
# Maximum number of passages per article on a page, so that a long article does not fill it.
PASSAGES_PER_ARTICLE = 3
IN_VERSION = message("Version %(version)s")
TOO_LONG = message("Your search can have at most %(number)s characters.")
EMPTY_PAGE: Page[Passage] = Page([], None)


@dataclass(frozen=True, slots=True)
class ArticleResult:
    """An article with its passages on this page of results.

    Passages above all headings come first, so that they do not seem to belong to one; the others by rank.
    """

    title: str
    locale: str
    path: str
    passages: list[Passage]
    # The name of its product version, if it is not about the one that is read.
    version: str | None


@public
async def show_search(request: Request) -> Response:
    query = searched_text(request)
    is_searched = len(query) >= limits.MIN_QUERY_CHARACTERS
    if is_searched:
        await count_search(request)
        await query_embedder.prepare(query)
    async with help_center(request, recognise=True) as visit:
        locale = visit.locale
        passages = await search(visit, SearchRequest(query, locale)) if is_searched else EMPTY_PAGE
        if is_searched and "start_cursor" not in request.query_params:
            count_words(visit, query, is_empty=not passages.rows)
        page = visitor_page(
            visit,
            "search.html",
            locale,
            rest=f"/search?{urlencode({'q': query})}" if query else None,
            query=query,
            is_searched=is_searched,
            articles=results_by_article(visit, passages.rows),
            # A passage that only matches in meaning may be unrelated.
            has_words=any(passage.coverage > 0 for passage in passages.rows),
            is_first="start_cursor" not in request.query_params,
            next_cursor=passages.next_cursor,
        )
    page.headers.update(HEADERS)
    del page.headers["ETag"]
    return page


def searched_text(request: Request) -> str:
    query = " ".join(request.query_params.get("q", "").replace("\0", " ").split())
    if len(query) > limits.MAX_QUERY_CHARACTERS:
        raise VisitorMistake(TOO_LONG, number=limits.MAX_QUERY_CHARACTERS)
    return query


async def count_search(request: Request) -> None:
    """Count the search before anything slow, and return the connection; 429 beyond the limit."""
    database, slug = request.app.state.database, request.path_params["bot"]
    entering = database.enter(
        Window,
        entrances.COUNT_SEARCH,
        slug=slug.replace("\0", ""),
        address=client_address(request),
        quota=limits.SITE_SEARCHES_PER_MINUTE,
        seconds=limits.REQUEST_WINDOW_SECONDS,
    )
    async with entering as (window, _):
        if window is not None:
            refuse_spent([window])


async def search(visit: Visit, search_request: SearchRequest) -> Page[Passage]:
    cursor = visit.request.query_params.get("start_cursor")
    key = visit.request.app.state.cursor_key
    return await search_passages(
        visit.ctx,
        search_request,
        PageRequest(key, limits.SITE_PAGE_ROWS, cursor),
        PASSAGES_PER_ARTICLE,
        visit.audience,
    )


def results_by_article(visit: Visit, passages: Iterable[Passage]) -> list[ArticleResult]:
    results: dict[str, ArticleResult] = {}
    for passage in passages:
        path = passage_path(visit.ctx.bot, visit.locale, passage)
        version = passage.other_version.name if passage.other_version else None
        result = ArticleResult(passage.title, passage.locale, path, [], version)
        article = results.setdefault(passage.article_id, result)
        article.passages.append(passage)
    for article in results.values():
        article.passages.sort(key=lambda passage: bool(passage.headings))
    return list(results.values())
