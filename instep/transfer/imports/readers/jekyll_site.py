"""Reads the settings of a Jekyll site, which determine its pages, their addresses and languages."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from instep.transfer.imports.markdown.fields import Fields, Value, read_settings
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.folders import PagePlace, is_index, locale_of_name
from instep.transfer.imports.tree.schemas import SourceFiles, without_file

CONFIGURATION = "_config.yml"
_BUILT_FOLDERS = ("_site/", "node_modules/", "vendor/")
_DATED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})-(.+)$")
_SUFFIX = re.compile(r"(.+)\._?([a-z]{2}(?:[-_][A-Za-z]{2,4})?)$")
_STYLES = {
    "date": "/:categories/:year/:month/:day/:title.html",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "none": "/:categories/:title.html",
}


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
