"""Resolves a link in a source to a page, a file or an external URL.

Links in sources have many forms: relative to the file or to the page's address, with and without extension,
full URLs of the old site, former addresses of a page, and redirected addresses.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal

from instep.content.redirects.path_patterns import ANY, led_url, prefix_path
from instep.transfer.imports.plan.other_pages import OtherPage, OtherPages, PatternIndex, other_pages_of
from instep.transfer.imports.tree.folders import folders_above
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedPage, ImportedRedirect, Tree
from instep.transfer.imports.tree.url_parts import decoded_path, split_url
from instep.transfer.imports.tree.written_pictures import is_written_picture

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
PAGE_EXTENSION = re.compile(r"\.(?:mdx?|markdown|mdown|html?|rst|txt|php)$", re.IGNORECASE)
# The links of a page to its own folder.
OWN_FOLDER = (".", "./")
INDEX_PAGE = re.compile(r"(?:^|/)(?:_?index|readme)$", re.IGNORECASE)
# outside: in a part of the site or repository that is not in the source, so its content is unknown.
Kind = Literal["page", "other_page", "file", "url", "home", "same_page", "external", "outside", "broken"]


@dataclass(frozen=True, slots=True)
class SourceTarget:
    """The target of a destination; `path` is the path of a file in the source, `url` a URL on another site.

    `other_page` is a page that is not an article. If `is_exact` is false, the page is the first of a folder.
    """

    kind: Kind
    page: ImportedPage | None = None
    other_page: OtherPage | None = None
    path: str | None = None
    url: str | None = None
    fragment: str = ""
    is_exact: bool = True


# The maximum number of redirects in a row.
MAX_HOPS = 50
EXTERNAL, BROKEN, HOME = SourceTarget("external"), SourceTarget("broken"), SourceTarget("home")


@dataclass
class Directory:
    """All pages and files of a source, by all names that links may use for them."""

    tree: Tree
    file_paths: frozenset[str]
    by_key: dict[str, ImportedPage] = field(default_factory=dict)
    by_path: dict[str, ImportedPage] = field(default_factory=dict)
    by_name: dict[str, ImportedPage] = field(default_factory=dict)
    by_address: dict[str, ImportedPage] = field(default_factory=dict)
    by_folder: dict[str, ImportedPage] = field(default_factory=dict)
    patterns: PatternIndex[ImportedPage] = field(default_factory=PatternIndex)
    redirects: dict[str, str] = field(default_factory=dict)
    # Prefix redirects: their patterns with their targets.
    prefix_redirects: PatternIndex[ImportedRedirect] = field(default_factory=PatternIndex)
    translations: dict[tuple[str, str | None], ImportedPage] = field(default_factory=dict)
    languages: dict[str, list[ImportedPage]] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    # Base paths of the site; the addresses of pages may begin with those that are not `outer`.
    bases: list[str] = field(default_factory=list)
    outer_bases: set[str] = field(default_factory=set)
    other_pages: OtherPages = field(default_factory=OtherPages)

    def find(self, destination: str, page: ImportedPage, *, is_picture: bool = False) -> SourceTarget:
        """The target of a destination on a page."""
        if is_picture and is_written_picture(destination):
            return SourceTarget("file", path=destination)
        rest, _, fragment = self.without_alias(destination.strip(), page).partition("#")
        if not rest:
            return SourceTarget("same_page", page, fragment=decoded_path(fragment)) if fragment else EXTERNAL
        has_site = SCHEME.match(rest) is not None
        path = self.path_on_site(rest) if has_site else decoded_path(rest.partition("?")[0])
        if path is None:
            return EXTERNAL
        target = self.find_path(path, decoded_path(fragment), page, is_picture=is_picture)
        if target is not BROKEN:
            return target
        if has_site:
            return SourceTarget("outside", url=destination.strip())
        return self.outside_target(path, destination.strip(), page) or BROKEN

    def without_alias(self, destination: str, page: ImportedPage) -> str:
        """The destination; relative to the page if it began with an alias of the source."""
        for alias, folder in self.tree.aliases:
            if destination.startswith(alias):
                path = posixpath.join(folder, destination.removeprefix(alias))
                return posixpath.relpath(path, posixpath.dirname(page.path) or ".")
        return destination.removeprefix("pathname://")

    def outside_target(self, path: str, destination: str, page: ImportedPage) -> SourceTarget | None:
        """The target of a path outside of the source or in another part of its site; the URL if known."""
        if path.startswith("/"):
            names = (address_name(address) for address in self.without_base(path))
            if any(part_of(name) in self.parts for name in names):
                return None
            return SourceTarget("outside", url=self.origin + destination if self.origin else None)
        folders = (posixpath.dirname(base) for base, _ in self.bases_of(page))
        paths = [posixpath.normpath(posixpath.join(folder, path)) for folder in folders]
        return None if any(part_of(path) in self.folders for path in paths) else SourceTarget("outside")

    @cached_property
    def collections(self) -> dict[str, ImportedCollection]:
        return {row.key: row for row in self.tree.collections}

    @cached_property
    def parts(self) -> set[str]:
        """The parts of the site that have pages in the source."""
        addresses = chain(self.by_address, self.patterns)
        others = chain(self.other_pages.by_address, self.other_pages.patterns)
        names = chain(addresses, map(address_name, others))
        return {part_of(name) for name in names if name != "/"}

    @cached_property
    def folders(self) -> set[str]:
        """The folders of the source that contain files; the root has an empty name."""
        return {part_of(path) for path in self.file_paths} | {""}

    @cached_property
    def origin(self) -> str | None:
        """The scheme and host of the source's own site, if known from its configuration or its links."""
        sites = (split_url(site) for site in self.tree.sites if "://" in site)
        return next((f"{site.scheme}://{site.netloc}" for site in sites if site.netloc), None)

    def find_path(self, path: str, fragment: str, page: ImportedPage, *, is_picture: bool) -> SourceTarget:
        pages = (self.page_target, self.other_page_target)
        for step in (self.file_target, *pages) if is_picture else (*pages, self.file_target):
            target = step(path, fragment, page)
            if target is not None:
                return target
        if path.startswith("/"):
            home = HOME if "/" in self.without_base(path) else None
            return self.redirect_target(path, fragment) or home or self.folder_target(path)
        return HOME if "" in self.relative_candidates(path, page) else BROKEN

    def relative_candidates(self, path: str, page: ImportedPage) -> Iterator[str]:
        """Candidate paths for a relative link; the empty one is the root."""
        return (candidate for base, _ in self.bases_of(page) for candidate in candidates(base, path))

    def other_page_target(self, path: str, fragment: str, page: ImportedPage) -> SourceTarget | None:
        if path.startswith("/"):
            other_page = self.other_page_at(path)
        else:
            paths = self.relative_candidates(path, page)
            found_pages = (self.other_pages.by_path.get(candidate) for candidate in paths)
            is_own = path in OWN_FOLDER and "/" in page.path
            own_collection = self.collections.get(page.collection or "") if is_own else None
            other_page = next((row for row in found_pages if row is not None), own_collection)
        return SourceTarget("other_page", other_page=other_page, fragment=fragment) if other_page else None

    def other_page_at(self, address: str) -> OtherPage | None:
        found_pages = (self.other_pages.at_address(path) for path in self.without_base(address))
        return next((row for row in found_pages if row is not None), None)

    def folder_target(self, path: str) -> SourceTarget:
        """The first page below an address without a page."""
        pages = (self.by_folder.get(address_name(address)) for address in self.without_base(path))
        first_page = next(filter(None, pages), None)
        return SourceTarget("page", first_page, is_exact=False) if first_page else BROKEN

    def page_target(self, path: str, fragment: str, page: ImportedPage) -> SourceTarget | None:
        found_page = self.find_page(path, page)
        # In the browser, `.` may be the page itself: its author means the folder.
        if found_page is None or (found_page.key == page.key and path in OWN_FOLDER):
            return None
        return SourceTarget("page", found_page, fragment=fragment)

    def find_page(self, path: str, page: ImportedPage) -> ImportedPage | None:
        """The page at a path in a link, in the language of the linking page if the path is the original's."""
        if path.startswith("/"):
            addresses = [path, *([f"/{page.locale.lower()}{path}"] if page.locale else [])]
            if self.tree.links_keep_language:
                addresses.reverse()
            return next(filter(None, map(self.page_at, addresses)), None) or self.by_root(path, page)
        for base, is_original in self.bases_of(page):
            found_page = next(filter(None, map(self.file_page, candidates(base, path))), None)
            if found_page is not None and is_original:
                root = found_page.translation_of or found_page.key
                return self.translations.get((root, page.locale), found_page)
            if found_page is not None:
                return found_page
        # Docusaurus also reads the path of a file from the folder of all pages.
        is_file = PAGE_EXTENSION.search(path) is not None
        return self.by_relative_address(path, page) or (self.by_root(path, page) if is_file else None)

    def file_page(self, path: str) -> ImportedPage | None:
        """The page of a file, whose name may be written differently in a link."""
        return self.by_path.get(path) or self.by_name.get(name_of(path))

    def by_relative_address(self, path: str, page: ImportedPage) -> ImportedPage | None:
        """The page that a browser finds from the page's address, with and without a trailing slash."""
        if page.address is None or ANY in page.address:
            return None
        folder = page.address.rstrip("/")
        addresses = (posixpath.normpath(f"{base}/{path}") for base in (folder, posixpath.dirname(folder)))
        return next(filter(None, map(self.page_at, addresses)), None)

    def by_root(self, path: str, page: ImportedPage) -> ImportedPage | None:
        """The page of a file whose path is relative to the source's root or to a folder above the page.

        The path "/" is only the root's.
        """
        name = path.strip("/")
        paths = (posixpath.join(root, name) for root in (folders_above(page.path) if name else [""]))
        return next(filter(None, map(self.file_page, paths)), None)

    def page_at(self, address: str) -> ImportedPage | None:
        for path in self.without_base(address):
            found_page = self.by_address.get(address_name(path))
            if found_page is not None:
                return found_page
            if match := self.patterns.first_match(path):
                return match
        return None

    def without_base(self, address: str) -> Iterator[str]:
        yield address
        for base in self.bases:
            if address == base or address.startswith(f"{base}/"):
                yield address.removeprefix(base) or "/"

    def present_page(self, path: str) -> ImportedPage | None:
        """The page with this current or former address, or the target of its redirects."""
        if page := self.page_at(path):
            return page
        target = self.redirect_target(path, "")
        # The address of a folder leads to its first page, not to a page with that former address.
        return target.page if target and target.is_exact else None

    def has_place(self, path: str) -> bool:
        """True if a page or a folder of pages is at a path of the site."""
        return address_name(path) in self.by_folder or self.page_at(path) is not None

    def redirected_path(self, redirect: ImportedRedirect) -> str | None:
        """The path on the site that a redirect leads to; None for other targets, and for prefix redirects."""
        target = redirect.target
        path = self.path_on_site(target) if "://" in target else target
        return source_path(path) if path and path.startswith("/") and not redirect.is_prefix else None

    def redirect_target(self, path: str, fragment: str) -> SourceTarget | None:
        """The target of the redirects from a path; the redirect's own fragment has priority."""
        for hop in range(MAX_HOPS):
            destination = self.redirected(path)
            if destination is None:
                return self.end_of_redirects(path) if hop else None
            if SCHEME.match(destination) and self.path_on_site(destination) is None:
                return SourceTarget("url", url=destination)
            rest, _, own_fragment = destination.partition("#")
            path, fragment = self.path_on_site(rest) or decoded_path(rest), own_fragment or fragment
            found_page = self.page_at(path) or self.by_path.get(path.strip("/"))
            if found_page is not None:
                return SourceTarget("page", found_page, fragment=fragment)
            other_page = self.other_page_at(path) or self.other_pages.by_path.get(path.strip("/"))
            if other_page is not None:
                return SourceTarget("other_page", other_page=other_page, fragment=fragment)
        return None

    def end_of_redirects(self, path: str) -> SourceTarget | None:
        """The home page of the site or the first page of a folder, if redirects lead there."""
        if "/" in self.without_base(path):
            return HOME
        target = self.folder_target(path)
        return None if target is BROKEN else target

    def redirected(self, path: str) -> str | None:
        """The target of the redirect from a path."""
        for address in self.without_base(path):
            if (target := self.redirects.get(address_name(address))) is not None:
                return target
        for address in self.without_base(path):
            if (redirect := self.prefix_redirects.first_match(address)) is not None:
                return led_url(redirect.source, redirect.target, address)
        return None

    def with_bases(self, path: str, *, is_page: bool = False) -> Iterator[str]:
        """The path on the old site with each possible base path."""
        yield path
        for base in self.bases:
            is_below = path == base or path.startswith(f"{base}/")
            if not is_below or (is_page and base in self.outer_bases):
                yield f"{base}{path}"

    def file_target(self, path: str, fragment: str, page: ImportedPage) -> SourceTarget | None:
        paths = (candidate for candidate in self.file_candidates(path, page) if candidate in self.file_paths)
        found_path = next(paths, None)
        return SourceTarget("file", path=found_path, fragment=fragment) if found_path is not None else None

    def file_candidates(self, path: str, page: ImportedPage) -> Iterator[str]:
        if path.startswith("/"):
            for address in self.without_base(path):
                for folder in self.tree.static_folders:
                    yield posixpath.normpath(posixpath.join(folder, address.lstrip("/")))
                for root in folders_above(page.path):
                    yield posixpath.normpath(posixpath.join(root, address.lstrip("/")))
            return
        for base, _ in self.bases_of(page):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
        if page.address is not None:
            for base in (page.address.rstrip("/"), posixpath.dirname(page.address.rstrip("/"))):
                below = posixpath.normpath(f"{base}/{path}").lstrip("/")
                yield from (posixpath.join(folder, below) for folder in self.tree.static_folders)

    def bases_of(self, page: ImportedPage) -> Iterator[tuple[str, bool]]:
        """The files to which a link may be relative: the page's own, and its original's."""
        yield page.path, False
        original = self.by_key.get(page.translation_of or "")
        if original is not None:
            yield original.path, True

    def other_languages(self, page: ImportedPage) -> list[ImportedPage]:
        """The same page in the other languages, its original first."""
        root = page.translation_of or page.key
        return [other for other in self.languages.get(root, []) if other is not page]

    def path_on_site(self, url: str) -> str | None:
        """The path of a URL on the source's own site; None for any other URL."""
        parts = split_url(url if "://" in url else f"https:{url}")
        base = self.origins.get(parts.netloc.lower().removeprefix("www."))
        if base is None or parts.scheme not in ("http", "https"):
            return None
        path = decoded_path(parts.path) or "/"
        return path if path == base or path.startswith(f"{base}/") or not base else None

    def site_url(self, path: str) -> str | None:
        """The URL on the source's own site of a file in a static folder."""
        origin = next((site.rstrip("/") for site in self.tree.sites if "://" in site), None)
        for folder in self.tree.static_folders:
            prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
            if origin and path.startswith(prefix):
                return f"{origin}/{path.removeprefix(prefix)}"
        return None


def directory_of(tree: Tree, paths: Iterable[str]) -> Directory:
    """Index a tree; of two pages with the same name, the first one gets it."""
    directory = Directory(tree, frozenset(paths))
    for site in tree.sites:
        add_site(directory, site)
    directory.other_pages = other_pages_of(tree)
    for page in tree.pages:
        add_page(directory, page)
    # A page's current address has priority over other pages' former ones.
    for page in tree.pages:
        add_addresses(directory, page, [page.address] if page.address else [])
    for page in tree.pages:
        add_addresses(directory, page, page.former_addresses)
    for redirect in tree.redirects:
        add_redirect(directory, redirect)
    directory.bases += [base for base in bases_of_redirects(directory) if base not in directory.bases]
    addresses = [f"{page.address}/" for page in tree.pages if page.address]
    for base in directory.bases:
        if not all(address.startswith(f"{base}/") for address in addresses):
            directory.outer_bases.add(base)
    return directory


def add_site(directory: Directory, site: str) -> None:
    parts = split_url(site if "://" in site else f"https://{'' if site.startswith('/') else '/'}{site}")
    base = parts.path.rstrip("/")
    if parts.netloc:
        directory.origins.setdefault(parts.netloc.lower().removeprefix("www."), base)
    if base and base not in directory.bases:
        directory.bases.append(base)
    if base and site.startswith("/"):
        directory.outer_bases.add(base)


def add_redirect(directory: Directory, redirect: ImportedRedirect) -> None:
    path = source_path(redirect.source)
    if not redirect.is_prefix:
        directory.redirects.setdefault(address_name(path), redirect.target)
        return
    # The plan reports a redirect that can't be stored.
    with suppress(ValueError):
        pattern = prefix_path(path)
        directory.prefix_redirects.add(pattern, ImportedRedirect(pattern, redirect.target))


def bases_of_redirects(directory: Directory) -> list[str]:
    """The base path, if no setting contains it: most redirects lead to pages below it."""
    counts: Counter[str] = Counter()
    targets = list(filter(None, map(directory.redirected_path, directory.tree.redirects)))
    for path in targets:
        base, rest = split_base(path)
        counts[base] += rest != "/" and not directory.has_place(path) and directory.has_place(rest)
    return [base for base, count in counts.items() if count * 2 > len(targets)]


def split_base(path: str) -> tuple[str, str]:
    """The first segment of a path, and the rest, each with a slash before it."""
    base, _, rest = path.lstrip("/").partition("/")
    return f"/{base}", f"/{rest}"


def add_page(directory: Directory, page: ImportedPage) -> None:
    directory.by_key.setdefault(page.key, page)
    directory.by_path.setdefault(page.path, page)
    directory.by_name.setdefault(name_of(page.path), page)
    directory.translations.setdefault((page.translation_of or page.key, page.locale), page)
    directory.languages.setdefault(page.translation_of or page.key, []).append(page)


def add_addresses(directory: Directory, page: ImportedPage, addresses: Iterable[str]) -> None:
    for address in addresses:
        path = source_path(address)
        if ANY in path:
            directory.patterns.add(path, page)
        else:
            directory.by_address.setdefault(address_name(path), page)
            for folder in addresses_above(path):
                directory.by_folder.setdefault(folder, page)


def source_path(address: str) -> str:
    """The path of an address, which is a full URL or a path."""
    path = split_url(address).path if "://" in address else address.partition("#")[0].partition("?")[0]
    return decoded_path(path) if path.startswith("/") else f"/{decoded_path(path)}"


def part_of(path: str) -> str:
    """The first folder of a path; empty if there is none."""
    part, separator, _ = path.strip("/").partition("/")
    return part if separator else ""


def candidates(base: str, path: str) -> Iterator[str]:
    """Candidate paths for a relative link in the file `base`; a link to the folder is none to the page."""
    as_folder = () if path in OWN_FOLDER else (PAGE_EXTENSION.sub("", base),)
    for folder in (posixpath.dirname(base), *as_folder):
        candidate = posixpath.normpath(posixpath.join(folder, path))
        if not candidate.startswith(".."):
            yield candidate if candidate != "." else ""


def addresses_above(path: str) -> Iterator[str]:
    """The names of all addresses above an address, nearest first, without the root."""
    folder = posixpath.dirname(path.rstrip("/"))
    # A path may begin with several slashes, which are then also its root's.
    while folder.strip("/"):
        yield address_name(folder)
        folder = posixpath.dirname(folder)


def name_of(path: str) -> str:
    """A path without the parts that links may write differently: extension, index page, case, spaces."""
    bare = PAGE_EXTENSION.sub("", path.rstrip("/"))
    return INDEX_PAGE.sub("", bare).casefold().replace(" ", "-")


def address_name(path: str) -> str:
    return name_of("/" + path.strip("/")) or "/"
