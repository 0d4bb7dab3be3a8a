"""The changelog as feeds: RSS 2.0, and JSON Feed 1.1 (jsonfeed.org), with the texts of its newest entries."""

import json
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.changelog import embeddable, newest_entries
from instep.interfaces.site.schemas import PublishedEntry, changelog_url
from instep.interfaces.site.visits import help_center
from instep.interfaces.site.xml import XmlDocument, as_uri
from instep.platform.core.clock import isoformat
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import catalogue_of, message
from instep.platform.web.pages import document
from instep.platform.web.public import public

RSS = {"version": "2.0", "xmlns:atom": "http://www.w3.org/2005/Atom"}
MEDIA_TYPE = "application/rss+xml"
TITLE = message("%(name)s changelog")


@public
async def show_feed(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        entries = await newest_entries(visit)
        return document(request, write_feed(visit.ctx.bot, entries), f"{MEDIA_TYPE}; charset=utf-8")


def write_feed(bot: Bot, entries: list[PublishedEntry]) -> bytes:
    xml = XmlDocument()
    changelog = as_uri(changelog_url(bot))
    catalogue = catalogue_of(bot.locale)
    with xml.element("rss", RSS), xml.element("channel"):
        xml.add("title", catalogue.gettext(TITLE, name=bot.name))
        xml.add("link", changelog)
        xml.add("description", catalogue.gettext("What's new in %(name)s", name=bot.name))
        xml.add("language", bot.locale)
        xml.add("atom:link", attributes={"rel": "self", "type": MEDIA_TYPE, "href": f"{changelog}.xml"})
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
