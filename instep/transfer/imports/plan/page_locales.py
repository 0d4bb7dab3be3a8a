"""Determines the language of each imported page."""

from collections.abc import Mapping

from instep.platform.core.locales import valid_locale
from instep.transfer.imports.schemas import BotState
from instep.transfer.imports.tree.folders import MAIN_LOCALE
from instep.transfer.imports.tree.schemas import Loss, Tree


def locales_of_pages(tree: Tree, state: BotState, losses: list[Loss]) -> dict[str, str]:
    """The language of each page, by its key; an invalid language code is reported once and ignored.

    An article from an earlier import keeps its language. A new one gets the language stated in the source, or
    else the bot's.
    """
    codes = valid_codes(tree)
    unstated = unstated_locale(tree, codes, state.bot_locale)
    for code, locale in codes.items():
        if locale is None:
            what = f"invalid language code “{code}”: {unstated} is used"
            losses.append(Loss("", what))

    def locale_of(key: str, code: str | None) -> str:
        earlier = state.pages.get(key)
        return earlier.locale if earlier else codes.get(code or "") or unstated

    return {page.key: locale_of(page.key, page.locale) for page in tree.pages}


def valid_codes(tree: Tree) -> dict[str, str | None]:
    """A source's language codes in their recommended spelling; None for invalid codes."""
    codes: dict[str, str | None] = {}
    for page in tree.pages:
        if page.locale is not None and page.locale not in codes:
            try:
                codes[page.locale] = valid_locale(page.locale)
            except ValueError:
                codes[page.locale] = None
    return codes


def unstated_locale(tree: Tree, codes: Mapping[str, str | None], bot_locale: str) -> str:
    """The language of pages without a stated one: the bot's.

    If their translations are in the bot's language, they are in another one, which is usually English.
    """
    unstated = {page.key for page in tree.pages if page.locale is None}
    translated = {codes.get(page.locale or "") for page in tree.pages if page.translation_of in unstated}
    return MAIN_LOCALE if bot_locale in translated and MAIN_LOCALE not in translated else bot_locale
