"""The pages of a public help center: its home page, its collections and its articles."""

import re
from math import ceil

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import collection_queries, feeds, queries, schemas, visits
from instep.interfaces.site.card_images import card_of_article, card_of_home, card_url
from instep.interfaces.site.contents import contents_of
from instep.interfaces.site.languages import alternates_of, collections_in, homes_of
from instep.interfaces.site.markdown_pages import show_article_text
from instep.interfaces.site.related import related_articles
from instep.interfaces.site.rendering import lasting_page, shown_text
from instep.interfaces.site.representations import EXTENSION, VARY, prefers_markdown
from instep.interfaces.site.schemas import ArticlePage, CollectionSection
from instep.interfaces.site.site_tree import tree_of_article, tree_of_collection
from instep.interfaces.site.structured_data import LinkCard, article_data, home_data, section_data
from instep.interfaces.site.version_choice import (
    article_of_other_versions,
    canonical_bot,
    is_unreleased,
    version_links,
)
from instep.interfaces.site.visit_counts import count_view
from instep.interfaces.site.visits import Moved, Visit
from instep.interfaces.site.xml import as_uri
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.web.pages import moved_to
from instep.platform.web.public import public

PAGE_NUMBER = re.compile(r"[0-9]{1,6}")


@public
async def show_home(request: Request) -> Response:
    async with visits.help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        if moved := visits.moved_to_usual_spelling(visit):
            return moved
        bot, locale = visit.ctx.bot, visit.locale
        collections = await collection_queries.list_sections(visit.ctx, locale, number)
        if not collections.rows and (number > 1 or locale != bot.locale):
            if number == 1 and visit.version and locale in visit.locales:
                # Choosing a version leads here, even to one without articles in the language.
                raise Moved(f"{bot.help_url}/", is_permanent=False)
            raise NotFound
        is_noindex = is_in_other_version(visit)
        return lasting_page(
            visit,
            "home.html",
            sections=[(section, schemas.section_path(visit.root, section)) for section in collections.rows],
            number=number,
            has_next=bool(collections.next_cursor),
            alternates={} if is_noindex else homes_of(bot, visit.locales),
            is_noindex=is_noindex,
            link_card=LinkCard(
                bot.name, f"{schemas.root_url(bot, locale)}/", image_url=card_url(visit, card_of_home(visit))
            ),
            structured_data=home_data(bot, locale),
        )


@public
async def show_collection(request: Request) -> Response:
    async with visits.help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        section = await collection_queries.find_section(
            visit.ctx, visit.locale, request.path_params["slug"], number
        )
        return await section_page(visit, section, number)


@public
async def show_loose_articles(request: Request) -> Response:
    async with visits.help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        section = await collection_queries.find_loose_articles(visit.ctx, visit.locale, number)
        if section is None and number == 1 and visit.version:
            # Choosing a version leads here, even to one without such articles.
            raise Moved(f"{schemas.root_url(visit.ctx.bot, visit.locale)}/", is_permanent=False)
        return await section_page(visit, section, number)


async def section_page(visit: Visit, section: CollectionSection | None, number: int) -> Response:
    if moved := visits.moved_to_usual_spelling(visit):
        return moved
    if section is None:
        raise NotFound
    last = ceil(section.article_count / limits.COLLECTION_ARTICLES)
    tree = await tree_of_collection(visit, section.slug or None)
    title = section.title or visit.catalogue.gettext("Articles")
    bot = visit.ctx.bot
    below = schemas.section_path(visit.root, section).removeprefix(bot.home_path)
    is_noindex = is_in_other_version(visit)
    # Another language may have fewer pages.
    has_alternates = number == 1 and visit.locale in section.locales and not is_noindex
    url, feed_url = as_uri(bot.help_url + below), as_uri(bot.with_all_versions.help_url + below)
    return lasting_page(
        visit,
        "collection.html",
        section=section,
        feed_url=feed_url + feeds.EXTENSION if section.is_public else None,
        number=number,
        last=last,
        tree=tree,
        alternates=collections_in(bot, section.slug, section.locales) if has_alternates else {},
        link_card=LinkCard(title, url if number == 1 else f"{url}?page={number}", section.description),
        structured_data=section_data(bot, visit.locale, section, title, url),
        is_noindex=is_noindex,
    )


def is_in_other_version(visit: Visit) -> bool:
    """True for another version than the current one: search engines list only its articles."""
    return visit.version is not None and not visit.version.is_current


def page_number(request: Request) -> int:
    """The requested page of a list, from 1; anything else is not found (404)."""
    name = request.query_params.get("page", "1")
    if PAGE_NUMBER.fullmatch(name) is None or not 1 <= int(name) <= limits.MAX_SITE_PAGES:
        raise NotFound
    return int(name)


@public
async def show_article(request: Request) -> Response:
    if prefers_markdown(request):
        return await show_article_text(request)
    slug = request.path_params["slug"]
    async with visits.help_center(request, recognise=True, only_reads=True) as visit:
        locale, is_canonical = visits.requested_locale(request, visit.ctx.bot)
        article = await queries.find_live_article(visit.ctx, slug, locale)
        if article is not None and is_canonical:
            count_view(request, visit.ctx, article.id)
            return await article_page(visit, article)
        if article is None and (other := await article_of_other_versions(visit, slug, locale)):
            count_view(request, visit.ctx, other.id)
            return await article_page(visit, other, is_in_version=False)
        whole = visits.with_version(visit.ctx, None)
        present_slug = article.slug if article else await queries.find_present_slug(whole, slug, locale)
        if present_slug is None:
            raise NotFound
        return moved_to(schemas.article_url(visit.ctx.bot, locale, present_slug))


async def article_page(visit: Visit, article: ArticlePage, *, is_in_version: bool = True) -> Response:
    """The page of an article, which may not be about the visit's product version."""
    bot, locale, slug = visit.ctx.bot, visit.locale, article.slug
    versions = (
        []
        if is_in_version and not is_in_other_version(visit)
        else await queries.versions_of(visit.ctx, article.id)
    )
    canonical = canonical_bot(visit, versions)
    is_canonical = article.locale == locale and canonical == bot
    headings = contents_of(article.html)
    card = card_url(visit, card_of_article(visit, article), slug)
    image_url = as_uri(card) if card else None
    url = schemas.article_url(canonical, article.locale, slug)
    return lasting_page(
        visit,
        "article.html",
        locale,
        headers=VARY,
        article_id=article.id,
        article=article,
        html=shown_text(visit, article.html),
        headings=headings,
        tree=await tree_of_article(visit, article, locale),
        related=[
            (schemas.article_path(bot, locale, other.slug), other)
            for other in await related_articles(visit, article)
        ],
        markdown_url=schemas.article_url(bot, article.locale, slug) + EXTENSION,
        feed_url=feed_url(visit, article),
        # Search engines read them on the canonical page.
        alternates=alternates_of(bot, article.slugs) if is_canonical else {},
        link_card=LinkCard(article.title, as_uri(url), article.description, "article", image_url),
        structured_data=article_data(canonical, article, headings, image_url),
        is_noindex=not is_in_version or is_unreleased(visit),
        versions_with_article=[]
        if is_in_version
        else [link for link in version_links(visit, locale, visit.rest_of_path) if link.version in versions],
        paths={
            other: schemas.article_path(bot, other, slug)
            for other, slug in shown_slugs(visit, article).items()
        },
    )


def feed_url(visit: Visit, article: ArticlePage) -> str | None:
    """The URL of the feed of a public article in its own language."""
    if not article.is_public or article.locale != visit.locale:
        return None
    url = schemas.article_url(visit.ctx.bot.with_all_versions, article.locale, article.slug)
    return as_uri(url) + feeds.EXTENSION


def shown_slugs(visit: Visit, article: ArticlePage) -> dict[str, str]:
    """The slug of the text in each language in which the help center shows it."""
    original = article.slugs.get(visit.ctx.bot.locale)
    if original is None or not visit.arrival.site_frame.shows_untranslated:
        return article.slugs
    return dict.fromkeys(visit.locales, original) | article.slugs
