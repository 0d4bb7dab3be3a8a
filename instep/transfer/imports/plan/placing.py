"""Determines the languages of pages, and the positions of pages and collections on at most three levels."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from instep.platform.core import limits
from instep.platform.core.locales import valid_locale
from instep.transfer.imports.schemas import BotState
from instep.transfer.imports.tree.folders import MAIN_LOCALE
from instep.transfer.imports.tree.schemas import ImportedCollection, Loss, Tree


@dataclass(slots=True)
class Places:
    """The resulting collections, and the position of each page.

    `homes` maps the key of each collection in the source to the key of the collection for its pages.
    `positions` are by page key, from 0 in each collection.
    """

    collections: list[tuple[ImportedCollection, str | None]] = field(default_factory=list)
    homes: dict[str, str] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)

    def home_of(self, collection: str | None) -> str | None:
        return None if collection is None else self.homes.get(collection)


def place_on_levels(tree: Tree) -> Places:
    """Merge collections below the deepest level into their parent, and record that as a loss."""
    places = Places()
    levels: dict[str, int] = {}
    titles = {collection.key: collection.title for collection in tree.collections}
    for collection in tree.collections:
        parent = places.home_of(collection.parent)
        level = levels[parent] + 1 if parent is not None else 1
        if level > limits.MAX_COLLECTION_LEVELS and parent is not None:
            places.homes[collection.key] = parent
            places.losses.append(
                Loss(
                    collection.key,
                    f"collection “{collection.title}” below level {limits.MAX_COLLECTION_LEVELS}: "
                    f"its pages are moved to “{titles[parent]}”",
                )
            )
            continue
        levels[collection.key] = level
        places.homes[collection.key] = collection.key
        places.collections.append((collection, parent))
    number_pages(tree, places)
    return places


def number_pages(tree: Tree, places: Places) -> None:
    counts: dict[str | None, int] = {}
    for page in tree.pages:
        if page.translation_of is None:
            home = places.home_of(page.collection)
            places.positions[page.key] = counts.get(home, 0)
            counts[home] = places.positions[page.key] + 1


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
