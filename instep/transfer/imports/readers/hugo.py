"""Reads Hugo: `content/` with sections, weights, page bundles, aliases and shortcodes."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from instep.platform.text.slugs import slugify
from instep.transfer.imports.markdown.fields import Fields, read_settings
from instep.transfer.imports.markdown.hugo_shortcodes import Includes, plain_shortcodes
from instep.transfer.imports.markdown.plain_pages import plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.tree.file_names import with_ending
from instep.transfer.imports.tree.folders import (
    MAIN_LOCALE,
    folder_entries,
    is_index,
    page_paths,
    places_by_language,
    translations,
)
from instep.transfer.imports.tree.navigation import arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree, without_file
from instep.transfer.imports.tree.site_looks import tell_looks
from instep.transfer.imports.tree.url_parts import site_with_base

# The configuration of a site: a file at the root or in a folder.
_PATH = re.compile(r"(?:config/_default/)?(?:hugo|config)\.(toml|ya?ml|json)")
# A placeholder of a permalink: `:slug`, `:sections[1:]`.
_TOKEN = re.compile(r":([a-z]+(?:\[[^\]]*\])?)")
_WIDE = 1e9


def recognises(files: SourceFiles) -> bool:
    paths = list(files.paths())
    return any(map(_PATH.fullmatch, paths)) and any(path.startswith("content/") for path in paths)


def read(files: SourceFiles, losses: Losses) -> Tree:
    path = next(filter(_PATH.fullmatch, files.paths()), None)
    if path is None:
        raise without_file("hugo.toml")
    configuration = read_settings(files, path)
    root = _root(files, configuration)
    locale = configuration.text("defaultContentLanguage", "defaultcontentlanguage") or None
    main = locale or MAIN_LOCALE
    places = places_by_language(page_paths(files, root), root, locale)
    originals = translations(places, locale)
    sources = {path: read_page(path, files.read(path), losses) for path in places if not _is_part(path, root)}
    texts = {page.path: page.body for page in sources.values()} | _parts(files, places, root)
    includes = Includes(texts, root, frozenset(files.paths()))
    pages = {
        path: _page(
            page,
            root,
            _address(places[path].path, page, configuration.fields("permalinks")),
            places[path].locale,
            main,
            originals.get(path),
            includes,
        )
        for path, page in sources.items()
    }
    folder = f"{root}/{main}" if any(path.startswith(f"{root}/{main}/") for path in pages) else root
    entries = folder_entries(
        pages,
        folder,
        lambda path: _order(path, sources, pages),
        label=lambda page: sources[page.path].fields.text("linkTitle", "linktitle") or page.title,
    )
    arranged = arrange(entries, pages, losses)
    tell_looks("hugo", losses, path, configuration.values)
    sites = site_with_base(configuration.text("baseURL", "baseurl"))
    return Tree("hugo", locale, *arranged, sites=sites, static_folders=("static", "assets"))


def _root(files: SourceFiles, configuration: Fields) -> str:
    """The content folder: a mounted one, the folder of the only language, or the default."""
    mounts = [Fields(row) for row in configuration.fields("module").items("mounts") if isinstance(row, dict)]
    locale = configuration.text("defaultContentLanguage", "defaultcontentlanguage") or MAIN_LOCALE
    languages = configuration.fields("languages")
    folder = languages.fields(locale).text("contentDir", "contentdir") if len(languages.values) == 1 else ""
    mounted = [row.text("source") for row in mounts if row.text("target") == "content"]
    root = mounted[0] if len(mounted) == 1 else folder or configuration.text("contentDir", "contentdir")
    return posixpath.normpath(root or "content")


def _is_part(path: str, root: str) -> bool:
    """True if a file is only included elsewhere: the name of its folder begins with an underscore."""
    folders = posixpath.dirname(path.removeprefix(f"{root}/")).split("/")
    return any(folder.startswith("_") for folder in folders)


def _parts(files: SourceFiles, places: Mapping[str, object], root: str) -> dict[str, str]:
    rows = (path for path in places if _is_part(path, root))
    return {path: read_page(path, files.read(path), Losses()).body for path in rows}


def _page(
    page: SourcePage,
    root: str,
    address: str,
    locale: str | None,
    main: str,
    original: str | None,
    includes: Includes,
) -> ImportedPage:
    fields = page.fields
    transform = partial(plain_shortcodes, page=page, includes=includes)
    plain = plain_page(page, transform, fields.text("linkTitle", "linktitle"))
    prefix = "" if locale in (None, main) else f"/{locale.lower()}"
    address = prefix + address
    return replace(
        plain,
        locale=locale,
        address=address,
        former_addresses=_aliases(fields, address),
        slug=fields.text("slug") or None,
        translation_of=original,
    )


def _address(place: str, page: SourcePage, permalinks: Fields) -> str:
    fields = page.fields
    if url := fields.text("url"):
        return f"/{url.strip('/')}/"
    section = place.partition("/")[0]
    pattern = permalinks.fields("page").text(section) or permalinks.text(section)
    if pattern and posixpath.basename(place) != "_index" and (link := _filled(pattern, place, page)):
        return link
    bare = (posixpath.dirname(place) if is_index(place) else place).lower()
    if slug := fields.text("slug"):
        bare = posixpath.join(posixpath.dirname(bare), slug)
    return f"/{bare}/" if bare else "/"


def _filled(pattern: str, place: str, page: SourcePage) -> str | None:
    """A pattern of the configuration with its tokens replaced; None if one of them is unknown."""
    folder, name = posixpath.split(posixpath.dirname(place) if is_index(place) else place)
    slug, title = page.fields.text("slug"), slugify(page.fields.text("title"), name)
    year, month, day, *_ = f"{page.fields.text('date')[:10]}--".split("-")
    tokens = {"year": year, "month": month, "day": day, "sections": folder, "title": title}
    tokens |= {"section": folder.partition("/")[0], "slug": slug or title}
    tokens |= dict.fromkeys(("contentbasename", "filename"), name)
    tokens |= dict.fromkeys(("slugorcontentbasename", "slugorfilename"), slug or name)
    if any(not tokens.get(token) for token in _TOKEN.findall(pattern)):
        return None
    return _TOKEN.sub(lambda token: tokens[token[1]].lower(), f"/{pattern.strip('/')}/")


def _aliases(fields: Fields, address: str) -> tuple[str, ...]:
    """The former addresses; those without a leading slash are relative to the page's folder."""
    folder = posixpath.dirname(address.rstrip("/"))
    return tuple(posixpath.normpath(posixpath.join(folder, alias)) + "/" for alias in fields.texts("aliases"))


def _order(
    path: str, sources: Mapping[str, SourcePage], pages: Mapping[str, ImportedPage]
) -> tuple[float, str]:
    """Sort key: weight, then title; a folder has those of its index page."""
    endings = (".md", ".markdown", "/_index.md", "/index.md", "/_index.en.md")
    name = with_ending(path, endings, pages)
    if name is None:
        return (_WIDE, posixpath.basename(path).casefold())
    fields = sources[name].fields
    return (fields.number("weight") or _WIDE, (fields.text("linkTitle") or pages[name].title).casefold())


READER = Reader("hugo", "Hugo", recognises, read)
