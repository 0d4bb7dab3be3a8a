"""The pages of a public help center: its home page, its collections and its articles."""

import re
from math import ceil

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import atom_feed, collection_queries, queries
from instep.interfaces.site.card_images import (
    card_of_article,
    card_of_home,
    card_url,
)
from instep.interfaces.site.contents import contents_of
from instep.interfaces.site.languages import alternates_of, homes_of
from instep.interfaces.site.markdown_pages import show_article_text
from instep.interfaces.site.related import related_articles
from instep.interfaces.site.rendering import lasting_page, shown_text
from instep.interfaces.site.representations import EXTENSION, VARY, prefers_markdown
from instep.interfaces.site.schemas import (
    ArticlePage,
    CollectionSection,
    article_path,
    article_url,
    section_path,
)
from instep.interfaces.site.site_tree import tree_of_article, tree_of_collection
from instep.interfaces.site.structured_data import LinkCard, article_data, home_data, root_url, section_data
from instep.interfaces.site.visit_counts import count_view
from instep.interfaces.site.visits import Visit, help_center, moved_to_usual_spelling, requested_locale
from instep.interfaces.site.xml import as_uri
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.web.pages import moved_to
from instep.platform.web.public import public

PAGE_NUMBER = re.compile(r"[0-9]{1,6}")


@public
async def show_home(request: Request) -> Response:
    async with help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        if moved := moved_to_usual_spelling(visit):
            return moved
        bot, locale = visit.ctx.bot, visit.locale
        collections = await collection_queries.list_sections(visit.ctx, locale, number)
        if not collections.rows and (number > 1 or locale != bot.locale):
            raise NotFound
        return lasting_page(
            visit,
            "home.html",
            sections=[(section, section_path(visit.root, section)) for section in collections.rows],
            number=number,
            has_next=bool(collections.next_cursor),
            alternates=homes_of(bot, visit.locales),
            link_card=LinkCard(
                bot.name, f"{root_url(bot, locale)}/", image_url=card_url(visit, card_of_home(visit))
            ),
            structured_data=home_data(bot, locale),
        )


@public
async def show_collection(request: Request) -> Response:
    async with help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        section = await collection_queries.find_section(
            visit.ctx, visit.locale, request.path_params["slug"], number
        )
        return await section_page(visit, section, number)


@public
async def show_loose_articles(request: Request) -> Response:
    async with help_center(request, recognise=True, only_reads=True) as visit:
        number = page_number(request)
        section = await collection_queries.find_loose_articles(visit.ctx, visit.locale, number)
        return await section_page(visit, section, number)


async def section_page(visit: Visit, section: CollectionSection | None, number: int) -> Response:
    if moved := moved_to_usual_spelling(visit):
        return moved
    if section is None:
        raise NotFound
    last = ceil(section.article_count / limits.COLLECTION_ARTICLES)
    tree = await tree_of_collection(visit, section.slug or None)
    title = section.title or visit.catalogue.gettext("Articles")
    url = as_uri(
        visit.ctx.bot.help_url + section_path(visit.root, section).removeprefix(visit.ctx.bot.home_path)
    )
    return lasting_page(
        visit,
        "collection.html",
        section=section,
        feed_url=url + atom_feed.EXTENSION if section.is_public else None,
        number=number,
        last=last,
        tree=tree,
        link_card=LinkCard(title, url if number == 1 else f"{url}?page={number}", section.description),
        structured_data=section_data(visit.ctx.bot, visit.locale, section, title, url),
    )


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
    async with help_center(request, recognise=True, only_reads=True) as visit:
        locale, is_canonical = requested_locale(request, visit.ctx.bot)
        article = await queries.find_live_article(visit.ctx, slug, locale)
        if article is not None and is_canonical:
            count_view(request, visit.ctx, article.id)
            return await article_page(visit, article)
        present_slug = article.slug if article else await queries.find_present_slug(visit.ctx, slug, locale)
        if present_slug is None:
            raise NotFound
        return moved_to(article_url(visit.ctx.bot, locale, present_slug))


async def article_page(visit: Visit, article: ArticlePage) -> Response:
    bot, locale, slug = visit.ctx.bot, visit.locale, article.slug
    is_translated = article.locale == locale
    headings = contents_of(article.html)
    card = card_url(visit, card_of_article(visit, article), slug)
    image_url = as_uri(card) if card else None
    url = article_url(bot, article.locale, slug)
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
            (article_path(bot, locale, other.slug), other) for other in await related_articles(visit, article)
        ],
        markdown_url=url + EXTENSION,
        feed_url=as_uri(url) + atom_feed.EXTENSION if article.is_public and is_translated else None,
        # Search engines read them on the original, which is the canonical page.
        alternates=alternates_of(bot, article.slugs) if is_translated else {},
        link_card=LinkCard(article.title, as_uri(url), article.description, "article", image_url),
        structured_data=article_data(bot, article, headings, image_url),
        paths={other: article_path(bot, other, slug) for other, slug in shown_slugs(visit, article).items()},
    )


def shown_slugs(visit: Visit, article: ArticlePage) -> dict[str, str]:
    """The slug of the text in each language in which the help center shows it."""
    original = article.slugs.get(visit.ctx.bot.locale)
    if original is None or not visit.arrival.site_frame.shows_untranslated:
        return article.slugs
    return dict.fromkeys(visit.locales, original) | article.slugs
