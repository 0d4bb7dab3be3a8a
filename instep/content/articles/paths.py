"""The paths of an article's pages in its help center."""


def path_of_article(bot_locale: str, locale: str, slug: str) -> str:
    """The path below the help center's URL; only languages other than the bot's are part of it."""
    return f"{path_of_locale(bot_locale, locale)}/articles/{slug}"


def path_of_locale(bot_locale: str, locale: str) -> str:
    """The prefix of the paths of pages in this language: empty for the bot's own."""
    return "" if locale == bot_locale else f"/{locale}"
