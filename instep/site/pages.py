"""The pages of a public help center, and the list of all its addresses."""

import re
from math import ceil
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from instep.core import limits
from instep.core.errors import AppError, NotFound
from instep.site import queries, widget_script
from instep.site.accents import show_accent
from instep.site.article_feedback import explain_rating, rate_article, show_feedback
from instep.site.ask_page import rate_answer, show_ask
from instep.site.atom_feed import show_atom_feed
from instep.site.changelog import show_changelog, show_entry
from instep.site.contact import send_contact, show_contact
from instep.site.contents import contents_of
from instep.site.feed import show_feed
from instep.site.former_addresses import moved_page
from instep.site.front import show_documentation, show_front_page
from instep.site.json_feed import show_json_feed
from instep.site.languages import alternates_of
from instep.site.llms import show_all_texts, show_llms
from instep.site.markdown_pages import show_article_text, show_entry_text
from instep.site.opensearch import show_description, show_suggestions
from instep.site.preview_pages import show_preview, show_preview_article
from instep.site.representations import EXTENSION, MARKDOWN_TYPE, VARY, prefers_markdown
from instep.site.robots import show_robots
from instep.site.schemas import CollectionSection, article_url, section_path
from instep.site.search import show_search
from instep.site.served_files import show_file
from instep.site.site_tree import tree_of_article, tree_of_collection
from instep.site.sitemap import show_sitemap
from instep.site.visits import Visit, help_center, pages, requested_locale
from instep.web.pages import CACHE, document, moved_to, sanitised
from instep.web.public import public

# The home page that the address of another page begins with.
BELOW_HELP_CENTER = re.compile(r"/help/[^/]+/(?=.)")
PAGE_NUMBER = re.compile(r"[0-9]{1,6}")
STATIC = Path(__file__).parent / "static"
ICON = (STATIC / "favicon.ico").read_bytes()
HEADINGS = {404: "Not found", 405: "Not possible", 429: "One moment", 503: "Back in a moment"}
MESSAGES = {
    404: "There is no page at this address. It may have moved, or it is not public.",
    429: "Many requests came from your network just now. Wait a minute, then try again.",
}


@public
async def show_home(request: Request) -> Response:
    async with help_center(request) as visit:
        number = page_number(request)
        collections = await queries.list_sections(visit.ctx, visit.ctx.bot.locale, number)
        if number > 1 and not collections.rows:
            raise NotFound
        sections = [(section, section_path(visit.ctx.bot, section)) for section in collections.rows]
        return visit.page(
            "home.html", sections=sections, number=number, has_next=bool(collections.next_cursor)
        )


@public
async def show_collection(request: Request) -> Response:
    async with help_center(request) as visit:
        number = page_number(request)
        section = await queries.find_section(
            visit.ctx, visit.ctx.bot.locale, request.path_params["slug"], number
        )
        return await section_page(visit, section, number)


@public
async def show_loose_articles(request: Request) -> Response:
    async with help_center(request) as visit:
        number = page_number(request)
        section = await queries.find_loose_articles(visit.ctx, visit.ctx.bot.locale, number)
        return await section_page(visit, section, number)


async def section_page(visit: Visit, section: CollectionSection | None, number: int) -> Response:
    if section is None:
        raise NotFound
    last = ceil(section.article_count / limits.COLLECTION_ARTICLES)
    tree = await tree_of_collection(visit, section.slug or None)
    return visit.page("collection.html", section=section, number=number, last=last, tree=tree)


def page_number(request: Request) -> int:
    """The requested page of a list, from 1; anything else is not found (404)."""
    name = request.query_params.get("page", "1")
    if PAGE_NUMBER.fullmatch(name) is None or not 1 <= int(name) <= limits.MAX_SITE_PAGES:
        raise NotFound
    return int(name)


@public
async def show_article(request: Request) -> Response:
    if prefers_markdown(request):
        return await show_article_text(request)
    slug = request.path_params["slug"]
    async with help_center(request) as visit:
        locale, is_canonical = requested_locale(request, visit.ctx.bot)
        article = await queries.find_live_article(visit.ctx, slug, locale)
        if article is not None and is_canonical:
            page = visit.page(
                "article.html",
                locale,
                article=article,
                html=sanitised(article.html),
                headings=contents_of(article.html),
                tree=await tree_of_article(visit, article),
                markdown_url=article_url(visit.ctx.bot, locale, slug) + EXTENSION,
                alternates=alternates_of(visit.ctx.bot, article.slugs),
            )
            page.headers.update(VARY)
            return page
        present_slug = article.slug if article else await queries.find_present_slug(visit.ctx, slug, locale)
        if present_slug is None:
            raise NotFound
        return moved_to(article_url(visit.ctx.bot, locale, present_slug))


async def answer_error(request: Request, error: AppError) -> Response:
    """A redirect for an address without a page, if there is one from it; else the page that says so."""
    try:
        moved = await moved_page(request) if error.status == 404 else None
    except AppError as outage:
        return error_page(request, outage)
    return moved or error_page(request, error)


def error_page(request: Request, error: AppError) -> Response:
    """The page that is shown in place of one that can't be.

    A help center's address leads to its home page and its search, whether there is such a help center or not.
    """
    if is_for_program(request):
        return error_text(request, error)
    match = BELOW_HELP_CENTER.match(request.url.path) if error.status == 404 else None
    page = pages.render(
        request,
        "refused.html",
        error.status,
        locale="en",
        code=error.status,
        help_path=match and match[0],
        longest_query=limits.MAX_QUERY_CHARACTERS,
        heading=HEADINGS.get(error.status, "Error"),
        message=MESSAGES.get(error.status, error.message),
    )
    page.headers.update({**VARY, **error.headers})
    return page


def is_for_program(request: Request) -> bool:
    """Whether Markdown is asked for below a help center, by the address or by `Accept`."""
    path = request.url.path
    return bool(BELOW_HELP_CENTER.match(path)) and (path.endswith(EXTENSION) or prefers_markdown(request))


def error_text(request: Request, error: AppError) -> Response:
    """The same as `error_page`, in Markdown."""
    text = f"# {HEADINGS.get(error.status, 'Error')}\n\n{MESSAGES.get(error.status, error.message)}\n"
    page = document(request, text.encode(), MARKDOWN_TYPE, error.status)
    page.headers.update({**VARY, **error.headers})
    return page


@public
async def add_slash(request: Request) -> Response:
    """Add the slash that relative addresses need and people leave out."""
    return moved_to(f"{request.url.path}/")


class Assets(StaticFiles):
    """Static files that caches must revalidate, so that new pages are not shown with an old style sheet."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = CACHE
        return response


@public
async def show_icon(request: Request) -> Response:
    """The icon for programs that ask for it without having read a page."""
    return document(request, ICON, "image/vnd.microsoft.icon")


routes = [
    *(Route(path, show_front_page) for path in ("/", "/help", "/help/")),
    *(Route(path, show_documentation) for path in ("/docs", "/docs/")),
    Route("/favicon.ico", show_icon),
    Route("/robots.txt", show_robots),
    Route("/help/{bot}", add_slash),
    Route("/help/{bot}/", show_home),
    Route("/help/{bot}/articles", show_loose_articles),
    Route("/help/{bot}/articles/{slug}.md", show_article_text),
    Route("/help/{bot}/articles/{slug}", show_article),
    Route("/help/{bot}/collections/{slug}", show_collection),
    Route("/help/{bot}/changelog", show_changelog),
    Route("/help/{bot}/changelog.xml", show_feed),
    Route("/help/{bot}/changelog.atom", show_atom_feed),
    Route("/help/{bot}/changelog.json", show_json_feed),
    Route("/help/{bot}/changelog/{slug}.md", show_entry_text),
    Route("/help/{bot}/changelog/{slug}", show_entry),
    Route("/help/{bot}/llms.txt", show_llms),
    Route("/help/{bot}/llms-full.txt", show_all_texts),
    Route("/help/{bot}/opensearch.xml", show_description),
    Route("/help/{bot}/sitemap.xml", show_sitemap),
    Route("/help/{bot}/search", show_search),
    Route("/help/{bot}/suggestions", show_suggestions),
    Route("/help/{bot}/{locale}/articles/{slug}.md", show_article_text),
    Route("/help/{bot}/ask", show_ask),
    Route("/help/{bot}/ask/feedback", rate_answer, methods=["POST"]),
    Route("/help/{bot}/contact", show_contact),
    Route("/help/{bot}/contact", send_contact, methods=["POST"]),
    Route("/help/{bot}/feedback", show_feedback),
    Route("/help/{bot}/feedback", rate_article, methods=["POST"]),
    Route("/help/{bot}/feedback/reason", explain_rating, methods=["POST"]),
    Route("/help/{bot}/{locale}/articles/{slug}", show_article),
    Route("/help/{bot}/{locale}/search", show_search),
    Route("/help/{bot}/{locale}/ask", show_ask),
    Route("/preview/{token}", show_preview),
    Route("/preview/{token}/articles/{slug}", show_preview_article),
    Route("/preview/{token}/{locale}/articles/{slug}", show_preview_article),
    Route("/files/{bot}/{name}", show_file),
    Route("/static/accents/{name}", show_accent),
    Mount("/static", public(Assets(directory=STATIC)), name="static"),
    *widget_script.routes,
]
