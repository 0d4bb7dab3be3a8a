"""The languages that a text exists in, as its page and the sitemap tell search engines."""

from collections.abc import Mapping

from instep.identity.schemas import Bot
from instep.site.schemas import article_url

# The version for people whose language no other version has.
DEFAULT = "x-default"


def alternates_of(bot: Bot, slugs: Mapping[str, str]) -> dict[str, str]:
    """The address of each version by its `hreflang`, from their slugs by language; none of a single version.

    Each version is in it, and the one in the bot's own language, or else the first, is the default.
    """
    if len(slugs) < 2:
        return {}
    urls = {locale: article_url(bot, locale, slugs[locale]) for locale in sorted(slugs)}
    return urls | {DEFAULT: urls.get(bot.locale) or next(iter(urls.values()))}
