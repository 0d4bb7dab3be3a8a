"""The languages of a text, for visitors and, with the sitemap, for search engines."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from instep.interfaces.site.schemas import article_url, collection_url, root_path, root_url
from instep.platform.core.locales import direction
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import language_name

# The version for people whose language no other version has.
DEFAULT = "x-default"


def alternates_of(bot: Bot, slugs: Mapping[str, str]) -> dict[str, str]:
    """The URL of each version of a text by its `hreflang`, from their slugs by language."""
    return with_default(bot, {locale: article_url(bot, locale, slug) for locale, slug in slugs.items()})


def homes_of(bot: Bot, locales: Iterable[str]) -> dict[str, str]:
    """The home page in each language by its `hreflang`."""
    return with_default(bot, {locale: f"{root_url(bot, locale)}/" for locale in {*locales, bot.locale}})


def collections_in(bot: Bot, slug: str, locales: Iterable[str]) -> dict[str, str]:
    """The page of a collection in each language by its `hreflang`."""
    return with_default(bot, {locale: collection_url(bot, locale, slug) for locale in locales})


def with_default(bot: Bot, urls: Mapping[str, str]) -> dict[str, str]:
    """The URLs of a page by its languages, which are all of its `hreflang`; empty for a single language.

    The page in the bot's own language, or else the first, is the default.
    """
    if len(urls) < 2:
        return {}
    ordered = {locale: urls[locale] for locale in sorted(urls)}
    return ordered | {DEFAULT: ordered.get(bot.locale) or next(iter(ordered.values()))}


@dataclass(frozen=True, slots=True)
class LanguageLink:
    """A page in another language, or this one; `name` is the language's own."""

    locale: str
    name: str
    path: str
    direction: str
    is_current: bool


def language_links(
    bot: Bot, current: str, locales: Iterable[str], rest: str, paths: Mapping[str, str] | None
) -> list[LanguageLink]:
    """Links to this page in every language of the help center; empty for a single language.

    `rest` is the page's path below its language. A text whose translations have other slugs passes
    `paths` instead: without a translation into a language, the link goes to the home page in it.
    """
    others = sorted({*locales, bot.locale, current})
    if len(others) < 2:
        return []
    links = []
    for locale in others:
        root = root_path(bot, locale)
        path = root + rest if paths is None else paths.get(locale, f"{root}/")
        links.append(
            LanguageLink(locale, language_name(locale), path, direction(locale), is_current=locale == current)
        )
    return links
