"""The changelog as an Atom feed (RFC 4287): its newest entries, with their texts."""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import queries
from instep.interfaces.site.changelog import embeddable, newest_entries
from instep.interfaces.site.feed import TITLE
from instep.interfaces.site.schemas import PublishedEntry, changelog_url
from instep.interfaces.site.visits import help_center
from instep.interfaces.site.xml import XmlDocument, as_uri
from instep.platform.core.clock import isoformat
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import catalogue_of
from instep.platform.web.pages import document
from instep.platform.web.public import public

MEDIA_TYPE = "application/atom+xml"


@public
async def show_atom_feed(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        entries = await newest_entries(visit)
        changed_at = [entry.updated_at for entry in entries] or [await queries.change_stamp(visit.ctx)]
        feed = write_atom(visit.ctx.bot, entries, max(changed_at))
    return document(request, feed, f"{MEDIA_TYPE}; charset=utf-8")


def write_atom(bot: Bot, entries: list[PublishedEntry], changed_at: datetime) -> bytes:
    xml = XmlDocument()
    changelog = as_uri(changelog_url(bot))
    with xml.element("feed", {"xmlns": "http://www.w3.org/2005/Atom", "xml:lang": bot.locale}):
        xml.add("id", changelog)
        xml.add("title", catalogue_of(bot.locale).gettext(TITLE, name=bot.name))
        xml.add("updated", isoformat(changed_at))
        xml.add("link", attributes={"rel": "self", "type": MEDIA_TYPE, "href": f"{changelog}.atom"})
        xml.add("link", attributes={"rel": "alternate", "type": "text/html", "href": changelog})
        with xml.element("author"):
            xml.add("name", bot.name)
        for entry in entries:
            add_entry(xml, bot, entry)
    return xml.finish()


def add_entry(xml: XmlDocument, bot: Bot, entry: PublishedEntry) -> None:
    # The slug of an entry never changes, so its address is its id as well.
    url = as_uri(changelog_url(bot, entry.slug))
    with xml.element("entry"):
        xml.add("id", url)
        xml.add("title", entry.title)
        xml.add("link", attributes={"rel": "alternate", "type": "text/html", "href": url})
        xml.add("published", isoformat(entry.published_at))
        xml.add("updated", isoformat(entry.updated_at))
        if text := embeddable(entry.html, url):
            xml.add("content", text, {"type": "html"})
