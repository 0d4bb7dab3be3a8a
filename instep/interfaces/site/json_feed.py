"""The changelog as a JSON Feed (jsonfeed.org, version 1.1): its newest entries, with their texts."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.changelog import embeddable, newest_entries
from instep.interfaces.site.feed import TITLE
from instep.interfaces.site.schemas import PublishedEntry, changelog_url
from instep.interfaces.site.visits import help_center
from instep.interfaces.site.xml import as_uri
from instep.platform.core.clock import isoformat
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import catalogue_of
from instep.platform.web.pages import document
from instep.platform.web.public import public

VERSION = "https://jsonfeed.org/version/1.1"
MEDIA_TYPE = "application/feed+json"


@public
async def show_json_feed(request: Request) -> Response:
    async with help_center(request, only_reads=True) as visit:
        feed = json_feed(visit.ctx.bot, await newest_entries(visit))
    return document(request, json.dumps(feed, ensure_ascii=False).encode(), MEDIA_TYPE)


def json_feed(bot: Bot, entries: list[PublishedEntry]) -> dict[str, Any]:
    changelog = as_uri(changelog_url(bot))
    catalogue = catalogue_of(bot.locale)
    return {
        "version": VERSION,
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
