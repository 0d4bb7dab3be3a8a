"""The slugs and addresses of a source's pages in the help center, and the targets of its redirects."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote

from instep.content.articles.paths import path_of_article, path_of_locale
from instep.content.redirects.path_patterns import ANY, FIXED_PAGE, segments_of
from instep.content.redirects.schemas import valid_target
from instep.platform.core import limits
from instep.platform.text.slugs import free_slug, is_slug, slugify
from instep.transfer.imports.plan.addresses import PAGE_EXTENSION, SourceTarget, source_path
from instep.transfer.imports.plan.other_pages import Changelog
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage

CHANGELOG = "/changelog"
# Characters that are kept in a whole URL (RFC 3986, section 2.2), and those already encoded.
URL_CHARACTERS = ":/?#[]@!$&'()*+,;=~%"


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page of the help center: a noun phrase for it, and the key of the page it was imported from."""

    name: str
    page_key: str | None = None


@dataclass(frozen=True)
class SiteAddresses:
    """Addresses of pages, below the root of the installation.

    `pages` are the language and slug of each page, `collections` and `entries` the slugs, all by their keys.
    `sections` are the lists that have a page in a language: the key of a collection, or None for the home
    page, with the language.
    """

    bot_slug: str
    bot_locale: str
    pages: Mapping[str, tuple[str, str]]
    collections: Mapping[str, str]
    entries: Mapping[str, str]
    has_changelog: bool = False
    sections: Set[tuple[str | None, str]] = frozenset()

    @property
    def home(self) -> str:
        return f"/help/{self.bot_slug}/"

    def of_section(self, key: str | None, page: ImportedPage | None) -> str:
        """The address of a collection or of the home page, in the language of the page with the link."""
        locale = self.pages[page.key][0] if page and page.key in self.pages else self.bot_locale
        prefix = path_of_locale(self.bot_locale, locale) if (key, locale) in self.sections else ""
        below = "" if key is None else f"collections/{self.collections[key]}"
        return f"/help/{self.bot_slug}{prefix}/{below}"

    def of_page(self, page: ImportedPage) -> str:
        locale, slug = self.pages[page.key]
        return f"/help/{self.bot_slug}" + path_of_article(self.bot_locale, locale, slug)

    def of_other_page(self, target: SourceTarget, page: ImportedPage | None = None) -> str:
        """The address of a page that is not an article, with the fragment; `page` has the link to it."""
        assert target.other_page is not None, "the target is another page"
        fragment = f"#{target.fragment}" if target.fragment else ""
        if isinstance(target.other_page, Changelog):
            return f"{self.home}changelog{fragment}"
        if isinstance(target.other_page, ImportedCollection):
            return f"{self.of_section(target.other_page.key, page)}{fragment}"
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


def redirect_url(url: str) -> str:
    """A URL of the source in ASCII, as in redirects; raises `ValueError` with the reason as a clause."""
    if not url.isprintable():
        raise ValueError("it contains invisible characters")
    encoded = valid_target(quote(url, safe=URL_CHARACTERS))
    if len(encoded) > limits.MAX_REDIRECT_URL_CHARACTERS:
        raise ValueError(f"it is longer than {limits.MAX_REDIRECT_URL_CHARACTERS:,} characters")
    return encoded


def slug_of_page(page: ImportedPage, taken: set[str]) -> str:
    """The slug of a new article: the source's own, or from the end of its address, or from its title."""
    return first_free([page.slug, *names_in(page)], page.title, "article", taken)


def names_in(page: ImportedPage) -> Iterable[str]:
    """The last segment of the address, then the last two, which distinguish pages with the same name."""
    if page.address is None or ANY in page.address:
        return []
    segments = [unquote(part) for part in segments_of(PAGE_EXTENSION.sub("", source_path(page.address)))]
    # A number alone is less descriptive than the title.
    if segments and segments[-1].isdigit():
        return []
    return ["-".join(segments[-count:]) for count in (1, 2) if len(segments) >= count]


def first_free(names: Iterable[str | None], title: str, fallback: str, taken: set[str]) -> str:
    """Reserve the first name that is free as a slug; if none is, the first name with a number."""
    slugs = [slug for name in names if name and (slug := slugify(name, ""))]
    slugs = slugs or [slugify(title, fallback)]
    free = (slug for slug in slugs if slug not in taken and is_slug(slug))
    slug = next(free, "") or free_slug(slugs[0], taken)
    taken.add(slug)
    return slug
