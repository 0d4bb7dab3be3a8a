"""All articles of a help center beside each other: which address is whose, and which text is like which."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from urllib.parse import unquote, urldefrag, urljoin

from instep.core import limits
from instep.insights.checks_text import plain
from instep.insights.reading import Reading, likeness

ARTICLE = re.compile(r"/(?:([^/]+)/)?articles/([^/]+)")
COLLECTION = re.compile(r"/collections/([^/]+)")
OWN_PAGES = re.compile(r"/(?:[^/]+/)?(?:articles|collections)(?:/.*)?")
# Texts of which two share four bins in a row are compared; of many that do only with the first ones.
BAND = 4 * array("I").itemsize
EMPTY_BAND = b"\xff" * BAND
COMPARED = 3


Band = tuple[str, int, bytes]


@dataclass(frozen=True, slots=True)
class Card:
    """What the library knows of an article besides its text; `size` is that of the text in bytes."""

    id: str
    slug: str
    locale: str
    title: str
    description: str | None
    collection_id: str | None
    status: str
    version: int
    size: int
    translation_of: str | None
    text_changed_at: datetime

    @property
    def is_live(self) -> bool:
        return self.status == "published"


@dataclass(frozen=True, slots=True)
class Former:
    """An address that an article had before."""

    slug: str
    locale: str
    article_id: str


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link inside the help center leads; without a card to what is no article, or to nothing."""

    fragment: str
    exists: bool
    card: Card | None = None
    has_moved: bool = False


@dataclass(frozen=True)
class Library:
    """The articles of one help center; `home` is its address, `locale` the language that no address names."""

    home: str
    locale: str
    cards: list[Card]
    readings: dict[str, Reading] = field(default_factory=dict)
    former: list[Former] = field(default_factory=list)
    collections: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()

    @cached_property
    def by_id(self) -> dict[str, Card]:
        return {card.id: card for card in self.cards}

    @cached_property
    def by_slug(self) -> dict[tuple[str, str], Card]:
        return {(card.locale, card.slug): card for card in self.cards}

    @cached_property
    def moved(self) -> dict[tuple[str, str], Card]:
        known = [(former, self.by_id.get(former.article_id)) for former in self.former]
        return {(former.locale, former.slug): card for former, card in known if card is not None}

    @cached_property
    def titles(self) -> dict[tuple[str, str], list[Card]]:
        found: dict[tuple[str, str], list[Card]] = defaultdict(list)
        for card in self.cards:
            if card.is_live:
                found[card.locale, plain(card.title)].append(card)
        return found

    @cached_property
    def bands(self) -> dict[Band, list[Card]]:
        found: dict[Band, list[Card]] = defaultdict(list)
        for card in self.cards:
            for band in self.bands_of(card) if card.is_live else ():
                if len(found[band]) <= COMPARED:
                    found[band].append(card)
        return found

    def bands_of(self, card: Card) -> Iterator[Band]:
        sketch = self.sketch(card)
        for start in range(0, len(sketch), BAND):
            band = sketch[start : start + BAND]
            if band != EMPTY_BAND:
                yield card.locale, start, band

    def is_outdated(self, card: Card) -> bool:
        """Whether the article that this one translates has another text since."""
        root = self.by_id.get(card.translation_of) if card.translation_of else None
        return root is not None and root.text_changed_at > card.text_changed_at

    def sketch(self, card: Card) -> bytes:
        return self.readings[card.id].sketch if card.id in self.readings else b""

    def namesake(self, card: Card) -> Card | None:
        """Another live article of this title."""
        same = self.titles.get((card.locale, plain(card.title)), [])
        return next((other for other in same if other.id != card.id), None)

    def lookalike(self, card: Card) -> Card | None:
        """Another live article that says nearly the same."""
        sketch = self.sketch(card)
        seen = {card.id}
        for band in self.bands_of(card):
            for other in self.bands.get(band, ()):
                if other.id not in seen:
                    seen.add(other.id)
                    if likeness(sketch, self.sketch(other)) >= limits.MIN_DUPLICATE_SIMILARITY:
                        return other
        return None

    def target(self, card: Card, href: str) -> Target | None:
        """Where a link of an article leads, as a browser finds it; None: out of this help center's pages."""
        if href.startswith("#"):
            return Target(unquote(href[1:]), True, card)
        if href.startswith(("http://", "https://")) and not href.startswith(self.home):
            return None
        try:
            address, fragment = urldefrag(urljoin(self.address(card), href))
        except ValueError:
            return None
        path = unquote(address.removeprefix(self.home).partition("?")[0])
        if not address.startswith(f"{self.home}/") or not OWN_PAGES.fullmatch(path):
            return None
        return self.page(path, unquote(fragment))

    def page(self, path: str, fragment: str) -> Target:
        if collection := COLLECTION.fullmatch(path):
            return Target(fragment, collection[1] in self.collections)
        if article := ARTICLE.fullmatch(path):
            key = (article[1] or self.locale, article[2])
            if key in self.by_slug:
                return Target(fragment, True, self.by_slug[key])
            if key in self.moved:
                return Target(fragment, True, self.moved[key], has_moved=True)
        return Target(fragment, False)

    def address(self, card: Card) -> str:
        prefix = "" if card.locale == self.locale else f"/{card.locale}"
        return f"{self.home}{prefix}/articles/{card.slug}"
