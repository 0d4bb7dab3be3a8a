"""Feeds: the changelog's newest entries as RSS 2.0, JSON Feed 1.1 (jsonfeed.org) and Atom (RFC 4287).

The newest versions of an article, and of those in a collection, are Atom feeds too.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from instep.content.articles.paths import path_of_article, path_of_locale
from instep.interfaces.site import queries
from instep.interfaces.site.changelog import embeddable, newest_entries
from instep.interfaces.site.schemas import PublishedEntry, article_url, changelog_url
from instep.interfaces.site.visits import Visit, help_center
from instep.interfaces.site.xml import XmlDocument, as_uri
from instep.platform.core.clock import isoformat
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Bot, ReadVersion
from instep.platform.web.catalogues import catalogue_of, message
from instep.platform.web.pages import document, moved_to
from instep.platform.web.public import public
from instep.visitors.subscriptions.actions import find_topic
from instep.visitors.subscriptions.queries import list_published_versions
from instep.visitors.subscriptions.reader_letters import change_summary
from instep.visitors.subscriptions.schemas import PublishedVersion, Topic

RSS = {"version": "2.0", "xmlns:atom": "http://www.w3.org/2005/Atom"}
RSS_TYPE = "application/rss+xml"
TITLE = message("%(name)s changelog")
MEDIA_TYPE = "application/atom+xml"
EXTENSION = ".atom"


@public
async def show_feed(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        entries = await newest_entries(visit)
        return document(request, write_feed(visit.ctx.bot, entries), f"{RSS_TYPE}; charset=utf-8")


def write_feed(bot: Bot, entries: list[PublishedEntry]) -> bytes:
    xml = XmlDocument()
    changelog = as_uri(changelog_url(bot))
    catalogue = catalogue_of(bot.locale)
    with xml.element("rss", RSS), xml.element("channel"):
        xml.add("title", catalogue.gettext(TITLE, name=bot.name))
        xml.add("link", changelog)
        xml.add("description", catalogue.gettext("What's new in %(name)s", name=bot.name))
        xml.add("language", bot.locale)
        xml.add("atom:link", attributes={"rel": "self", "type": RSS_TYPE, "href": f"{changelog}.xml"})
        if entries:
            xml.add("lastBuildDate", rss_date(max(entry.updated_at for entry in entries)))
        for entry in entries:
            add_item(xml, bot, entry)
    return xml.finish()


def add_item(xml: XmlDocument, bot: Bot, entry: PublishedEntry) -> None:
    url = as_uri(changelog_url(bot, entry.slug))
    with xml.element("item"):
        xml.add("title", entry.title)
        xml.add("link", url)
        xml.add("guid", entry.id, {"isPermaLink": "false"})
        xml.add("pubDate", rss_date(entry.published_at))
        if text := embeddable(entry.html, url):
            xml.add("description", text)


def rss_date(timestamp: datetime) -> str:
    return format_datetime(timestamp.astimezone(UTC), usegmt=True)


@public
async def show_json_feed(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        feed = json_feed(visit.ctx.bot, await newest_entries(visit))
    return document(request, json.dumps(feed, ensure_ascii=False).encode(), "application/feed+json")


def json_feed(bot: Bot, entries: list[PublishedEntry]) -> dict[str, Any]:
    changelog = as_uri(changelog_url(bot))
    catalogue = catalogue_of(bot.locale)
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": catalogue.gettext(TITLE, name=bot.name),
        "home_page_url": changelog,
        "feed_url": f"{changelog}.json",
        "language": bot.locale,
        "authors": [{"name": bot.name}],
        "items": [item_of(bot, entry) for entry in entries],
    }


def item_of(bot: Bot, entry: PublishedEntry) -> dict[str, Any]:
    url = as_uri(changelog_url(bot, entry.slug))
    html = embeddable(entry.html, url)
    return {
        "id": entry.id,
        "url": url,
        "title": entry.title,
        # Each item must have a text; a long one stays on its own page.
        **(
            {"content_html": html}
            if html
            else {"content_text": catalogue_of(bot.locale).gettext("Read it at %(url)s", url=url)}
        ),
        "date_published": isoformat(entry.published_at),
        "date_modified": isoformat(entry.updated_at),
    }


@dataclass(frozen=True, slots=True)
class AtomEntry:
    """An entry of a feed; `html` and `summary` may be None."""

    id: str
    url: str
    title: str
    published_at: datetime
    updated_at: datetime
    html: str | None = None
    summary: str | None = None


@public
async def show_atom_feed(request: Request) -> Response:
    """The feed of the changelog."""
    async with help_center(request, only_reads=True) as visit:
        bot = visit.ctx.bot
        entries = [atom_entry(bot, entry) for entry in await newest_entries(visit)]
        title = visit.catalogue.gettext(TITLE, name=bot.name)
        return await atom_feed(visit, bot, title, "/changelog", entries)


@public
async def show_article_feed(request: Request) -> Response:
    """The feed of an article: the versions that everyone could read."""
    slug = request.path_params["slug"]
    async with help_center(request, only_reads=True) as visit:
        topic = await find_topic(visit.ctx, visit.locale, article=slug)
        if topic is None:
            present_slug = await queries.find_present_slug(visit.ctx, slug, visit.locale)
            if present_slug is None:
                raise NotFound
            return moved_to(article_url(visit.ctx.bot, visit.locale, present_slug) + EXTENSION)
        path = path_of_article(visit.ctx.bot.locale, visit.locale, topic.slug)
        return await topic_feed(visit, topic, path)


@public
async def show_collection_feed(request: Request) -> Response:
    """The feed of a collection: the versions of its articles and of those in the collections below it."""
    async with help_center(request, only_reads=True) as visit:
        topic = await find_topic(visit.ctx, visit.locale, collection=request.path_params["slug"])
        if topic is None:
            raise NotFound
        path = f"{path_of_locale(visit.ctx.bot.locale, visit.locale)}/collections/{topic.slug}"
        return await topic_feed(visit, topic, path)


async def topic_feed(visit: Visit, topic: Topic, path: str) -> Response:
    versions = await list_published_versions(visit.ctx, topic, visit.locale)
    bot = visit.ctx.bot
    if topic.other_version:
        bot = bot.in_version(ReadVersion(**topic.other_version))
    entries = [version_entry(bot, visit.locale, version) for version in versions]
    return await atom_feed(visit, bot, f"{topic.title} · {bot.name}", path, entries)


def atom_entry(bot: Bot, entry: PublishedEntry) -> AtomEntry:
    # The slug of an entry never changes, so its address is its id as well.
    url = as_uri(changelog_url(bot, entry.slug))
    html = embeddable(entry.html, url)
    return AtomEntry(url, url, entry.title, entry.published_at, entry.updated_at, html)


def version_entry(bot: Bot, locale: str, version: PublishedVersion) -> AtomEntry:
    url = as_uri(article_url(bot, locale, version.slug))
    # The slug of an article may change, its id does not.
    entry_id = f"{bot.with_all_versions.help_url}/articles/{version.article_id}#{version.version}"
    words = change_summary(locale, version.sections, is_first=version.is_first)
    summary = f"{words}: {version.description}" if version.is_first and version.description else words
    moment = version.published_at
    return AtomEntry(entry_id, url, version.title, moment, moment, summary=summary)


async def atom_feed(visit: Visit, bot: Bot, title: str, path: str, entries: list[AtomEntry]) -> Response:
    """The feed of the page at a path of the help center in its version; feeds have no versions themselves."""
    changed_at = [entry.updated_at for entry in entries] or [await queries.change_stamp(visit.ctx)]
    feed_id, url = (as_uri(each.help_url + path) for each in (bot.with_all_versions, bot))
    content = write_atom(visit, title, feed_id, url, max(changed_at), entries)
    return document(visit.request, content, f"{MEDIA_TYPE}; charset=utf-8")


def write_atom(
    visit: Visit, title: str, feed_id: str, url: str, changed_at: datetime, entries: Iterable[AtomEntry]
) -> bytes:
    xml = XmlDocument()
    with xml.element("feed", {"xmlns": "http://www.w3.org/2005/Atom", "xml:lang": visit.locale}):
        xml.add("id", feed_id)
        xml.add("title", title)
        xml.add("updated", isoformat(changed_at))
        xml.add("link", attributes={"rel": "self", "type": MEDIA_TYPE, "href": feed_id + EXTENSION})
        xml.add("link", attributes={"rel": "alternate", "type": "text/html", "href": url})
        with xml.element("author"):
            xml.add("name", visit.ctx.bot.name)
        for entry in entries:
            add_entry(xml, entry)
    return xml.finish()


def add_entry(xml: XmlDocument, entry: AtomEntry) -> None:
    with xml.element("entry"):
        xml.add("id", entry.id)
        xml.add("title", entry.title)
        xml.add("link", attributes={"rel": "alternate", "type": "text/html", "href": entry.url})
        xml.add("published", isoformat(entry.published_at))
        xml.add("updated", isoformat(entry.updated_at))
        if entry.html:
            xml.add("content", entry.html, {"type": "html"})
        if entry.summary:
            xml.add("summary", entry.summary)
