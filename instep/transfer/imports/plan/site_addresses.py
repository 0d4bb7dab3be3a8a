"""The addresses of a source's pages in the help center, as used in links between articles."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from instep.content.articles.paths import path_of_article
from instep.content.redirects.path_patterns import FIXED_PAGE
from instep.transfer.imports.plan.addresses import SourceTarget
from instep.transfer.imports.plan.other_pages import Changelog
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage

CHANGELOG = "/changelog"


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page of the help center: a noun phrase for it, and the key of the page it was imported from."""

    name: str
    page_key: str | None = None


@dataclass(frozen=True)
class SiteAddresses:
    """Addresses of pages, below the root of the installation.

    `pages` are the language and slug of each page, `collections` and `entries` the slugs, all by their keys.
    """

    bot_slug: str
    bot_locale: str
    pages: Mapping[str, tuple[str, str]]
    collections: Mapping[str, str]
    entries: Mapping[str, str]
    has_changelog: bool = False

    @property
    def home(self) -> str:
        return f"/help/{self.bot_slug}/"

    def of_page(self, page: ImportedPage) -> str:
        locale, slug = self.pages[page.key]
        return f"/help/{self.bot_slug}" + path_of_article(self.bot_locale, locale, slug)

    def of_other_page(self, target: SourceTarget) -> str:
        """The address of a page that is not an article, with the fragment."""
        assert target.other_page is not None, "the target is another page"
        fragment = f"#{target.fragment}" if target.fragment else ""
        if isinstance(target.other_page, Changelog):
            return f"{self.home}changelog{fragment}"
        if isinstance(target.other_page, ImportedCollection):
            return f"{self.home}collections/{self.collections[target.other_page.key]}{fragment}"
        return f"{self.home}changelog/{self.entries[target.other_page.key]}{fragment}"

    def answer_at(self, path: str) -> "OwnPage | None":
        """The page at a path of the help center, which prevents redirects from there."""
        if FIXED_PAGE.fullmatch(path) and (self.has_changelog or not path.startswith(CHANGELOG)):
            return OwnPage("a page")
        return self.own_pages.get(path) or self.first_pages.get(path.lower())

    @cached_property
    def first_pages(self) -> dict[str, "OwnPage"]:
        """The home page in each language, by its path in lower case, because any case leads there."""
        locales = {self.bot_locale, *(locale for locale, _ in self.pages.values())}
        return {f"/{locale.lower()}": OwnPage("the home page in this language") for locale in locales}

    @cached_property
    def own_pages(self) -> dict[str, "OwnPage"]:
        """The articles and other pages of the source, by their paths in the help center."""
        pages = {f"/changelog/{slug}": OwnPage("a changelog entry") for slug in self.entries.values()}
        pages |= {f"/collections/{slug}": OwnPage("a collection") for slug in self.collections.values()}
        for key, (locale, slug) in self.pages.items():
            pages[path_of_article(self.bot_locale, locale, slug)] = OwnPage("another article", key)
        return pages
