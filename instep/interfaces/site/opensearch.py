"""The search of a help center for browsers: its description (OpenSearch 1.1), and suggestions."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from instep.interfaces.site import queries
from instep.interfaces.site.schemas import article_url
from instep.interfaces.site.search import HEADERS, count_search, searched_text
from instep.interfaces.site.visits import help_center
from instep.interfaces.site.xml import XmlDocument, as_uri
from instep.platform.core import limits
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import catalogue_of
from instep.platform.web.pages import document
from instep.platform.web.public import public

NAMESPACE = {"xmlns": "http://a9.com/-/spec/opensearch/1.1/"}
MEDIA_TYPE = "application/opensearchdescription+xml"
SUGGESTIONS_TYPE = "application/x-suggestions+json"
# The specification's maximum length of `ShortName`, in characters.
MAX_SHORT_NAME_CHARACTERS = 16


@public
async def show_description(request: Request) -> Response:
    async with help_center(request) as visit:
        return document(request, write_description(visit.ctx.bot), f"{MEDIA_TYPE}; charset=utf-8")


def write_description(bot: Bot) -> bytes:
    xml = XmlDocument()
    here = as_uri(bot.help_url)
    with xml.element("OpenSearchDescription", NAMESPACE):
        xml.add("ShortName", bot.name[:MAX_SHORT_NAME_CHARACTERS].strip())
        xml.add(
            "Description", catalogue_of(bot.locale).gettext("Search the articles of %(name)s", name=bot.name)
        )
        xml.add("InputEncoding", "UTF-8")
        for media_type, page in (("text/html", "search"), (SUGGESTIONS_TYPE, "suggestions")):
            template = f"{here}/{page}?q={{searchTerms}}"
            xml.add("Url", attributes={"type": media_type, "method": "get", "template": template})
        xml.add("Language", bot.locale)
    return xml.finish()


@public
async def show_suggestions(request: Request) -> Response:
    """Titles of public articles with the typed text: `[query, titles, descriptions, addresses]`."""
    query = searched_text(request)
    is_searched = len(query) >= limits.MIN_QUERY_CHARACTERS
    if is_searched:
        await count_search(request)
    async with help_center(request) as visit:
        bot = visit.ctx.bot
        texts = await queries.suggest_texts(visit.ctx, query) if is_searched else []
    suggestions = [
        query,
        [text.title for text in texts],
        [text.description or "" for text in texts],
        [as_uri(article_url(bot, text.locale, text.slug)) for text in texts],
    ]
    return JSONResponse(suggestions, headers=HEADERS, media_type=SUGGESTIONS_TYPE)
