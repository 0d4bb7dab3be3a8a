"""All paths of the public help centers."""

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from instep.interfaces.site import feeds, pages, subscriptions, widget_script
from instep.interfaces.site.article_feedback import explain_rating, rate_article, show_feedback
from instep.interfaces.site.ask_page import rate_answer, show_ask
from instep.interfaces.site.card_images import show_article_card, show_home_card
from instep.interfaces.site.changelog import show_changelog, show_entry
from instep.interfaces.site.connect import show_connect
from instep.interfaces.site.contact import send_contact, show_contact
from instep.interfaces.site.follow import send_follow, show_follow
from instep.interfaces.site.front import show_documentation, show_front_page
from instep.interfaces.site.llms import show_all_texts, show_llms
from instep.interfaces.site.markdown_pages import show_article_text, show_entry_text
from instep.interfaces.site.matches import show_matches
from instep.interfaces.site.opensearch import show_description, show_suggestions
from instep.interfaces.site.preview_pages import show_preview, show_preview_article
from instep.interfaces.site.search import show_search
from instep.interfaces.site.served_files import show_file
from instep.interfaces.site.sitemap import show_robots, show_robots_of_domain, show_sitemap
from instep.interfaces.site.versioned_addresses import path_with_version
from instep.interfaces.site.visitor_sign_in import sign_in_visitor, sign_out_visitor
from instep.platform.web.pages import CACHE, document, moved_to
from instep.platform.web.public import public

STATIC = Path(__file__).parent / "static"
ICON = (STATIC / "favicon.ico").read_bytes()


@public
async def add_slash(request: Request) -> Response:
    """Add the slash that relative URLs need and people leave out."""
    return moved_to(f"{path_with_version(request, request.url.path)}/")


class Assets(StaticFiles):
    """Static files that caches must revalidate, so that new pages don't appear with an old style sheet."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = CACHE
        return response


@public
async def show_icon(request: Request) -> Response:
    """The icon for programs that request it without having read a page."""
    return document(request, ICON, "image/vnd.microsoft.icon")


def routes_of_pages(help_center: str) -> list[Route]:
    """The pages that exist in each language, and without a language in the default one."""
    return [
        Route(f"{help_center}/", pages.show_home),
        Route(f"{help_center}/cards/{{digest}}.png", show_home_card),
        Route(f"{help_center}/cards/{{slug}}/{{digest}}.png", show_article_card),
        Route(f"{help_center}/articles", pages.show_loose_articles),
        Route(f"{help_center}/articles/{{slug}}.md", show_article_text),
        Route(f"{help_center}/articles/{{slug}}.atom", feeds.show_article_feed),
        Route(f"{help_center}/articles/{{slug}}", pages.show_article),
        Route(f"{help_center}/collections/{{slug}}.atom", feeds.show_collection_feed),
        Route(f"{help_center}/collections/{{slug}}", pages.show_collection),
        Route(f"{help_center}/changelog", show_changelog),
        Route(f"{help_center}/changelog/{{slug}}", show_entry),
        Route(f"{help_center}/search", show_search),
        Route(f"{help_center}/matches", show_matches),
        Route(f"{help_center}/ask", show_ask),
        Route(f"{help_center}/ask/feedback", rate_answer, methods=["POST"]),
        Route(f"{help_center}/connect", show_connect),
        Route(f"{help_center}/contact", show_contact),
        Route(f"{help_center}/contact", send_contact, methods=["POST"]),
        Route(f"{help_center}/follow", show_follow),
        Route(f"{help_center}/follow", send_follow, methods=["POST"]),
        Route(f"{help_center}/subscriptions", subscriptions.show_subscriptions),
        Route(f"{help_center}/subscriptions", subscriptions.unsubscribe_reader, methods=["POST"]),
        Route(f"{help_center}/subscriptions/confirm", subscriptions.show_confirmation),
        Route(f"{help_center}/subscriptions/confirm", subscriptions.accept_confirmation, methods=["POST"]),
        Route(f"{help_center}/feedback", show_feedback),
        Route(f"{help_center}/feedback", rate_article, methods=["POST"]),
        Route(f"{help_center}/feedback/reason", explain_rating, methods=["POST"]),
    ]


routes = [
    *(Route(path, show_front_page) for path in ("/", "/help", "/help/")),
    *(Route(path, show_documentation) for path in ("/docs", "/docs/")),
    Route("/favicon.ico", show_icon),
    Route("/robots.txt", show_robots),
    Route("/help/{bot}", add_slash),
    Route("/help/{bot}/robots.txt", show_robots_of_domain),
    Route("/help/{bot}/changelog.xml", feeds.show_feed),
    Route("/help/{bot}/changelog.atom", feeds.show_atom_feed),
    Route("/help/{bot}/changelog.json", feeds.show_json_feed),
    Route("/help/{bot}/changelog/{slug}.md", show_entry_text),
    Route("/help/{bot}/llms.txt", show_llms),
    Route("/help/{bot}/llms-full.txt", show_all_texts),
    Route("/help/{bot}/opensearch.xml", show_description),
    Route("/help/{bot}/sitemap.xml", show_sitemap),
    Route("/help/{bot}/suggestions", show_suggestions),
    Route("/help/{bot}/sso", sign_in_visitor),
    Route("/help/{bot}/sign-out", sign_out_visitor, methods=["POST"]),
    *routes_of_pages("/help/{bot}"),
    *routes_of_pages("/help/{bot}/{locale}"),
    Route("/preview/{token}", show_preview),
    Route("/preview/{token}/articles/{slug}", show_preview_article),
    Route("/preview/{token}/{locale}/articles/{slug}", show_preview_article),
    Route("/files/{bot}/{name}", show_file, methods=["GET", "OPTIONS"]),
    Mount("/static", public(Assets(directory=STATIC)), name="static"),
    *widget_script.routes,
]
