"""The addresses that the pages of a source get in the help center, as articles link to each other."""

from collections.abc import Mapping
from dataclasses import dataclass

from instep.articles.paths import path_of_article
from instep.imports.addresses import SourceTarget
from instep.imports.other_pages import Changelog
from instep.imports.tree import ImportedCollection, ImportedPage


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """Addresses below the root of the installation.

    `pages` are the language and slug of each page, `collections` and `entries` the slugs, all by their keys.
    """

    bot_slug: str
    bot_locale: str
    pages: Mapping[str, tuple[str, str]]
    collections: Mapping[str, str]
    entries: Mapping[str, str]

    @property
    def home(self) -> str:
        return f"/help/{self.bot_slug}/"

    def of_page(self, page: ImportedPage) -> str:
        locale, slug = self.pages[page.key]
        return f"/help/{self.bot_slug}" + path_of_article(self.bot_locale, locale, slug)

    def of_other_page(self, target: SourceTarget) -> str:
        """The address of a page that is no article, with the place in it."""
        assert target.other_page is not None, "the target is another page"
        fragment = f"#{target.fragment}" if target.fragment else ""
        if isinstance(target.other_page, Changelog):
            return f"{self.home}changelog{fragment}"
        if isinstance(target.other_page, ImportedCollection):
            return f"{self.home}collections/{self.collections[target.other_page.key]}{fragment}"
        return f"{self.home}changelog/{self.entries[target.other_page.key]}{fragment}"
