"""Pages of the help center as drafts would change them, for anyone with a link."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from instep.content.files.picture_sizes import render_with_sizes
from instep.content.parts.readers_texts import preview_text
from instep.drafting.drafts.actions import get_draft
from instep.drafting.drafts.previews import PreviewedDraft, list_previewed_drafts, preview_of
from instep.interfaces.site import entrances, queries
from instep.interfaces.site.contents import contents_of
from instep.interfaces.site.rendering import shown_text, visitor_page
from instep.interfaces.site.schemas import ArticlePage, PreviewArrival
from instep.interfaces.site.site_tree import tree_of_article
from instep.interfaces.site.visits import VISITOR, Visit, canonical_locale, with_version
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import NotFound
from instep.platform.core.restarts import restartable
from instep.platform.identity.schemas import Ctx
from instep.platform.web.pages import NO_STORE
from instep.platform.web.public import public

# The token is in the URL, which other sites must not learn; search engines must not list the page.
PREVIEW_HEADERS = {**NO_STORE, "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}


@dataclass(frozen=True, slots=True)
class PreviewVisit:
    """A request by a link: the visit, the drafts that it shows, and its expiry."""

    visit: Visit
    drafts: list[PreviewedDraft]
    expires_at: datetime
    root: str

    def href(self, slug: str, locale: str) -> str:
        """The URL of an article below the link."""
        below = "" if locale == self.visit.ctx.bot.locale else f"{locale}/"
        return f"{self.root}/{below}articles/{slug}"

    async def page(self, article: ArticlePage, draft: PreviewedDraft | None) -> Response:
        visit = await self.visit_to(article, draft)
        answer = visitor_page(
            visit,
            "preview.html",
            article.locale,
            paths={other: self.href(slug, other) for other, slug in article.slugs.items()},
            article=article,
            html=shown_text(visit, article.html),
            headings=contents_of(article.html),
            tree=await tree_of_article(visit, article, article.locale),
            # Their links would leave the preview.
            versions=[],
            draft=draft,
            changed=[(self.href(other.slug, other.locale), other) for other in self.drafts],
            expires_at=self.expires_at,
        )
        # Links to articles stay below the preview link.
        links = re.compile(rf'href="{re.escape(visit.ctx.bot.home_path)}/((?:[\w-]+/)?articles/)')
        html = links.sub(rf'href="{self.root}/\1', bytes(answer.body).decode())
        headers = {name: value for name, value in answer.headers.items() if name not in UNIQUE_HEADERS}
        return Response(html, answer.status_code, {**headers, **PREVIEW_HEADERS}, "text/html")

    async def visit_to(self, article: ArticlePage, draft: PreviewedDraft | None) -> Visit:
        """The visit in the product version of the draft's change, or else in the best one of the article."""
        versions = await queries.versions_of(self.visit.ctx, article.id)
        changed = draft.version if draft else None
        ranked = sorted(versions, key=lambda version: (version.slug != changed, not version.is_current))
        return replace(self.visit, ctx=with_version(self.visit.ctx, ranked[0] if ranked else None))


# Headers that the response computes itself or must not have.
UNIQUE_HEADERS = {"content-length", "content-type", "etag", "cache-control", "referrer-policy"}


@asynccontextmanager
async def preview_visit(request: Request) -> AsyncIterator[PreviewVisit]:
    token = request.path_params["token"]
    state = request.app.state
    preview_id = preview_of(state.cursor_key, token)
    if preview_id is None:
        raise NotFound
    database = state.database
    async with database.enter(PreviewArrival, entrances.ARRIVE_BY_PREVIEW, id=preview_id) as (arrival, tx):
        if arrival is None:
            raise NotFound
        # The link is on the installation's own host, so all of its links are.
        ctx = Ctx(tx, replace(arrival.bot, domain=None), VISITOR, utc_now())
        visit = Visit(request, ctx, arrival)
        drafts = await list_previewed_drafts(ctx, arrival.draft_id, arrival.source_key)
        yield PreviewVisit(visit, drafts, arrival.expires_at, f"/preview/{token}")


@public
async def show_preview(request: Request) -> Response:
    """The first page that a draft changes."""

    async def attempt() -> Response:
        async with preview_visit(request) as preview:
            if not preview.drafts:
                raise NotFound
            return await changed_page(preview, preview.drafts[0])

    return await restartable(attempt)


@public
async def show_preview_article(request: Request) -> Response:
    """An article: as a draft would change it, or else as it is live."""

    async def attempt() -> Response:
        async with preview_visit(request) as preview:
            ctx = preview.visit.ctx
            slug = request.path_params["slug"]
            locale = canonical_locale(request.path_params.get("locale", ctx.bot.locale))
            draft = next((d for d in preview.drafts if (d.slug, d.locale) == (slug, locale)), None)
            if draft is not None:
                return await changed_page(preview, draft)
            article = await queries.find_live_article(ctx, slug, locale)
            if article is None:
                raise NotFound
            return await preview.page(article, None)

    return await restartable(attempt)


async def changed_page(preview: PreviewVisit, draft: PreviewedDraft) -> Response:
    ctx = preview.visit.ctx
    article = await queries.find_any_article(ctx, draft.article_id)
    if article is None:
        raise NotFound
    detail = await get_draft(ctx, draft.id)
    text = detail.draft.content if detail.merged is None else detail.merged
    html = await render_with_sizes(ctx, await preview_text(ctx, text, article.locale))
    return await preview.page(replace(article, title=draft.title, html=html), draft)
