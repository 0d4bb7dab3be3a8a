"""The sitemap (sitemaps.org): every public page of a help center, for search engines.

`robots.txt` (RFC 9309) lets programs read everything public, and names the sitemaps.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from uuid import UUID

from anyio import to_thread
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import entrances, queries, schemas
from instep.interfaces.site.languages import alternates_of, collections_in, homes_of
from instep.interfaces.site.schemas import ArticleAddress, EntryAddress, FrontPage
from instep.interfaces.site.visits import help_center
from instep.interfaces.site.xml import XmlDocument, as_uri
from instep.platform.core import limits
from instep.platform.core.clock import isoformat
from instep.platform.core.config import settings
from instep.platform.identity.schemas import Bot
from instep.platform.web.pages import document
from instep.platform.web.public import public

NAMESPACES = {
    "xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "xmlns:xhtml": "http://www.w3.org/1999/xhtml",
}
# A URL, its last change, and the URLs of the same text by `hreflang`.
Url = tuple[str, datetime | None, dict[str, str]]
# The key of a cached sitemap: the help center's change stamp, its URL and its language.
State = tuple[datetime, str, str]


@public
async def show_sitemap(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        bot = visit.ctx.bot
        # The stamp is read before the addresses, so that the sitemap is never older than its stamp.
        state = (await queries.change_stamp(visit.ctx), bot.help_url, bot.locale)
        content = cached_sitemap(bot.id, state)
        if content is None:
            articles = await queries.list_article_addresses(visit.ctx)
            entries = await queries.list_entry_addresses(visit.ctx) if visit.has_changelog else []
    if content is None:
        # A large sitemap takes long to write, so another thread does it.
        content = await to_thread.run_sync(write_sitemap, bot, articles, entries)
        cache_sitemap(bot.id, state, content)
    return document(request, content, "application/xml; charset=utf-8")


# The latest sitemaps, each with the state that it was written for; their sizes are in bytes.
sitemaps: LRUCache[UUID, tuple[State, bytes]] = LRUCache(
    limits.MAX_SITEMAPS_BYTES, getsizeof=lambda entry: len(entry[1])
)


def cached_sitemap(bot_id: UUID, state: State) -> bytes | None:
    """The sitemap of this state of the help center, if it is cached."""
    cached_state, content = sitemaps.get(bot_id) or (None, None)
    return content if cached_state == state else None


def cache_sitemap(bot_id: UUID, state: State, content: bytes) -> None:
    """Cache a sitemap, replacing an older one, unless it alone is larger than the cache."""
    with suppress(ValueError):
        sitemaps[bot_id] = (state, content)


def write_sitemap(bot: Bot, articles: list[ArticleAddress], entries: list[EntryAddress]) -> bytes:
    xml = XmlDocument()
    with xml.element("urlset", NAMESPACES):
        for url, changed_at, alternates in islice(urls_of(bot, articles, entries), limits.MAX_SITEMAP_URLS):
            with xml.element("url"):
                xml.add("loc", as_uri(url))
                if changed_at is not None:
                    xml.add("lastmod", isoformat(changed_at))
                for hreflang, other in alternates.items():
                    link = {"rel": "alternate", "hreflang": hreflang, "href": as_uri(other)}
                    xml.add("xhtml:link", attributes=link)
    return xml.finish()


def urls_of(bot: Bot, articles: list[ArticleAddress], entries: list[EntryAddress]) -> Iterator[Url]:
    homes = homes_of(bot, {article.locale for article in articles})
    yield f"{bot.help_url}/", newest(articles), homes
    for url in sorted(set(homes.values()) - {f"{bot.help_url}/"}):
        yield url, newest(articles), homes
    if entries:
        yield schemas.changelog_url(bot), newest(entries), {}
    for slug, changes in collections_of(articles).items():
        for locale, changed_at in changes.items():
            yield schemas.collection_url(bot, locale, slug), changed_at, collections_in(bot, slug, changes)
    slugs: dict[str, dict[str, str]] = defaultdict(dict)
    for article in articles:
        slugs[article.text_id][article.locale] = article.slug
    for article in articles:
        url = schemas.article_url(bot, article.locale, article.slug)
        yield url, article.updated_at, alternates_of(bot, slugs[article.text_id])
    for entry in entries:
        yield schemas.changelog_url(bot, entry.slug), entry.updated_at, {}


def collections_of(articles: list[ArticleAddress]) -> dict[str, dict[str, datetime]]:
    """The collections, and the newest change of the articles to which they lead, by language."""
    changes: dict[str, dict[str, datetime]] = defaultdict(dict)
    for article in articles:
        for slug in article.collection_slugs:
            changes[slug].setdefault(article.locale, article.updated_at)
    return changes


def newest(addresses: Sequence[ArticleAddress | EntryAddress]) -> datetime | None:
    """The newest change of addresses that are ordered by it, newest first."""
    return addresses[0].updated_at if addresses else None


@public
async def show_robots(request: Request) -> Response:
    """Name the sitemaps of the only workspace; name none of several, like the front page."""
    async with request.app.state.database.enter(FrontPage, entrances.ENTER_FRONT_PAGE) as (front, tx):
        help_centers = await queries.list_help_centers(tx) if front.workspace_id else []
    home = f"{settings().base_url}/help"
    return robots_text(request, [f"{home}/{center.slug}/sitemap.xml" for center in help_centers])


@public
async def show_robots_of_domain(request: Request) -> Response:
    """The same for a help center on its own host name."""
    async with help_center(request) as visit:
        return robots_text(request, [f"{visit.ctx.bot.help_url}/sitemap.xml"])


def robots_text(request: Request, sitemaps: list[str]) -> Response:
    lines = ["User-agent: *", "Disallow:", *(f"Sitemap: {as_uri(url)}" for url in sitemaps)]
    return document(request, "".join(f"{line}\n" for line in lines).encode(), "text/plain; charset=utf-8")
