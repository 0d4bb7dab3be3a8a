"""Reads Jekyll: `_config.yml`, collections, permalinks, Liquid, and kramdown's Markdown."""

import posixpath
from dataclasses import replace

from instep.transfer.imports.markdown.fields import Value, read_yaml
from instep.transfer.imports.markdown.kramdown import plain_kramdown
from instep.transfer.imports.markdown.liquid_templates import LiquidTemplates
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.readers.jekyll_navigation import jekyll_entries
from instep.transfer.imports.readers.jekyll_site import CONFIGURATION, JekyllSite, read_jekyll_site
from instep.transfer.imports.tree.folders import page_paths, translations
from instep.transfer.imports.tree.navigation import arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree, read_text
from instep.transfer.imports.tree.site_looks import tell_looks


def recognises(files: SourceFiles) -> bool:
    return CONFIGURATION in set(files.paths())


def read(files: SourceFiles, losses: Losses) -> Tree:
    site = read_jekyll_site(files)
    paths = [path for path in page_paths(files) if site.has_page(path)]
    sources = {path: site.with_defaults(read_page(path, files.read(path), losses)) for path in paths}
    # Jekyll copies files without front matter unchanged, so they are not pages.
    sources = {path: page for path, page in sources.items() if page.fields.values}
    places = {path: site.place(page) for path, page in sources.items()}
    originals = translations(places, site.locale)
    templates = LiquidTemplates(files, {**site.configuration.values, "data": _data(files)})
    pages = {
        path: _page(replace(page, body=templates.render(page)), site, originals.get(path))
        for path, page in sources.items()
    }
    arranged = arrange(jekyll_entries(sources, pages), pages, losses)
    tell_looks("jekyll", losses, CONFIGURATION, site.configuration.values)
    return Tree("jekyll", site.locale, *arranged, sites=site.sites, static_folders=("",))


def _data(files: SourceFiles) -> Value:
    """The values of `_data`, by the names of folders and files, without unreadable files."""
    data: dict[str, Value] = {}
    for path in files.paths():
        if path.startswith("_data/") and path.endswith((".yml", ".yaml")):
            *folders, name = posixpath.splitext(path.removeprefix("_data/"))[0].split("/")
            values = data
            for folder in folders:
                inner = values.setdefault(folder, {})
                values = inner if isinstance(inner, dict) else {}
            try:
                values[name] = read_yaml(read_text(files, path))
            except ValueError:
                continue
    return data


def _page(page: SourcePage, site: JekyllSite, original: str | None) -> ImportedPage:
    title = page.fields.text("nav_title", "meta_title")
    plain = plain_page(page, lambda text, code: plain_kramdown(text), title)
    fields = page.fields
    is_draft = fields.text("published") == "false" or "/_drafts/" in f"/{page.path}"
    return replace(
        plain,
        locale=site.place(page).locale,
        address=site.address(page),
        former_addresses=tuple(fields.texts("redirect_from")),
        slug=fields.text("slug") or None,
        translation_of=original,
        description=fields.text("description", "excerpt") or None,
        status="draft" if is_draft else "published",
    )


READER = Reader("jekyll", "Jekyll", recognises, read)
