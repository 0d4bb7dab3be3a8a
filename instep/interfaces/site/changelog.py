"""The pages of a help center's changelog: the list of entries, and a page for each entry."""

import nh3
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from instep.content.redirects.actions import find_page_before
from instep.interfaces.site import queries
from instep.interfaces.site.markdown_pages import show_entry_text
from instep.interfaces.site.rendering import shown_text, visitor_page
from instep.interfaces.site.representations import EXTENSION, VARY, prefers_markdown
from instep.interfaces.site.schemas import PublishedEntry, changelog_url
from instep.interfaces.site.structured_data import LinkCard
from instep.interfaces.site.visits import Visit, help_center, moved_to_usual_spelling
from instep.interfaces.site.xml import as_uri
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.core.markdown import ATTRIBUTES, TAGS
from instep.platform.core.paging import PageRequest
from instep.platform.core.readable import ADDED_ATTRIBUTES
from instep.platform.web.pages import moved_to, sanitised
from instep.platform.web.public import public

# The tags and attributes of `core.markdown`, without ids: texts on one page may have the same headings.
EMBEDDABLE_ATTRIBUTES = {
    **{
        tag: (ATTRIBUTES.get(tag, set()) | ADDED_ATTRIBUTES.get(tag, set())) - {"id"}
        for tag in ATTRIBUTES | ADDED_ATTRIBUTES
    },
    "input": {"type", "checked", "disabled", "aria-label"},
}


@public
async def show_changelog(request: Request) -> Response:
    cursor = request.query_params.get("start_cursor")
    async with help_center(request, only_reads=True) as visit:
        if moved := moved_to_usual_spelling(visit):
            return moved
        if not visit.has_changelog and (former := await find_page_before(visit.ctx, "/changelog")):
            return moved_to(former)
        page = PageRequest(request.app.state.cursor_key, limits.MAX_CHANGELOG_PAGE_ENTRIES, cursor)
        entries = await queries.list_entries(visit.ctx, page)
        return visitor_page(
            visit,
            "changelog.html",
            news=[
                (entry, embeddable(entry.html, changelog_url(visit.ctx.bot, entry.slug)))
                for entry in entries.rows
            ],
            is_first=cursor is None,
            link_card=LinkCard(visit.catalogue.gettext("Changelog"), changelog_url(visit.ctx.bot)),
            next_cursor=entries.next_cursor,
        )


@public
async def show_entry(request: Request) -> Response:
    if prefers_markdown(request):
        return await show_entry_text(request)
    async with help_center(request, only_reads=True) as visit:
        entry = await queries.find_entry(visit.ctx, request.path_params["slug"])
        if entry is None:
            raise NotFound
        markdown_url = changelog_url(visit.ctx.bot, entry.slug) + EXTENSION
        html = shown_text(visit, entry.html or "")
        link_card = LinkCard(entry.title, as_uri(changelog_url(visit.ctx.bot, entry.slug)), type="article")
        page = visitor_page(
            visit, "news.html", entry=entry, html=html, markdown_url=markdown_url, link_card=link_card
        )
    page.headers.update(VARY)
    return page


async def newest_entries(visit: Visit) -> list[PublishedEntry]:
    """The published entries of a feed."""
    page = PageRequest(visit.request.app.state.cursor_key, limits.MAX_CHANGELOG_PAGE_ENTRIES)
    return (await queries.list_entries(visit.ctx, page)).rows


def embeddable(html: str | None, url: str) -> Markup | None:
    """The text of an entry for a list or a feed: its relative links lead to its own page."""
    if html is None:
        return None
    return sanitised(
        nh3.clean(
            html,
            tags=TAGS,
            attributes=EMBEDDABLE_ATTRIBUTES,
            link_rel=None,
            url_relative=("rewrite_with_base", url),
        )
    )
