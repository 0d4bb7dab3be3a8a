"""The pages of a public help center, and the list of all its addresses."""

import re
from math import ceil
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from instep.interfaces.site import collection_queries, queries, widget_script
from instep.interfaces.site.article_feedback import explain_rating, rate_article, show_feedback
from instep.interfaces.site.ask_page import rate_answer, show_ask
from instep.interfaces.site.atom_feed import show_atom_feed
from instep.interfaces.site.card_images import (
    card_of_article,
    card_of_home,
    card_url,
    show_article_card,
    show_home_card,
)
from instep.interfaces.site.changelog import show_changelog, show_entry
from instep.interfaces.site.connect import show_connect
from instep.interfaces.site.contact import send_contact, show_contact
from instep.interfaces.site.contents import contents_of
from instep.interfaces.site.feed import show_feed
from instep.interfaces.site.former_addresses import moved_page, respelled_page
from instep.interfaces.site.front import show_documentation, show_front_page
from instep.interfaces.site.json_feed import show_json_feed
from instep.interfaces.site.languages import alternates_of, homes_of
from instep.interfaces.site.llms import show_all_texts, show_llms
from instep.interfaces.site.markdown_pages import show_article_text, show_entry_text
from instep.interfaces.site.matches import show_matches
from instep.interfaces.site.opensearch import show_description, show_suggestions
from instep.interfaces.site.preview_pages import show_preview, show_preview_article
from instep.interfaces.site.related import related_articles
from instep.interfaces.site.representations import EXTENSION, MARKDOWN_TYPE, VARY, prefers_markdown
from instep.interfaces.site.robots import show_robots, show_robots_of_domain
from instep.interfaces.site.schemas import (
    ArticlePage,
    CollectionSection,
    article_path,
    article_url,
    section_path,
)
from instep.interfaces.site.search import show_search
from instep.interfaces.site.served_files import show_file
from instep.interfaces.site.site_tree import tree_of_article, tree_of_collection
from instep.interfaces.site.sitemap import show_sitemap
from instep.interfaces.site.structured_data import LinkCard, article_data, home_data, root_url, section_data
from instep.interfaces.site.visit_counts import count_view
from instep.interfaces.site.visitor_mistakes import TOO_MANY_REQUESTS, VisitorMistake
from instep.interfaces.site.visitor_sign_in import sign_in_visitor, sign_out_visitor
from instep.interfaces.site.visits import (
    Moved,
    Visit,
    help_center,
    moved_to_usual_spelling,
    render_page,
    requested_locale,
)
from instep.interfaces.site.xml import as_uri
from instep.platform.core import limits
from instep.platform.core.errors import AppError, NotFound
from instep.platform.web.catalogues import LANGUAGES, SOURCE_LANGUAGE, Catalogue, catalogue_of, message
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.pages import CACHE, NO_STORE, document, moved_to
from instep.platform.web.public import public

# The home page that the address of another page begins with.
BELOW_HELP_CENTER = re.compile(r"/help/[^/]+/(?=.)")
PAGE_NUMBER = re.compile(r"[0-9]{1,6}")
STATIC = Path(__file__).parent / "static"
ICON = (STATIC / "favicon.ico").read_bytes()
HEADINGS = {
    404: message("Not found"),
    405: message("Not allowed"),
    429: message("Too many requests"),
    503: message("Temporarily unavailable"),
}
OTHER_HEADING = message("Error")
MESSAGES = {
    404: message("There is no page at this address. It may have moved, or it is not public."),
    429: TOO_MANY_REQUESTS,
}


@public
async def show_home(request: Request) -> Response:
    async with help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        if moved := moved_to_usual_spelling(visit):
            return moved
        bot, locale = visit.ctx.bot, visit.locale
        collections = await collection_queries.list_sections(visit.ctx, locale, number)
        if not collections.rows and (number > 1 or locale != bot.locale):
            raise NotFound
        return visit.lasting_page(
            "home.html",
            sections=[(section, section_path(visit.root, section)) for section in collections.rows],
            number=number,
            has_next=bool(collections.next_cursor),
            alternates=homes_of(bot, visit.locales),
            link_card=LinkCard(
                bot.name, f"{root_url(bot, locale)}/", image_url=card_url(visit, card_of_home(visit))
            ),
            structured_data=home_data(bot, locale),
        )


@public
async def show_collection(request: Request) -> Response:
    async with help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        section = await collection_queries.find_section(
            visit.ctx, visit.locale, request.path_params["slug"], number
        )
        return await section_page(visit, section, number)


@public
async def show_loose_articles(request: Request) -> Response:
    async with help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        section = await collection_queries.find_loose_articles(visit.ctx, visit.locale, number)
        return await section_page(visit, section, number)


async def section_page(visit: Visit, section: CollectionSection | None, number: int) -> Response:
    if moved := moved_to_usual_spelling(visit):
        return moved
    if section is None:
        raise NotFound
    last = ceil(section.article_count / limits.COLLECTION_ARTICLES)
    tree = await tree_of_collection(visit, section.slug or None)
    title = section.title or visit.catalogue.gettext("Articles")
    url = as_uri(
        visit.ctx.bot.help_url + section_path(visit.root, section).removeprefix(visit.ctx.bot.home_path)
    )
    return visit.lasting_page(
        "collection.html",
        section=section,
        number=number,
        last=last,
        tree=tree,
        link_card=LinkCard(title, url if number == 1 else f"{url}?page={number}", section.description),
        structured_data=section_data(visit.ctx.bot, visit.locale, section, title, url),
    )


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
    async with help_center(request, recognise=True, only_reads=True) as visit:
        locale, is_canonical = requested_locale(request, visit.ctx.bot)
        article = await queries.find_live_article(visit.ctx, slug, locale)
        if article is not None and is_canonical:
            count_view(request, visit.ctx, article.id)
            return await article_page(visit, article)
        present_slug = article.slug if article else await queries.find_present_slug(visit.ctx, slug, locale)
        if present_slug is None:
            raise NotFound
        return moved_to(article_url(visit.ctx.bot, locale, present_slug))


async def article_page(visit: Visit, article: ArticlePage) -> Response:
    bot, locale, slug = visit.ctx.bot, article.locale, article.slug
    headings = contents_of(article.html)
    card = card_url(visit, card_of_article(visit, article), slug)
    image_url = as_uri(card) if card else None
    url = article_url(bot, locale, slug)
    return visit.lasting_page(
        "article.html",
        locale,
        headers=VARY,
        article_id=article.id,
        article=article,
        html=visit.text(article.html),
        headings=headings,
        tree=await tree_of_article(visit, article),
        related=[
            (article_path(bot, other.locale, other.slug), other)
            for other in await related_articles(visit, article)
        ],
        markdown_url=url + EXTENSION,
        alternates=alternates_of(bot, article.slugs),
        link_card=LinkCard(article.title, as_uri(url), article.description, "article", image_url),
        structured_data=article_data(bot, article, headings, image_url),
        paths={other: article_path(bot, other, slug) for other, slug in article.slugs.items()},
    )


async def answer_error(request: Request, error: AppError) -> Response:
    """A redirect from an address without a page, if one leads on; else the page of the error."""
    if isinstance(error, Moved):
        return moved_home(request, error.url)
    if error.status != 404:
        return error_page(request, error)
    try:
        return respelled_page(request, routes) or await moved_page(request) or error_page(request, error)
    except AppError as outage:
        return error_page(request, outage)


def error_page(request: Request, error: AppError) -> Response:
    """The page that is shown in place of one that can't be.

    It stands in the frame of the help center if that is known. Otherwise a help center's address leads to its
    home page and its search, whether there is such a help center or not.
    """
    if is_for_program(request):
        return error_text(request, error)
    home = home_of_error(request) if error.status == 404 else None
    locale = locale_of_error(request)
    heading, sentence = words_of(error, catalogue_of(locale))
    values: dict[str, Any] = {
        "status": error.status,
        "code": error.status,
        "help_path": home and home + path_language(request),
        "longest_query": limits.MAX_QUERY_CHARACTERS,
        "heading": heading,
        "message": sentence,
    }
    visit: Visit | None = getattr(request.state, "visit", None)
    if visit is None:
        page = render_page(request, "refused.html", locale=locale, **values)
    else:
        # The same page in another language is not there either, so the languages lead to the home pages.
        page = visit.page("refused.html", locale, rest="", **values)
    page.headers.update({**VARY, **error.headers})
    return page


def home_of_error(request: Request) -> str | None:
    """The home page of the help center that an address is below."""
    match = BELOW_HELP_CENTER.match(request.url.path)
    return "/" if match and custom_domain(request) else match and match[0]


def moved_home(request: Request, url: str) -> Response:
    """Lead to the page's address at the help center's own host; 308 keeps what a form sends."""
    page = moved_to(url)
    page.status_code = 301 if request.method in ("GET", "HEAD") else 308
    if request.url.query:
        # It may be a token to sign in.
        page.headers.update(NO_STORE)
    return page


def locale_of_error(request: Request) -> str:
    """The language that the address names, or that of the help center as far as it is known; else English."""
    known_locale: str = getattr(request.state, "locale", SOURCE_LANGUAGE)
    return path_language(request).removesuffix("/") or known_locale


def path_language(request: Request) -> str:
    """The first step of an address below a help center, with a slash, where it names a language of ours."""
    match = BELOW_HELP_CENTER.match(request.url.path)
    step, slash, _ = request.url.path[match.end() if match else 0 :].partition("/")
    return f"{step}/" if match and slash and step in LANGUAGES else ""


def words_of(error: AppError, catalogue: Catalogue) -> tuple[str, str]:
    """The heading and the sentence of an error's page."""
    heading = catalogue.gettext(HEADINGS.get(error.status, OTHER_HEADING))
    if error.status in MESSAGES:
        return heading, catalogue.gettext(MESSAGES[error.status])
    if isinstance(error, VisitorMistake):
        return heading, catalogue.gettext(error.text, **error.values)
    return heading, catalogue.gettext(error.message)


def is_for_program(request: Request) -> bool:
    """Whether Markdown is asked for below a help center, by the address or by `Accept`."""
    path = request.url.path
    return bool(BELOW_HELP_CENTER.match(path)) and (path.endswith(EXTENSION) or prefers_markdown(request))


def error_text(request: Request, error: AppError) -> Response:
    """The same as `error_page`, in Markdown."""
    heading, sentence = words_of(error, catalogue_of(SOURCE_LANGUAGE))
    text = f"# {heading}\n\n{sentence}\n"
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
    Route("/help/{bot}/robots.txt", show_robots_of_domain),
    Route("/help/{bot}/", show_home),
    Route("/help/{bot}/cards/{digest}.png", show_home_card),
    Route("/help/{bot}/cards/{slug}/{digest}.png", show_article_card),
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
    Route("/help/{bot}/matches", show_matches),
    Route("/help/{bot}/suggestions", show_suggestions),
    Route("/help/{bot}/{locale}/articles/{slug}.md", show_article_text),
    Route("/help/{bot}/ask", show_ask),
    Route("/help/{bot}/ask/feedback", rate_answer, methods=["POST"]),
    Route("/help/{bot}/sso", sign_in_visitor),
    Route("/help/{bot}/sign-out", sign_out_visitor, methods=["POST"]),
    Route("/help/{bot}/connect", show_connect),
    Route("/help/{bot}/contact", show_contact),
    Route("/help/{bot}/contact", send_contact, methods=["POST"]),
    Route("/help/{bot}/feedback", show_feedback),
    Route("/help/{bot}/feedback", rate_article, methods=["POST"]),
    Route("/help/{bot}/feedback/reason", explain_rating, methods=["POST"]),
    Route("/help/{bot}/{locale}/", show_home),
    Route("/help/{bot}/{locale}/cards/{digest}.png", show_home_card),
    Route("/help/{bot}/{locale}/cards/{slug}/{digest}.png", show_article_card),
    Route("/help/{bot}/{locale}/articles", show_loose_articles),
    Route("/help/{bot}/{locale}/articles/{slug}", show_article),
    Route("/help/{bot}/{locale}/collections/{slug}", show_collection),
    Route("/help/{bot}/{locale}/changelog", show_changelog),
    Route("/help/{bot}/{locale}/changelog/{slug}", show_entry),
    Route("/help/{bot}/{locale}/search", show_search),
    Route("/help/{bot}/{locale}/matches", show_matches),
    Route("/help/{bot}/{locale}/ask", show_ask),
    Route("/help/{bot}/{locale}/ask/feedback", rate_answer, methods=["POST"]),
    Route("/help/{bot}/{locale}/connect", show_connect),
    Route("/help/{bot}/{locale}/contact", show_contact),
    Route("/help/{bot}/{locale}/contact", send_contact, methods=["POST"]),
    Route("/help/{bot}/{locale}/feedback", show_feedback),
    Route("/help/{bot}/{locale}/feedback", rate_article, methods=["POST"]),
    Route("/help/{bot}/{locale}/feedback/reason", explain_rating, methods=["POST"]),
    Route("/preview/{token}", show_preview),
    Route("/preview/{token}/articles/{slug}", show_preview_article),
    Route("/preview/{token}/{locale}/articles/{slug}", show_preview_article),
    Route("/files/{bot}/{name}", show_file),
    Mount("/static", public(Assets(directory=STATIC)), name="static"),
    *widget_script.routes,
]
