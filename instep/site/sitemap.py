"""The sitemap (sitemaps.org): every public page of a help center, for search engines."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from uuid import UUID

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from instep.core import limits
from instep.core.clock import isoformat
from instep.identity.schemas import Bot
from instep.site import queries
from instep.site.schemas import ArticleAddress, NewsAddress, article_url, changelog_url, collection_url
from instep.site.visits import help_center
from instep.site.xml import XmlDocument, as_uri
from instep.web.pages import document
from instep.web.public import public

NAMESPACES = {
    "xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "xmlns:xhtml": "http://www.w3.org/1999/xhtml",
}
# An address, its last change, and the addresses of the same text by language.
Url = tuple[str, datetime | None, dict[str, str]]
# What a sitemap is made from: the help center's change stamp, its address and its language.
State = tuple[datetime, str, str]


@public
async def show_sitemap(request: Request) -> Response:
    async with help_center(request) as visit:
        bot = visit.ctx.bot
        # Before the addresses, so that a change in between makes the sitemap of this stamp only newer.
        state = (await queries.change_stamp(visit.ctx), bot.help_url, bot.locale)
        content = SITEMAPS.find(bot.id, state)
        if content is None:
            articles = await queries.list_article_addresses(visit.ctx)
            news = await queries.list_news_addresses(visit.ctx) if visit.has_changelog else []
    if content is None:
        # A large one takes long to write, and others should not wait for it.
        content = await to_thread.run_sync(write_sitemap, bot, articles, news)
        SITEMAPS.keep(bot.id, state, content)
    return document(request, content, "application/xml; charset=utf-8")


class Sitemaps:
    """The sitemaps that were asked for last, until their help centers change; the others make room."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.contents: OrderedDict[UUID, tuple[State, bytes]] = OrderedDict()
        self.bytes = 0

    def find(self, bot_id: UUID, state: State) -> bytes | None:
        """The sitemap as of this state of the help center, if it is there."""
        content = self.contents.get(bot_id)
        if content is None or content[0] != state:
            return None
        self.contents.move_to_end(bot_id)
        return content[1]

    def keep(self, bot_id: UUID, state: State, content: bytes) -> None:
        self.drop(bot_id)
        self.contents[bot_id] = (state, content)
        self.bytes += len(content)
        while self.bytes > self.max_bytes:
            self.drop(next(iter(self.contents)))

    def drop(self, bot_id: UUID) -> None:
        _, content = self.contents.pop(bot_id, (None, b""))
        self.bytes -= len(content)


SITEMAPS = Sitemaps(limits.MAX_SITEMAPS_BYTES)


def write_sitemap(bot: Bot, articles: list[ArticleAddress], news: list[NewsAddress]) -> bytes:
    xml = XmlDocument()
    with xml.element("urlset", NAMESPACES):
        for url, changed_at, languages in islice(urls_of(bot, articles, news), limits.MAX_SITEMAP_URLS):
            with xml.element("url"):
                xml.add("loc", as_uri(url))
                if changed_at is not None:
                    xml.add("lastmod", isoformat(changed_at))
                for locale, other in languages.items():
                    link = {"rel": "alternate", "hreflang": locale, "href": as_uri(other)}
                    xml.add("xhtml:link", attributes=link)
    return xml.finish()


def urls_of(bot: Bot, articles: list[ArticleAddress], news: list[NewsAddress]) -> Iterator[Url]:
    yield f"{bot.help_url}/", newest(articles), {}
    if news:
        yield changelog_url(bot), newest(news), {}
    for slug, changed_at in collections_of(bot, articles).items():
        yield collection_url(bot, slug), changed_at, {}
    languages: dict[str, dict[str, str]] = defaultdict(dict)
    for article in articles:
        languages[article.text_id][article.locale] = article_url(bot, article.locale, article.slug)
    for article in articles:
        others = languages[article.text_id]
        url = article_url(bot, article.locale, article.slug)
        yield url, article.updated_at, others if len(others) > 1 else {}
    for entry in news:
        yield changelog_url(bot, entry.slug), entry.updated_at, {}


def collections_of(bot: Bot, articles: list[ArticleAddress]) -> dict[str, datetime]:
    """The collections with articles in the language that their pages list, and their newest change."""
    found: dict[str, datetime] = {}
    for article in articles:
        if article.collection_slug is not None and article.locale == bot.locale:
            found.setdefault(article.collection_slug, article.updated_at)
    return found


def newest(addresses: Sequence[ArticleAddress | NewsAddress]) -> datetime | None:
    """Of addresses whose newest change comes first."""
    return addresses[0].updated_at if addresses else None
