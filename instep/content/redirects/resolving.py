"""Follows redirects to their end, so that they are never chained.

A redirect may lead to a URL of the help center itself. That URL may have a page, which may have moved or be
hidden, or no page but another redirect, older or newer. Almost all redirects lead to an article or to another
site, which takes one lookup.
"""

import re
from urllib.parse import urldefrag

from instep.content.redirects import queries
from instep.content.redirects.path_patterns import FIXED_PAGE, REST, is_match, led_url, page_path, url_below
from instep.content.redirects.schemas import ArticleAtPath, whole_url
from instep.platform.core import limits
from instep.platform.core.locales import valid_locale
from instep.platform.identity.schemas import Bot, Ctx

ARTICLE_PAGE = re.compile(r"(?:/([^/]+))?/articles/([^/]+)")
COLLECTION_PAGE = re.compile(r"(?:/[^/]+)?/collections/([^/]+)")
ENTRY_PAGE = re.compile(r"(?:/[^/]+)?/changelog/([^/]+)")
# The columns of a redirect's target.
Columns = dict[str, str | None]


async def follow(ctx: Ctx, path: str) -> str | None:
    """The final URL of the redirects that begin at this path; None if it has no readable page."""
    url: str | None = None
    for _ in range(limits.MAX_REDIRECT_HOPS):
        target = await queries.find_target(ctx, path)
        if target is None:
            return url
        if target.url is None:
            return target.article_url(ctx.bot)
        url = led_url(target.path, whole_url(ctx.bot, target.url), path)
        if url is None:
            return None
        own_path = own_page_path(ctx.bot, url)
        if own_path is None:
            return url
        article = await find_article_at(ctx, own_path)
        if article is not None and article.is_public:
            return present_url(ctx, article, url)
        if await has_other_page(ctx, own_path):
            return url
        is_nowhere = ARTICLE_PAGE.fullmatch(own_path) or target.path.endswith(REST)
        path, url = own_path, None if is_nowhere else url
    return None


async def resolve(ctx: Ctx, url: str) -> Columns:
    """The target that a URL leads to: an article, if it is redirected to one; or the last URL on the way.

    A fragment on an article's page needs a URL, because the columns have none for it.
    """
    for _ in range(limits.MAX_REDIRECT_HOPS):
        path = own_page_path(ctx.bot, url)
        if path is None:
            break
        article = await find_article_at(ctx, path)
        if article is not None and article.path(ctx.bot) != path:
            is_place = bool(urldefrag(url).fragment)
            return to_url(ctx.bot, present_url(ctx, article, url)) if is_place else to_article(article.id)
        if await is_answered(ctx, path, article):
            break
        target = await queries.find_target(ctx, path)
        if target is None:
            break
        if target.url is None:
            return to_article(target.article_id)
        next_url = led_url(target.path, whole_url(ctx.bot, target.url), path)
        if next_url is None:
            break
        url = next_url
    return to_url(ctx.bot, url)


async def is_circular(ctx: Ctx, source: str, url: str | None) -> bool:
    """True if a redirect from the path or pattern `source` to this URL would be circular."""
    path = own_page_path(ctx.bot, whole_url(ctx.bot, url)) if url else None
    if path is None or not is_match(source, path):
        return False
    if source.endswith(REST):
        return True
    return not await is_answered(ctx, path, await find_article_at(ctx, path))


def own_page_path(bot: Bot, url: str) -> str | None:
    """The decoded path of an address in a help center, on its own host or on the installation's."""
    return page_path(bot.help_url, url) or page_path(bot.plain_url, url)


def to_article(article_id: str | None) -> Columns:
    return {"article_id": article_id, "url": None}


def to_url(bot: Bot, url: str) -> Columns:
    """The columns for a URL; one in the help center is stored without the host, which may change."""
    own_url = url_below(bot.help_url, url) or url_below(bot.plain_url, url)
    return {"article_id": None, "url": own_url or url}


def present_url(ctx: Ctx, article: ArticleAtPath, url: str) -> str:
    """The current URL of an article that a URL names, with the URL's fragment."""
    fragment = urldefrag(url).fragment
    return ctx.bot.help_url + article.path(ctx.bot) + (f"#{fragment}" if fragment else "")


async def is_answered(ctx: Ctx, path: str, article: ArticleAtPath | None) -> bool:
    return article.is_public if article else await has_other_page(ctx, path)


async def has_other_page(ctx: Ctx, path: str) -> bool:
    """True if a path of the help center has a page other than an article's."""
    if match := COLLECTION_PAGE.fullmatch(path):
        return await queries.has_collection(ctx, match[1])
    if match := ENTRY_PAGE.fullmatch(path):
        return await queries.has_entry(ctx, match[1])
    return FIXED_PAGE.fullmatch(path) is not None


async def find_article_at(ctx: Ctx, path: str) -> ArticleAtPath | None:
    """The article that has this address now, or had it before."""
    match = ARTICLE_PAGE.fullmatch(path)
    if match is None:
        return None
    try:
        locale = valid_locale(match[1]) if match[1] else ctx.bot.locale
    except ValueError:
        return None
    return await queries.find_article_at(ctx, match[2], locale)
