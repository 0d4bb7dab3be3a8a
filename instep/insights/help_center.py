"""All articles of a help center beside each other: which address is whose, and which text is like which."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from urllib.parse import unquote, urldefrag, urljoin

from instep.articles.addresses import path_of_article
from instep.core import limits
from instep.insights.checks_text import plain
from instep.insights.text_analysis import TextAnalysis, jaccard_estimate

ARTICLE = re.compile(r"/(?:([^/]+)/)?articles/([^/]+)")
COLLECTION = re.compile(r"/collections/([^/]+)")
OWN_PAGES = re.compile(r"/(?:[^/]+/)?(?:articles|collections)(?:/.*)?")
# Texts of which two share four bins in a row are compared; of many that do only with the first ones.
BAND = 4 * array("I").itemsize
EMPTY_BAND = b"\xff" * BAND
COMPARED_NEIGHBOURS = 3


Band = tuple[str, int, bytes]


@dataclass(frozen=True, slots=True)
class ArticleMeta:
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
class FormerSlug:
    """An address that an article had before."""

    slug: str
    locale: str
    article_id: str


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link inside the help center leads; without a card to what is no article, or to nothing."""

    fragment: str
    exists: bool
    card: ArticleMeta | None = None
    has_moved: bool = False


@dataclass(frozen=True)
class HelpCenter:
    """The articles of one help center; `home` is its address, `locale` the language that no address names."""

    home: str
    locale: str
    cards: list[ArticleMeta]
    readings: dict[str, TextAnalysis] = field(default_factory=dict)
    former: list[FormerSlug] = field(default_factory=list)
    collections: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()

    @cached_property
    def by_id(self) -> dict[str, ArticleMeta]:
        return {card.id: card for card in self.cards}

    @cached_property
    def by_slug(self) -> dict[tuple[str, str], ArticleMeta]:
        return {(card.locale, card.slug): card for card in self.cards}

    @cached_property
    def moved(self) -> dict[tuple[str, str], ArticleMeta]:
        known = [(former, self.by_id.get(former.article_id)) for former in self.former]
        return {(former.locale, former.slug): card for former, card in known if card is not None}

    @cached_property
    def titles(self) -> dict[tuple[str, str], list[ArticleMeta]]:
        found: dict[tuple[str, str], list[ArticleMeta]] = defaultdict(list)
        for card in self.cards:
            if card.is_live:
                found[card.locale, plain(card.title)].append(card)
        return found

    @cached_property
    def bands(self) -> dict[Band, list[ArticleMeta]]:
        found: dict[Band, list[ArticleMeta]] = defaultdict(list)
        for card in self.cards:
            for band in self.lsh_bands(card) if card.is_live else ():
                if len(found[band]) <= COMPARED_NEIGHBOURS:
                    found[band].append(card)
        return found

    def lsh_bands(self, card: ArticleMeta) -> Iterator[Band]:
        sketch = self.minhash(card)
        for start in range(0, len(sketch), BAND):
            band = sketch[start : start + BAND]
            if band != EMPTY_BAND:
                yield card.locale, start, band

    def is_outdated(self, card: ArticleMeta) -> bool:
        """Whether the article that this one translates has another text since."""
        root = self.by_id.get(card.translation_of) if card.translation_of else None
        return root is not None and root.text_changed_at > card.text_changed_at

    def minhash(self, card: ArticleMeta) -> bytes:
        return self.readings[card.id].minhash if card.id in self.readings else b""

    def same_title(self, card: ArticleMeta) -> ArticleMeta | None:
        """Another live article of this title."""
        same = self.titles.get((card.locale, plain(card.title)), [])
        return next((other for other in same if other.id != card.id), None)

    def near_duplicate(self, card: ArticleMeta) -> ArticleMeta | None:
        """Another live article that says nearly the same."""
        sketch = self.minhash(card)
        seen = {card.id}
        for band in self.lsh_bands(card):
            for other in self.bands.get(band, ()):
                if other.id not in seen:
                    seen.add(other.id)
                    if jaccard_estimate(sketch, self.minhash(other)) >= limits.MIN_DUPLICATE_SIMILARITY:
                        return other
        return None

    def target(self, card: ArticleMeta, href: str) -> Target | None:
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

    def address(self, card: ArticleMeta) -> str:
        return self.home + path_of_article(self.locale, card.locale, card.slug)
