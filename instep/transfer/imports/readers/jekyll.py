"""Reads Jekyll: `_config.yml`, collections, permalinks, Liquid, and kramdown's Markdown."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from instep.transfer.imports.html.callout_kinds import ALERT_KINDS
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.definition_lists import replace_definition_lists
from instep.transfer.imports.markdown.emoji_codes import replace_emoji_codes
from instep.transfer.imports.markdown.fields import Fields, Value, read_settings, read_yaml
from instep.transfer.imports.markdown.liquid_templates import LiquidTemplates
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.tree.file_names import name_order, title_of_name, with_ending, without_extension
from instep.transfer.imports.tree.folders import (
    PagePlace,
    folder_entries,
    is_index,
    locale_of_name,
    page_paths,
    translations,
)
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    read_text,
    without_file,
)
from instep.transfer.imports.tree.site_looks import tell_looks

CONFIGURATION = "_config.yml"
_BUILT_FOLDERS = ("_site/", "node_modules/", "vendor/")
_DATED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})-(.+)$")
_SUFFIX = re.compile(r"(.+)\._?([a-z]{2}(?:[-_][A-Za-z]{2,4})?)$")
_STYLES = {
    "date": "/:categories/:year/:month/:day/:title.html",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "none": "/:categories/:title.html",
}
_LAST = 1e9
_CONTENTS = re.compile(
    r"^[ \t]*+(?:[-*+]|\d++\.)[ \t][^\n]*+\n[ \t]*+\{:[ \t]*+toc\b[^}\n]*+\}[ \t]*$", re.MULTILINE
)
_EXTENSION = re.compile(r"\{:(?::[^{}\n]*|/[^{}\n]*|[\w-]+:[^{}\n]*|[ \t]*toc[^{}\n]*|[ \t]*)\}")
_CLASS_LINE = re.compile(r"[ \t]*\{:[ \t]*\.([\w-]+)[^{}\n]*\}[ \t]*$")
_TITLE_ENDING = "-title"


@dataclass(frozen=True, slots=True)
class JekyllSite:
    """`collections` are the permalinks of the collections by their folders."""

    configuration: Fields
    collections: Mapping[str, str]
    locale: str | None
    sites: tuple[str, ...]

    def has_page(self, path: str) -> bool:
        """True if Jekyll generates a page from a file with front matter."""
        patterns = self.configuration.texts("exclude")
        if path.startswith(_BUILT_FOLDERS) or any(_is_below(path, pattern) for pattern in patterns):
            return False
        folders = posixpath.dirname(path).split("/")
        is_special = any(folder.startswith("_") and folder not in ("_posts", "_drafts") for folder in folders)
        return not is_special or self.collection_of(path) is not None

    def collection_of(self, path: str) -> str | None:
        return next((folder for folder in self.collections if path.startswith(f"{folder}/")), None)

    def with_defaults(self, page: SourcePage) -> SourcePage:
        """A page with the configuration's default values for its folder."""
        values: dict[str, Value] = {}
        for item in self.configuration.items("defaults"):
            scope = Fields(item if isinstance(item, dict) else {})
            if _is_below(page.path, scope.fields("scope").text("path")) and page.fields.values:
                values |= scope.fields("values").values
        return replace(page, fields=Fields({**values, **page.fields.values}))

    def place(self, page: SourcePage) -> PagePlace:
        """The language of a page: from its front matter, or from its file name."""
        bare = without_extension(page.path)
        suffix = _SUFFIX.match(bare)
        named = locale_of_name(suffix[2]) if suffix else None
        code = page.fields.text("lang", "locale", "language")
        locale = locale_of_name(code) or named or self.locale
        return PagePlace(suffix[1] if suffix and named else bare, locale)

    def address(self, page: SourcePage) -> str:
        """The public path of a page: from its permalink, its collection's permalink, or its file."""
        if permalink := page.fields.text("permalink"):
            return f"/{permalink.lstrip('/')}" if ":" not in permalink else self._filled(permalink, page)
        folder = self.collection_of(page.path)
        if folder is not None:
            return self._filled(self.collections[folder] or "/:collection/:path/", page)
        style = self.configuration.text("permalink") or "date"
        if "/_posts/" in f"/{page.path}":
            return self._filled(_STYLES.get(style, style), page)
        bare = without_extension(page.path)
        ending = "/" if style == "pretty" or style.endswith("/") else ".html"
        if is_index(bare):
            return f"/{posixpath.dirname(bare)}/".replace("//", "/")
        return f"/{bare}{ending}"

    def _filled(self, template: str, page: SourcePage) -> str:
        """A permalink with its placeholders replaced."""
        folder = self.collection_of(page.path) or ""
        bare = without_extension(page.path.removeprefix(f"{folder}/"))
        name = posixpath.basename(bare)
        dated = _DATED.match(name)
        slug = page.fields.text("slug") or (dated[4] if dated else name)
        values = {
            "collection": posixpath.basename(folder).lstrip("_"),
            "path": bare,
            "name": name,
            "title": slug,
            "slug": slug,
            "year": dated[1] if dated else "",
            "month": dated[2] if dated else "",
            "day": dated[3] if dated else "",
            "categories": "/".join(page.fields.texts("categories") or page.fields.texts("category")),
            "output_ext": ".html",
        }
        return re.sub(
            r"/{2,}", "/", "/" + re.sub(r":(\w+)", lambda field: values.get(field[1], ""), template)
        )


def read_jekyll_site(files: SourceFiles) -> JekyllSite:
    """The settings of a site; raises `UnreadableSource` if they are not YAML."""
    if CONFIGURATION not in files.paths():
        raise without_file(CONFIGURATION)
    configuration = read_settings(files, CONFIGURATION)
    base = configuration.text("baseurl").rstrip("/")
    url = configuration.text("url").rstrip("/")
    languages = configuration.texts("languages")
    locale = configuration.text("default_locale", "default_lang", "lang", "locale") or "".join(languages[:1])
    return JekyllSite(
        configuration,
        dict(_collections(configuration)),
        locale_of_name(locale),
        tuple(filter(None, (f"{url}{base}" if url else "", base))),
    )


def _collections(configuration: Fields) -> list[tuple[str, str]]:
    """The folder and permalink of each collection with pages."""
    root = configuration.text("collections_dir").strip("/")
    rows = configuration.fields("collections")
    names = [(name, rows.fields(name)) for name in rows.values]
    return [
        (posixpath.join(root, f"_{name}"), fields.text("permalink"))
        for name, fields in names
        if fields.is_true("output")
    ]


def _is_below(path: str, pattern: str) -> bool:
    """True if a path matches a file, folder or pattern in the configuration."""
    pattern = pattern.strip("/")
    if "*" in pattern:
        return fnmatchcase(path, pattern.replace("**/", "*"))
    return not pattern or path == pattern or path.startswith(f"{pattern}/")


def recognises(files: SourceFiles) -> bool:
    return CONFIGURATION in set(files.paths())


def read(files: SourceFiles, losses: Losses) -> Tree:
    site = read_jekyll_site(files)
    paths = [path for path in page_paths(files) if site.has_page(path)]
    sources = {path: site.with_defaults(read_page(path, files.read(path), losses)) for path in paths}
    # GitHub Pages makes pages of files without front matter, so most pages there have none.
    bare_paths = [path for path, page in sources.items() if not page.fields.values]
    if 2 * len(bare_paths) <= len(sources):
        for path in bare_paths:
            del sources[path]
            losses.add(path, "file without front matter, so Jekyll makes no page of it: left out")
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
        status="draft" if is_draft else plain.status,
    )


def jekyll_entries(sources: Mapping[str, SourcePage], pages: Mapping[str, ImportedPage]) -> list[Entry]:
    """The navigation: by `parent`, by `category` and `children`, or by folder."""
    originals = {path: page for path, page in sources.items() if pages[path].translation_of is None}
    if any(page.fields.text("parent") for page in originals.values()):
        return _entries_by_parent(originals, pages)
    if any(page.fields.text("category") for page in originals.values()):
        return _entries_by_category(originals, pages)
    return folder_entries(pages, "", lambda path: _order_of_path(path, originals))


def _entries_by_parent(sources: Mapping[str, SourcePage], pages: Mapping[str, ImportedPage]) -> list[Entry]:
    """The navigation of the theme Just the Docs: `parent` is the title of another page."""
    children: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path, page in sources.items():
        if page.fields.text("nav_exclude") != "true":
            children[page.fields.text("parent"), page.fields.text("grand_parent")].append(path)

    def entries_below(title: str, parent: str) -> list[Entry]:
        paths = children.pop((title, parent), []) + (children.pop((title, ""), []) if parent else [])
        rows = sorted(paths, key=lambda path: _order(path, sources))
        titles = [(path, sources[path].fields.text("title") or pages[path].title) for path in rows]
        return [Entry(pages[path].title, path, entries_below(name, title)) for path, name in titles]

    return entries_below("", "")


def _entries_by_category(sources: Mapping[str, SourcePage], pages: Mapping[str, ImportedPage]) -> list[Entry]:
    """Entries by category; `children` of a page are the addresses of its subpages."""
    paths_by_address = {(pages[path].address or "").strip("/"): path for path in sources}
    categories: defaultdict[str, list[str]] = defaultdict(list)
    for path, page in sources.items():
        if not page.fields.is_true("child"):
            categories[page.fields.text("category")].append(path)

    def entry_of(path: str) -> Entry:
        addresses = (address.strip("/") for address in sources[path].fields.texts("children"))
        children = [paths_by_address[address] for address in addresses if address in paths_by_address]
        rows = sorted(children, key=lambda child: _order(child, sources))
        return Entry(
            pages[path].title, path, [Entry(pages[child].title, child) for child in rows if child != path]
        )

    entries = []
    for category in sorted(categories):
        rows = [
            entry_of(path) for path in sorted(categories[category], key=lambda path: _order(path, sources))
        ]
        entries += [Entry(title_of_name(category), None, rows)] if category else rows
    return entries


def _order(path: str, sources: Mapping[str, SourcePage]) -> tuple[float, str]:
    fields = sources[path].fields
    numbers = (fields.number(name) for name in ("nav_order", "order", "weight", "position"))
    return (next((number for number in numbers if number is not None), _LAST), path)


def _order_of_path(path: str, sources: Mapping[str, SourcePage]) -> tuple[float, str]:
    """The order of a page, or of a folder's index page; the rest is sorted by name."""
    name = with_ending(path, (".md", ".markdown", "/index.md", "/README.md"), sources)
    number = _order(name, sources)[0] if name else _LAST
    return (number, "") if number < _LAST else name_order(path.rpartition("/")[2])


def plain_kramdown(text: str) -> str:
    """The text without kramdown's own marks; code must be hidden.

    A paragraph with a class such as `{: .note }` is a callout, as in most themes.
    """
    text = _EXTENSION.sub("", _CONTENTS.sub("", text))
    blocks = re.split(r"(\n[ \t]*\n)", text)
    return replace_emoji_codes(replace_definition_lists("".join(_plain_block(block) for block in blocks)))


def _plain_block(block: str) -> str:
    """An alert for a block whose first or last line sets a class that is a kind of callout."""
    lines = block.strip("\n").split("\n")
    for at in (0, len(lines) - 1):
        match = _CLASS_LINE.match(lines[at])
        kind = match[1].removesuffix(_TITLE_ENDING).lower() if match else ""
        rest = lines[:at] + lines[at + 1 :]
        if match and kind in ALERT_KINDS and rest:
            return _callout(kind, [line.removeprefix("> ").removeprefix(">") for line in rest], match[1])
    return block


def _callout(kind: str, lines: list[str], name: str) -> str:
    if name.endswith(_TITLE_ENDING) and len(lines) > 1:
        return alert(kind, lines[0], "\n".join(lines[1:]))
    return alert(kind, "", "\n".join(lines))


READER = Reader("jekyll", "Jekyll", recognises, read)
