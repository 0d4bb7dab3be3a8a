"""All articles of a help center: their addresses, and near-duplicates among their texts.

Near-duplicates are found by MinHash and locality-sensitive hashing: articles that share a band of their
signatures are compared.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote, urldefrag, urljoin

from instep.content.articles.paths import path_of_article
from instep.content.redirects.path_patterns import anchor_of, anchors_of, is_match
from instep.platform.core import limits
from instep.visitors.insights.health.checks_text import normalized
from instep.visitors.insights.health.text_analysis import TextAnalysis, jaccard_estimate

ARTICLE = re.compile(r"/(?:([^/]+)/)?articles/([^/]+)")
COLLECTION = re.compile(r"/collections/([^/]+)")
OWN_PAGES = re.compile(r"/(?:[^/]+/)?(?:articles|collections)(?:/.*)?")
# Bytes of a band: four bins of a signature.
BAND_BYTES = 4 * array("I").itemsize
EMPTY_BAND = b"\xff" * BAND_BYTES
# An article is compared with at most this many others of a band.
MAX_BAND_CANDIDATES = 3
# The locale, the offset in the signature in bytes, and the bins at that offset.
Band = tuple[str, int, bytes]


@dataclass(frozen=True, slots=True)
class ArticleMeta:
    """An article without its text; `size` is that of the text in bytes."""

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
    translated_version: int | None
    # Articles of one family are about one topic, for different versions of the product.
    family: str = ""

    @property
    def is_live(self) -> bool:
        return self.status == "published"

    def is_counterpart_of(self, other: "ArticleMeta") -> bool:
        """True for the article itself, and for one about the same topic for other versions of the product."""
        return self.id == other.id or (self.family != "" and self.family == other.family)


@dataclass(frozen=True, slots=True)
class FormerSlug:
    """A former address of an article."""

    slug: str
    locale: str
    article_id: str


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a link inside the help center; without an article, another page or nothing."""

    fragment: str
    exists: bool
    article: ArticleMeta | None = None
    has_moved: bool = False


@dataclass(frozen=True)
class HelpCenter:
    """The articles of one help center at the address `home`; paths do not name its own language, `locale`.

    `analyses` are by article id. `collections` are slugs, `redirects` are paths and patterns, `waiting` are
    ids of articles with a stale edit.
    """

    home: str
    locale: str
    articles: list[ArticleMeta]
    analyses: dict[str, TextAnalysis] = field(default_factory=dict)
    former_slugs: list[FormerSlug] = field(default_factory=list)
    collections: frozenset[str] = frozenset()
    redirects: list[str] = field(default_factory=list)
    waiting: frozenset[str] = frozenset()
    # Its URL on its own host; texts may use both.
    own_host: str = ""

    @cached_property
    def by_id(self) -> dict[str, ArticleMeta]:
        return {article.id: article for article in self.articles}

    @cached_property
    def by_slug(self) -> dict[tuple[str, str], ArticleMeta]:
        return {(article.locale, article.slug): article for article in self.articles}

    @cached_property
    def moved(self) -> dict[tuple[str, str], ArticleMeta]:
        return {
            (former.locale, former.slug): self.by_id[former.article_id]
            for former in self.former_slugs
            if former.article_id in self.by_id
        }

    @cached_property
    def live_by_title(self) -> dict[tuple[str, str], list[ArticleMeta]]:
        groups: dict[tuple[str, str], list[ArticleMeta]] = defaultdict(list)
        for article in self.articles:
            if article.is_live:
                groups[article.locale, normalized(article.title)].append(article)
        return groups

    @cached_property
    def live_by_band(self) -> dict[Band, list[ArticleMeta]]:
        groups: dict[Band, list[ArticleMeta]] = defaultdict(list)
        for article in self.articles:
            for band in self.lsh_bands(article) if article.is_live else ():
                # One more than are compared, because the article itself may be among them.
                if len(groups[band]) <= MAX_BAND_CANDIDATES:
                    groups[band].append(article)
        return groups

    @cached_property
    def redirects_by_anchor(self) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = defaultdict(list)
        for redirect in self.redirects:
            groups[anchor_of(redirect)].append(redirect)
        return groups

    def lsh_bands(self, article: ArticleMeta) -> Iterator[Band]:
        signature = self.minhash(article)
        for start in range(0, len(signature), BAND_BYTES):
            band = signature[start : start + BAND_BYTES]
            if band != EMPTY_BAND:
                yield article.locale, start, band

    def is_outdated(self, article: ArticleMeta) -> bool:
        """True if the text of the article that this one translates has changed since."""
        root = self.by_id.get(article.translation_of) if article.translation_of else None
        return root is not None and root.version > (article.translated_version or 0)

    def minhash(self, article: ArticleMeta) -> bytes:
        return self.analyses[article.id].minhash if article.id in self.analyses else b""

    def same_title(self, article: ArticleMeta) -> ArticleMeta | None:
        """Another live article of this title."""
        namesakes = self.live_by_title.get((article.locale, normalized(article.title)), [])
        return next((other for other in namesakes if not other.is_counterpart_of(article)), None)

    def near_duplicate(self, article: ArticleMeta) -> ArticleMeta | None:
        """Another live article with nearly the same text."""
        signature = self.minhash(article)
        compared_ids = {article.id}
        for band in self.lsh_bands(article):
            for other in self.live_by_band.get(band, ()):
                if other.id not in compared_ids and not other.is_counterpart_of(article):
                    compared_ids.add(other.id)
                    if jaccard_estimate(signature, self.minhash(other)) >= limits.MIN_DUPLICATE_SIMILARITY:
                        return other
        return None

    def target(self, article: ArticleMeta, href: str) -> Target | None:
        """The target of an article's link, as a browser resolves it; None outside this help center."""
        if href.startswith("#"):
            return Target(unquote(href[1:]), True, article)
        if self.own_host and href.startswith(f"{self.own_host}/"):
            href = self.home + href.removeprefix(self.own_host)
        if href.startswith(("http://", "https://")) and not href.startswith(self.home):
            return None
        try:
            address, fragment = urldefrag(urljoin(self.address(article), href))
        except ValueError:
            return None
        path = unquote(address.removeprefix(self.home).partition("?")[0])
        if not address.startswith(f"{self.home}/") or not OWN_PAGES.fullmatch(path):
            return None
        return self.page(path, unquote(fragment))

    def page(self, path: str, fragment: str) -> Target:
        if (match := COLLECTION.fullmatch(path)) and match[1] in self.collections:
            return Target(fragment, True)
        if match := ARTICLE.fullmatch(path):
            key = (match[1] or self.locale, match[2])
            if key in self.by_slug:
                return Target(fragment, True, self.by_slug[key])
            if key in self.moved:
                return Target(fragment, True, self.moved[key], has_moved=True)
        return Target(fragment, self.is_redirected(path))

    def is_redirected(self, path: str) -> bool:
        """True if this path has a redirect."""
        candidates = (self.redirects_by_anchor.get(anchor, ()) for anchor in anchors_of(path))
        return any(is_match(redirect, path) for redirects in candidates for redirect in redirects)

    def address(self, article: ArticleMeta) -> str:
        return self.home + path_of_article(self.locale, article.locale, article.slug)
