"""Reads MkDocs and Zensical: their configuration, navigation, and Python-Markdown."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from instep.transfer.imports.markdown.fields import Fields, Value, named_fields, read_settings
from instep.transfer.imports.markdown.hidden_code import HiddenCode
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.python_markdown import (
    plain_python_markdown,
    remove_languages_of_spans,
    replace_formulas,
)
from instep.transfer.imports.markdown.snippets import Snippets
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.folders import (
    folder_entries,
    is_index,
    join,
    page_paths,
    places_by_language,
    translations,
)
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    ImportedRedirect,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    without_file,
)
from instep.transfer.imports.tree.site_looks import tell_looks

# Zensical also reads its own file first.
_CONFIGURATIONS = ("zensical.toml", "mkdocs.yml", "mkdocs.yaml")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def recognises(files: SourceFiles) -> bool:
    return _configuration_path(files) is not None


def read(files: SourceFiles, losses: Losses) -> Tree:
    site = _read_site(files)
    paths = page_paths(files, site.root)
    places = places_by_language(paths, site.root, site.locale)
    originals = translations(places, site.locale)
    titles = dict(_titles(site.configuration.items("nav"), site.root))
    snippets = Snippets(files, site.root, site.configuration)
    pages = {
        path: _page(
            read_page(path, files.read(path), losses),
            site,
            places[path].locale,
            originals.get(path),
            titles,
            snippets,
        )
        for path in paths
    }
    nav = site.configuration.items("nav")
    entries = _entries(nav, site, pages, losses) if nav else folder_entries(pages, site.root)
    arranged = arrange(entries, pages, losses, is_declared=bool(nav))
    tell_looks("mkdocs", losses, site.path, site.configuration.values)
    redirects = _redirects(site, pages)
    return Tree(
        *("mkdocs", site.locale, *arranged),
        redirects=redirects,
        sites=site.sites,
        static_folders=(site.root,),
    )


@dataclass(frozen=True, slots=True)
class _Site:
    path: str
    configuration: Fields
    root: str
    locale: str | None
    sites: tuple[str, ...]
    has_folders: bool

    def extends(self, name: str) -> bool:
        """True if the site uses an extension of Markdown with this name."""
        return name in str(self.configuration.values.get("markdown_extensions"))

    def address(self, path: str) -> str:
        """The public path of a page: a folder, unless the site's settings choose file names."""
        bare = without_extension(path.removeprefix(f"{self.root}/"))
        if not self.has_folders:
            return f"/{posixpath.dirname(bare)}/index.html" if is_index(path) else f"/{bare}.html"
        folder = posixpath.dirname(bare) if is_index(path) else bare
        return f"/{folder}/" if folder else "/"


def _configuration_path(files: SourceFiles) -> str | None:
    paths = set(files.paths())
    return next((path for path in _CONFIGURATIONS if path in paths), None)


def _read_site(files: SourceFiles) -> _Site:
    path = _configuration_path(files)
    if path is None:
        raise without_file("mkdocs.yml")
    configuration = read_settings(files, path)
    configuration = configuration.fields("project") if path.endswith(".toml") else configuration
    url = configuration.text("site_url").rstrip("/")
    base = "/" + url.partition("://")[2].partition("/")[2]
    return _Site(
        path,
        configuration,
        posixpath.normpath(configuration.text("docs_dir") or "docs"),
        configuration.fields("theme").text("language") or None,
        tuple(filter(None, (url, base if base != "/" else ""))),
        configuration.text("use_directory_urls") != "false",
    )


def _page(
    page: SourcePage,
    site: _Site,
    locale: str | None,
    original: str | None,
    titles: Mapping[str, str],
    snippets: Snippets,
) -> ImportedPage:
    address = site.address(page.path)

    def transform(text: str, code: HiddenCode) -> str:
        text = replace_formulas(text, code) if site.extends("arithmatex") else text
        if site.extends("inlinehilite"):
            remove_languages_of_spans(code)
        return plain_python_markdown(text, page, snippets.appended, address)

    plain = plain_page(snippets.include(page), transform, titles.get(page.path, ""))
    fields = page.fields
    dated = _DATE.match(fields.text("date") or fields.fields("date").text("created"))
    # The blog plugin puts the date and the slug in the address of a post.
    blog = page.path.partition("/posts/")[0].removeprefix(site.root)
    posts = (
        f"{blog}/{dated[1]}/{dated[2]}/{dated[3]}/{fields.text('slug')}/"
        if dated and fields.text("slug")
        else ""
    )
    return replace(
        plain,
        locale=locale,
        address=posts or address,
        former_addresses=(address,) if posts else (),
        slug=fields.text("slug") or None,
        translation_of=original,
    )


def _titles(nav: list[Value], root: str) -> list[tuple[str, str]]:
    """The titles in the navigation, by the path of the page."""
    titles: list[tuple[str, str]] = []
    for item in nav:
        for title, value in item.items() if isinstance(item, dict) else ():
            if isinstance(value, list):
                titles += _titles(value, root)
            elif isinstance(value, str):
                titles.append((join(root, value), title))
    return titles


def _entries(nav: list[Value], site: _Site, pages: Mapping[str, ImportedPage], losses: Losses) -> list[Entry]:
    entries: list[Entry] = []
    for item in nav:
        for title, value in item.items() if isinstance(item, dict) else [("", item)]:
            if isinstance(value, list):
                entries.append(Entry(title, None, _entries(value, site, pages, losses)))
            elif isinstance(value, str) and (path := join(site.root, value)) in pages:
                entries.append(Entry(title or pages[path].title, path))
            elif isinstance(value, str):
                losses.add(site.path, f"navigation entry that is not a page: {title or value}")
    return entries


def _redirects(site: _Site, pages: Mapping[str, ImportedPage]) -> tuple[ImportedRedirect, ...]:
    """The redirects of the plugin `redirects`, from files to files or URLs."""
    redirects = named_fields(site.configuration, "plugins", "redirects").fields("redirect_maps")
    rows = []
    for source, target in redirects.values.items():
        if isinstance(target, str):
            path, mark, anchor = target.partition("#")
            page = pages.get(join(site.root, path))
            target = f"{page.address}{mark}{anchor}" if page else target
            rows.append(ImportedRedirect(site.address(join(site.root, source)), target))
    return tuple(rows)


READER = Reader("mkdocs", "MkDocs or Zensical", recognises, read)
