"""Reads VitePress: `.vitepress/config.*` with sidebars and rewrites, and Markdown with Vue components."""

import posixpath
import re

from instep.transfer.imports.javascript.js_values import JsValue, at, js_array, js_object, js_text
from instep.transfer.imports.markdown.hidden_code import ticks_for
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.mdx.component_source import (
    ComponentSource,
    absolute,
    configuration_path,
    imported_page,
    language_of,
    shallowest,
    without_index,
)
from instep.transfer.imports.mdx.included_files import IncludedFiles, code_region, rebase_links
from instep.transfer.imports.mdx.pages import PageReader
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.schemas import ImportedPage, Losses, Reader, SourceFiles, Tree
from instep.transfer.imports.tree.site_looks import tell_looks

_CONFIGURATION = re.compile(r"(?:^|/)\.vitepress/config(?:/index)?\.[cm]?[jt]s$")
_PARAMETER = re.compile(r":([A-Za-z_]\w*)(?:\([^()]*\))?[*+?]?")
_INCLUDE = re.compile(r"<!--[ \t]*@include:[ \t]*(.*?)[ \t]*-->")
_CODE = re.compile(
    r"^([ \t]*)<<<[ \t]*([^\s{\[#]+)(?:#([\w-]+))?[ \t]*(?:\{([^}\n]*)\})?[ \t]*(?:\[([^\]\n]*)\])?[ \t]*$",
    re.M,
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_PART = re.compile(r"^(.*?)(?:\{([0-9]{0,9})?(?:,([0-9]{0,9}))?\})?(?:#([\w-]+))?$")
_MAX_DEPTH = 8
_MAX_CHARACTERS = 1_000_000


def recognises(files: SourceFiles) -> bool:
    return shallowest(files.paths(), _CONFIGURATION) is not None


def read(files: SourceFiles, losses: Losses) -> Tree:
    path = configuration_path(files, _CONFIGURATION, ".vitepress/config.ts")
    root = path.partition(".vitepress/")[0].rstrip("/")
    return _VitePress(ComponentSource(files, losses, root), path).tree()


class _VitePress:
    def __init__(self, source: ComponentSource, path: str) -> None:
        self.source, self.path = source, path
        self.settings = js_object(source.exported(path))
        self.folder = source.join(js_text(self.settings.get("srcDir")) or ".")
        folder = f"{self.folder}/" if self.folder else ""
        source.configuration.aliases = dict.fromkeys(("@/", "/"), folder)
        snippets = IncludedFiles(source.files, source.configuration, {"md": "vue"})
        self.pages = PageReader(snippets, source.losses, VitePressIncludes(snippets).include)
        self.locales = {
            name: row for name, row in js_object(self.settings.get("locales")).items() if name != "root"
        }
        root = at(self.settings, "locales", "root", "lang") or self.settings.get("lang")
        self.locale = language_of(js_text(root)) or None

    def tree(self) -> Tree:
        addresses = {path: self._rewritten(path) for path in self.source.pages_below(self.folder)}
        by_address = {self._address(stem): path for path, stem in addresses.items()}
        pages = {path: self._page(path, stem, by_address) for path, stem in addresses.items()}
        entries = self._navigation(by_address)
        arranged = arrange(entries, pages, self.source.losses, is_declared=True)
        themes = (at(self.settings, "themeConfig"), at(self.settings, "locales", "root", "themeConfig"))
        theme = {name: value for row in themes for name, value in js_object(row).items()}
        theme_folder = self.source.join(".vitepress/theme")
        has_theme = any(path.startswith(theme_folder) for path in self.source.paths)
        looks = {**self.settings, "themeConfig": theme, "theme": has_theme}
        tell_looks("vitepress", self.source.losses, self.path, looks)
        base = js_text(self.settings.get("base")).rstrip("/")
        host = js_text(at(self.settings, "sitemap", "hostname")).rstrip("/")
        static = posixpath.join(self.folder, "public")
        self.source.add_hosting_redirects(static)
        return Tree(
            *("vitepress", self.locale, *arranged),
            redirects=tuple(self.source.redirects),
            sites=tuple(filter(None, (host, base))),
            static_folders=(static,),
            aliases=(("@/", self.folder),),
        )

    def _page(self, path: str, stem: str, by_address: dict[str, str]) -> ImportedPage:
        first, _, rest = stem.partition("/")
        is_translation = first in self.locales
        lang = js_text(at(self.locales.get(first), "lang")) or first
        original = by_address.get(self._address(rest)) if is_translation else None
        address = self._address(stem)
        page = self.pages.read(path)
        written_address = absolute(posixpath.relpath(without_extension(path), self.folder or "."))
        former = [f"{absolute(stem)}.html", without_index(written_address)]
        former_addresses = tuple(each for each in dict.fromkeys(former) if each not in (address, "", "/"))
        locale = language_of(lang) if is_translation else self.locale
        return imported_page(page, address, locale, former_addresses, original)

    def _address(self, stem: str) -> str:
        return absolute(without_index(stem))

    def _rewritten(self, path: str) -> str:
        """The path of a page in its folder, without extension, after the site's rewrites."""
        relative = posixpath.relpath(path, self.folder or ".")
        for pattern, target in js_object(self.settings.get("rewrites")).items():
            match = re.fullmatch(_path_pattern(pattern), relative)
            if match and isinstance(target, str):
                values = match.groupdict("")
                parts = _PARAMETER.split(target)
                named = (values.get(part, "") if number % 2 else part for number, part in enumerate(parts))
                return without_extension("".join(named))
        return without_extension(relative)

    def _navigation(self, by_address: dict[str, str]) -> list[Entry]:
        """The sidebars of the default locale: the site's, and those in `config` files of its folders."""
        rows = [at(self.settings, "themeConfig"), at(self.settings, "locales", "root", "themeConfig")]
        for path in sorted(self.source.paths):
            name, extension = posixpath.splitext(posixpath.basename(path))
            folder = posixpath.relpath(posixpath.dirname(path) or ".", self.folder or ".")
            is_script = extension in (".ts", ".js", ".mts", ".mjs")
            is_additional = name == "config" and is_script and path != self.path
            if is_additional and not folder.startswith("..") and folder.split("/")[0] not in self.locales:
                rows.append(at(self.source.exported(path), "themeConfig"))
        entries: list[Entry] = []
        for row in rows:
            sidebar = at(row, "sidebar")
            self.source.report_unknown(sidebar)
            for name, part in (js_object(sidebar) or {"/": sidebar}).items():
                if name.strip("/").split("/")[0] not in self.locales:
                    entries += self._items(part, "", by_address)
        return entries

    def _items(self, value: JsValue, base: str, by_address: dict[str, str]) -> list[Entry]:
        if not js_array(value):
            items, base = at(value, "items"), js_text(at(value, "base")) or base
            return self._items(items, base, by_address) if items is not None else []
        return [entry for row in js_array(value) for entry in self._item(row, base, by_address)]

    def _item(self, row: JsValue, base: str, by_address: dict[str, str]) -> list[Entry]:
        base = js_text(at(row, "base")) or base
        words, target = js_text(at(row, "text")), js_text(at(row, "link"))
        entries = self._items(at(row, "items"), base, by_address)
        page = None
        if target and "://" not in target:
            address = target if target.startswith("/") else base + target
            page = by_address.get(self._address(re.sub(r"\.(?:html|md)$", "", address.partition("#")[0])))
        if target and page is None:
            what = f"sidebar entry without a page in the folder: {words or target}"
            self.source.losses.add(self.path, what)
        if not words:
            return entries
        return [Entry(words, page, entries)] if page or entries else []


def _path_pattern(pattern: str) -> str:
    """A path pattern such as "en/:rest*" as a regular expression; other characters match themselves."""
    parts = _PARAMETER.split(pattern)
    names = parts[1::2]
    groups = [f"(?P<{name}>.*)" if names.index(name) == at else ".*" for at, name in enumerate(names)]
    return "".join(re.escape(part) + group for part, group in zip(parts[::2], [*groups, ""], strict=True))


class VitePressIncludes:
    """Inserts the text of other files into pages; code stays unchanged."""

    def __init__(self, snippets: IncludedFiles) -> None:
        self.snippets = snippets

    def include(self, page: SourcePage) -> str:
        return self._include(page, page.body, 0)

    def _include(self, page: SourcePage, text: str, depth: int) -> str:
        lines: list[str] = []
        fence = ""
        size = len(text)
        for line in text.split("\n"):
            match = _FENCE.match(line)
            if match and (not fence or match[1].startswith(fence)):
                fence = "" if fence else match[1]
            elif not fence and ("@include" in line or "<<<" in line) and size < _MAX_CHARACTERS:
                line = self._include_line(page, line, depth)
                size += len(line)
            lines.append(line)
        return "\n".join(lines)

    def _include_line(self, page: SourcePage, line: str, depth: int) -> str:
        line = _INCLUDE.sub(lambda match: self._text(page, match[1], match[0], depth), line)
        return _CODE.sub(lambda match: self._code(page, match), line)

    def _text(self, page: SourcePage, target: str, words: str, depth: int) -> str:
        """The lines or the region of a Markdown file."""
        match = _PART.match(target)
        path = self.snippets.find(match[1].strip(), page.path) if match else None
        if match is None or path is None:
            page.losses.add(f"file that isn't in the source: {target}", words)
            return ""
        if depth >= _MAX_DEPTH:
            page.losses.add_refusal(path, words)
            return ""
        part = read_page(path, self.snippets.files.read(path), page.losses.losses)
        lines = code_region(part.body.split("\n"), match[4] or "")
        if match[2] is not None or match[3] is not None:
            first = int(match[2] or 1)
            lines = lines[first - 1 : int(match[3]) if match[3] else (None if match[3] == "" else first)]
        text = self._include(part, "\n".join(lines), depth + 1)
        return rebase_links(text, path, page.path, self.snippets.configuration.paths)

    def _code(self, page: SourcePage, match: re.Match[str]) -> str:
        indent, target, name, options, title = match.groups()
        path = self.snippets.find(target, page.path)
        if path is None:
            page.losses.add(f"file that isn't in the source: {target}", match[0])
            return ""
        code = self.snippets.files.read(path).decode("utf-8", "replace").rstrip()
        languages = [word for word in (options or "").split() if re.fullmatch(r"[a-z]\w*", word)]
        language = languages[0] if languages else posixpath.splitext(path)[1].removeprefix(".")
        ticks = ticks_for(code)
        info = f"{language} [{title}]" if title else language
        return "\n".join(
            indent + line for line in (ticks + info, *code_region(code.split("\n"), name or ""), ticks)
        )


READER = Reader("vitepress", "VitePress", recognises, read)
